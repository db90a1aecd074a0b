/**
 * Empties the outbox of an item: puts every announcement on the event bus, makes a delivery of it where the account has a
 * callback address, and only then takes it out. Stopped anywhere, it is done again from the start: at least once, under
 * the same ids.
 */
import { type AnnouncedItem, type AnnouncedKind, cloudEvent } from './cloud-event.ts';
import type { PutEvents } from './event-bus.ts';
import type { Announcement } from './items.ts';
import type { Nudge } from './nudge.ts';
import type { Payments } from './payments.ts';
import { existing } from './subjects.ts';

export interface PublishDeps {
  readonly payments: Payments;
  readonly putEvents: PutEvents;
  /** Tells deliver-announcement of a new delivery. */
  readonly nudge: Nudge;
  readonly onPublished: (status: string, about: string) => void;
  readonly now: () => number;
}

/** When the item, its outbox empty, needs another look; undefined for never. */
type NextLook = (item: AnnouncedItem) => string | undefined;

export async function publishOutbox(
  kind: AnnouncedKind,
  id: string,
  nextLook: NextLook,
  deps: PublishDeps,
): Promise<AnnouncedItem> {
  const { payments, putEvents, onPublished } = deps;
  const item = await existing(payments, kind, id);
  const { outbox = [] } = item;
  if (outbox.length === 0) {
    return item;
  }
  await putEvents(outbox.map((announcement) => cloudEvent(item, announcement)));
  for (const announcement of outbox) {
    await startDelivery(item, `${kind}#${id}`, announcement, deps);
    onPublished(announcement.status, `${kind}#${id}`);
  }
  const published = new Set(outbox.map(({ eventId }) => eventId));
  return payments.change(kind, id, (now) => {
    const left = (now.outbox ?? []).filter(({ eventId }) => !published.has(eventId));
    return left.length > 0 ? { outbox: left } : { outbox: undefined, dueAt: nextLook(now) };
  });
}

async function startDelivery(
  { merchantId }: AnnouncedItem,
  about: string,
  announcement: Announcement,
  { payments, nudge, now }: PublishDeps,
): Promise<void> {
  const account = await payments.get('account', merchantId);
  if (account?.callbackUrl === undefined) {
    return;
  }
  const deliveryId = announcement.eventId;
  const dueAt = new Date(now()).toISOString();
  const delivery = { merchantId, announcement, about, state: 'pending' as const, attempts: 0, dueAt };
  if (await payments.create('delivery', deliveryId, delivery)) {
    // A nudge that is lost costs time only: the delivery is due.
    await nudge({ deliveryId }).catch(() => undefined);
  }
}
