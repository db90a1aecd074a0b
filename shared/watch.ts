/**
 * Nothing that is stored and not over lacks a time at which somebody looks at it: the store gives every open item a
 * `dueAt` where its writer gave none. What an item waits for sets a better time; this one is the floor.
 */
import type { Items, Kind } from './items.ts';
import { chargeEnded, rfOrderEnded, salePaid, terminalEnded } from './lifecycle.ts';

const LOOK_AFTER_MS = 5 * 60_000;

/** Whether something of it is still to be done, or to be told. */
const open: { readonly [K in Kind]: (item: Items[K]) => boolean } = {
  sale: ({ status, tokenization, settlingUntil }) =>
    !terminalEnded(status) || (salePaid(status) && tokenization.status === 'pending') || settlingUntil !== undefined,
  charge: ({ status, settlingUntil, captures }) =>
    !chargeEnded(status) || settlingUntil !== undefined || captures.some((one) => one.status === 'pending'),
  card: ({ status }) => status === 'pending',
  rf: ({ status, settlingUntil, readings }) =>
    !rfOrderEnded(status) || settlingUntil !== undefined || readings !== undefined,
  message: ({ messages }) => messages.some(({ state }) => state === 'new'),
  delivery: ({ state }) => state === 'pending',
  /** The days of its payments are read for what no message told. */
  account: () => true,
  /** Ends by the clock, and is nobody's once it has. */
  terminal: () => false,
  order: () => false,
};

/** A refusal that is kept under an idempotency key has none of the item's attributes, and is over. */
export function isOpen<K extends Kind>(kind: K, item: Items[K]): boolean {
  return !('refusedWith' in item) && (('outbox' in item && item.outbox !== undefined) || open[kind](item));
}

/** The item's time of the next look. */
export function dueAtOf<K extends Kind>(
  kind: K,
  item: Items[K] & { readonly dueAt?: string },
  now: number,
): string | undefined {
  return item.dueAt ?? (isOpen(kind, item) ? new Date(now + LOOK_AFTER_MS).toISOString() : undefined);
}
