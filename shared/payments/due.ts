/**
 * When an item is due. Every open item has a `dueAt`, so the reconciler finds it again if its execution fails. A writer
 * may set the time itself. If it does not, the store sets one 5 minutes from now.
 */

import type { Capture } from './items/charge.ts';
import type { Reconcilable } from './items/common.ts';
import type { Webhook } from './items/inbox.ts';
import type { Items, Kind } from './items.ts';
import { chargeEnded, rfOrderEnded, salePaid, terminalEnded } from './lifecycle.ts';
import { iso, MINUTE_MS } from './time.ts';

const DUE_AFTER_MS = 5 * MINUTE_MS;

type StatusOf<K extends Kind, Name extends keyof Items[K]> = Items[K][Name] & string;

const isOpenCard: Readonly<Record<StatusOf<'card', 'status'>, boolean>> = {
  pending: true, // a request to store a card
  active: false,
  refused: false,
  deleted: false,
};

const isOpenCapture: Readonly<Record<Capture['status'], boolean>> = {
  pending: true,
  done: false,
  refused: false,
  unknown: false,
};

const isOpenWebhook: Readonly<Record<Webhook['state'], boolean>> = {
  new: true,
  parked: false, // names nothing of ours: creating the item that it names makes it due
  acted: false,
  ignored: false,
  needs_review: false,
};

const isOpenDelivery: Readonly<Record<StatusOf<'delivery', 'state'>, boolean>> = {
  pending: true,
  delivered: false,
  dead: false,
};

/** Whether something remains to be done for the item. */
const open: { readonly [K in Kind]: (item: Items[K]) => boolean } = {
  sale: ({ status, tokenization, ...item }) =>
    !terminalEnded(status) || (salePaid(status) && tokenization.status === 'pending') || mayResolveItself(item),
  charge: ({ status, captures, ...item }) =>
    !chargeEnded(status) || captures.some((one) => isOpenCapture[one.status]) || mayResolveItself(item),
  card: ({ status, tokenLeft }) => isOpenCard[status] || tokenLeft === true,
  'rf-order': ({ status, reconciledUntil, readings }) =>
    !rfOrderEnded(status) || reconciledUntil !== undefined || readings !== undefined,
  /** act-on-webhook reads it. */
  inbox: ({ webhooks }) => webhooks.some(({ state }) => isOpenWebhook[state]),
  /** deliver-event posts it. */
  delivery: ({ state }) => isOpenDelivery[state],
  /** The merchant's daily lists are read each night. */
  account: () => true,
  /** It ends with its time or with its sale. The next sale on the terminal checks both. */
  'terminal-lease': () => false,
  /** It only maps an order code to an RF order. The RF order is due. */
  'order-pointer': () => false,
  /** It is in review: a person refunds the payment at the platform. */
  finding: () => false,
};

/** A review that may end without a person, or a reading that waits for a second one. */
function mayResolveItself({ reconciledUntil, reading }: Reconcilable): boolean {
  return reconciledUntil !== undefined || reading !== undefined;
}

/** A refusal that is stored under an idempotency key has none of the item's attributes and is never open. */
export function isOpen<K extends Kind>(kind: K, item: Items[K]): boolean {
  return !('refusedWith' in item) && (('outbox' in item && item.outbox !== undefined) || open[kind](item));
}

/**
 * The item's own `dueAt`, or 5 minutes from now for an open item without one. Undefined for an item that is not open.
 */
export function dueAtOf<K extends Kind>(
  kind: K,
  item: Items[K] & { readonly dueAt?: string },
  now: number,
): string | undefined {
  return item.dueAt ?? (isOpen(kind, item) ? iso(now + DUE_AFTER_MS) : undefined);
}
