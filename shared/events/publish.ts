/**
 * Empties the outbox of an item. It creates a delivery of every event if the account has a callback address, puts the
 * events on the event bus, which starts the deliveries, and only then removes them. If it stops on the way, it starts
 * again: events are published at least once, under the same ids.
 */

import { existing } from '../payments/existing.ts';
import { type FailureCode, failureOf } from '../payments/failures.ts';
import type { OutboxEvent } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';
import { iso } from '../payments/time.ts';
import { cloudEvent, type PublishedItem, type PublishedKind } from './cloud-event.ts';
import type { PutEvents } from './event-bus.ts';

export interface PublishDeps {
  readonly payments: Payments;
  readonly putEvents: PutEvents;
  readonly onPublished: (status: string, about: string, reason: FailureCode | undefined) => void;
  readonly now: () => number;
}

/** When the item is due again once its outbox is empty. Undefined: never. */
type NextDueAt = (item: PublishedItem) => string | undefined;

export async function publishOutbox(
  kind: PublishedKind,
  id: string,
  nextDueAt: NextDueAt,
  deps: PublishDeps,
): Promise<PublishedItem> {
  const { payments, putEvents, onPublished } = deps;
  const item = await existing(payments, kind, id);
  const { outbox = [] } = item;
  if (outbox.length === 0) {
    return item;
  }
  const { callbackUrl } = await existing(payments, 'account', item.merchantId);
  if (callbackUrl !== undefined) {
    for (const event of outbox) {
      await createDelivery(item, `${kind}#${id}`, event, deps);
    }
  }
  await listForPerson(item, payments);
  await putEvents(outbox.map((event) => cloudEvent(item, event)));
  for (const { status } of outbox) {
    onPublished(status, `${kind}#${id}`, reasonOf(item));
  }
  const published = new Set(outbox.map(({ eventId }) => eventId));
  return payments.change(kind, id, (now) => {
    const left = (now.outbox ?? []).filter(({ eventId }) => !published.has(eventId));
    return left.length > 0 ? { outbox: left } : { outbox: undefined, dueAt: nextDueAt(now) };
  });
}

/** Found to be made after it was reported as over. */
async function listForPerson(item: PublishedItem, payments: Payments): Promise<void> {
  if (!('foundLate' in item) || item.foundLate === undefined || item.transactionId === undefined) {
    return;
  }
  const { merchantId, transactionId, amount, currency, foundLate } = item;
  await payments.create('finding', transactionId.toLowerCase(), {
    ...{ merchantId, transactionId, amount, currency, laterSales: foundLate.laterSales },
    id: 'terminalId' in item ? item.saleId : item.chargeId,
    reason: 'FOUND_LATE',
    state: 'open',
  });
}

function reasonOf(item: PublishedItem): FailureCode | undefined {
  const lateCode = 'terminalId' in item ? 'SALE_PAID_LATE' : 'CHARGE_MADE_LATE';
  return ('rfOrderId' in item ? item.failure : failureOf(item, lateCode))?.code;
}

async function createDelivery(
  { merchantId }: PublishedItem,
  about: string,
  event: OutboxEvent,
  { payments, now }: PublishDeps,
): Promise<void> {
  const dueAt = iso(now());
  const delivery = { merchantId, event, about, state: 'pending' as const, attempts: 0, dueAt };
  await payments.create('delivery', event.eventId, delivery);
}
