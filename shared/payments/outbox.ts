/**
 * The outbox of an item. The write that ends an item also appends the event to the item and makes it due. So every change
 * has its event, and every event its change.
 *
 * An event leaves the outbox only after it was published, so it may be published twice. Its id is always the same: it is
 * derived from the item, the status and the item's revision before the transition.
 */
import type { OutboxEvent, Scheduled, StoredItem } from './items/common.ts';
import { derivedId } from './references.ts';

/** The kinds whose changes are published; the types of events contain them. */
export type PublishedKind = 'sale' | 'charge' | 'rf-order';

/** The part of a patch that publishes the transition of `item` to `status`. */
export function withEvent(
  item: StoredItem & Scheduled,
  kind: PublishedKind,
  id: string,
  status: string,
  at: string,
): { readonly outbox: readonly OutboxEvent[]; readonly dueAt: string } {
  const eventId = derivedId(kind, id, status, String(item.revision));
  const event = { eventId, type: eventType(kind, status), at, status };
  return { outbox: [...(item.outbox ?? []), event], dueAt: at };
}

export function eventType(kind: PublishedKind, status: string): string {
  return `tillflow.${kind}.${status}.v1`;
}
