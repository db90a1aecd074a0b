/**
 * Publishes the events in the outbox of an item. It creates a delivery for each event if the account has a callback
 * address, puts the events on the event bus, which starts the deliveries, and then removes them from the outbox.
 *
 * Safe to run again after it stopped anywhere: an event is published at least once, always with the same id.
 */

import { existing } from '../payments/existing.ts';
import { type Failure, type FailureCode, failureOf } from '../payments/failures.ts';
import type { OutboxEvent } from '../payments/items/common.ts';
import type { Items } from '../payments/items.ts';
import type { PublishedKind } from '../payments/outbox.ts';
import type { Payments } from '../payments/store.ts';
import { iso } from '../payments/time.ts';
import { nextDueAt } from '../reconciliation/next-due.ts';
import { cloudEvent, type PublishedItem } from './cloud-event.ts';
import type { PutEvents } from './event-bus.ts';

export interface PublishDeps {
  readonly payments: Payments;
  readonly putEvents: PutEvents;
  readonly onPublished: (status: string, about: string, reason: FailureCode | undefined) => void;
  readonly now: () => number;
}

/** Also sets when the item is due next. Throws a TransientError while the event bus does not accept the events. */
export async function publish(kind: PublishedKind, id: string, deps: PublishDeps): Promise<void> {
  const { payments, putEvents, onPublished, now } = deps;
  const item = await existing(payments, kind, id);
  const { outbox = [] } = item;
  if (outbox.length === 0) {
    return;
  }
  const { callbackUrl } = await existing(payments, 'account', item.merchantId);
  if (callbackUrl !== undefined) {
    for (const event of outbox) {
      await createDelivery(item, `${kind}#${id}`, event, deps);
    }
  }
  await createFinding(id, item, payments);
  await putEvents(outbox.map((event) => cloudEvent(kind, id, item, event)));
  for (const { status } of outbox) {
    onPublished(status, `${kind}#${id}`, reasonOf(kind, item));
  }
  const published = new Set(outbox.map(({ eventId }) => eventId));
  await payments.change(kind, id, (current) => {
    const left = (current.outbox ?? []).filter(({ eventId }) => !published.has(eventId));
    return left.length > 0 ? { outbox: left } : { outbox: undefined, dueAt: nextDueAt(kind, current, now()) };
  });
}

/** For a payment that was found after we reported it as not made. Creating it again changes nothing. */
async function createFinding(id: string, item: PublishedItem, payments: Payments): Promise<void> {
  if (!('foundLate' in item) || item.foundLate === undefined || item.transactionId === undefined) {
    return;
  }
  const { merchantId, transactionId, amount, currency, foundLate } = item;
  await payments.create('finding', transactionId.toLowerCase(), {
    ...{ merchantId, transactionId, amount, currency, laterSales: foundLate.laterSales },
    id,
    reason: 'FOUND_LATE',
    state: 'open',
  });
}

const failureIn: { readonly [K in PublishedKind]: (item: Items[K]) => Failure | undefined } = {
  sale: (sale) => failureOf(sale, 'SALE_PAID_LATE'),
  charge: (charge) => failureOf(charge, 'CHARGE_MADE_LATE'),
  'rf-order': ({ failure }) => failure,
};

function reasonOf<K extends PublishedKind>(kind: K, item: Items[K]): FailureCode | undefined {
  return failureIn[kind](item)?.code;
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
