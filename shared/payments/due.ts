/**
 * Nothing that is stored and not over lacks a time at which somebody looks at it: the store gives every open item a
 * `dueAt` where its writer gave none. What an item waits for sets a better time; this one is the floor.
 */

import type { Items, Kind, Reconcilable } from './items.ts';
import { chargeEnded, rfOrderEnded, salePaid, terminalEnded } from './lifecycle.ts';
import { iso, MINUTE_MS } from './time.ts';

const DUE_AFTER_MS = 5 * MINUTE_MS;

/** Whether something of it is still to be done, or to be told. */
const open: { readonly [K in Kind]: (item: Items[K]) => boolean } = {
  sale: ({ status, tokenization, ...item }) =>
    !terminalEnded(status) || (salePaid(status) && tokenization.status === 'pending') || mayResolveItself(item),
  charge: ({ status, captures, ...item }) =>
    !chargeEnded(status) || captures.some((one) => one.status === 'pending') || mayResolveItself(item),
  /** A request to store one; a card itself ends by its month. */
  card: ({ status }) => status === 'pending',
  'rf-order': ({ status, reconciledUntil, readings }) =>
    !rfOrderEnded(status) || reconciledUntil !== undefined || readings !== undefined,
  /** Looked into by act-on-webhook. What names nothing of ours waits for whoever makes it ours, not for the clock. */
  inbox: ({ messages }) => messages.some(({ state }) => state === 'new'),
  /** Made by deliver-event, until it is delivered or dead. */
  delivery: ({ state }) => state === 'pending',
  /** The days of its payments are read for what no message told. */
  account: () => true,
  /** Ends by the clock, or with its sale: whoever wants the terminal next looks at both. */
  'terminal-lease': () => false,
  /** Only says whose an order code is; the RF order is looked at. */
  'order-pointer': () => false,
  /** Listed for a person, who gives the money back at the platform. */
  finding: () => false,
};

/** A review that may end by itself, or a reading that waits for a second one. */
function mayResolveItself({ reconciledUntil, reading }: Reconcilable): boolean {
  return reconciledUntil !== undefined || reading !== undefined;
}

/** A refusal that is kept under an idempotency key has none of the item's attributes, and is over. */
export function isOpen<K extends Kind>(kind: K, item: Items[K]): boolean {
  return !('refusedWith' in item) && (('outbox' in item && item.outbox !== undefined) || open[kind](item));
}

/** The item's time of the next look: its own, neither earlier nor later, and the floor where it has none. */
export function dueAtOf<K extends Kind>(
  kind: K,
  item: Items[K] & { readonly dueAt?: string },
  now: number,
): string | undefined {
  return item.dueAt ?? (isOpen(kind, item) ? iso(now + DUE_AFTER_MS) : undefined);
}
