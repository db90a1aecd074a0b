/**
 * What others are told: the write that moves an item to an end state appends the event to the item itself, and
 * makes it due. So there is no change without its event, and none is published that did not happen.
 *
 * An event leaves the outbox only after it was published, so it may be published twice, and never under another
 * id: the id follows from the item, the status and the revision that was moved.
 */
import type { OutboxEvent, Scheduled, StoredItem } from './items.ts';
import { derivedId } from './references.ts';

/** As the event types name what changed. */
export type Subject = 'sale' | 'charge' | 'rf-order';

/** The part of the patch that announces the move of `item` to `status`. */
export function withEvent(
  item: StoredItem & Scheduled,
  subject: Subject,
  id: string,
  status: string,
  at: string,
): { readonly outbox: readonly OutboxEvent[]; readonly dueAt: string } {
  const eventId = derivedId(subject, id, status, String(item.revision));
  const event = { eventId, type: eventType(subject, status), at, status };
  return { outbox: [...(item.outbox ?? []), event], dueAt: at };
}

export function eventType(subject: Subject, status: string): string {
  return `tillflow.${subject}.${status}.v1`;
}
