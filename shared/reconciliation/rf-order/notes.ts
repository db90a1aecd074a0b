/**
 * Readings of an RF order that do not count yet. The key of a reading is the id of a transaction, or a name for anything
 * else. A reading counts when a later one agrees (see second-reading.ts). If none explains it for an hour, it becomes a
 * doubt, and the order goes into review.
 */

import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder, RfReading } from '../../payments/items/rf-order.ts';
import type { RfOrderStatus } from '../../payments/lifecycle.ts';
import { HOUR_MS } from '../../payments/time.ts';
import { idOf } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

export type Notes = Map<string, RfReading>;

/** Keys of readings about the order itself. They contain a space, and ids do not. */
export const aboutOrder = { amount: 'order amount', state: 'order state' } as const;

/** Much longer than lists lag (docs/viva.md, "Delays"). */
const UNEXPLAINED_MS = HOUR_MS;

export interface NotedHere {
  /** An earlier reading, some minutes ago, said the same. */
  readonly agrees: boolean;
  /** The readings have not been explained for an hour. */
  readonly isOld: boolean;
}

/** Notes a reading under its key in `notes`. `seen`: its content in a word or two. */
export function note(notes: Notes, key: string, seen: string, at: number): NotedHere {
  const before = notes.get(key);
  const { reading, agrees } = noted(before, seen, at);
  const since = before?.since ?? reading.at;
  notes.set(key, { ...(before?.doubt && { doubt: before.doubt }), ...reading, since });
  return { agrees, isOld: isUnexplained({ since }, at) };
}

/** Marks the reading under the key as a doubt. Does nothing if there is none. */
export function doubt(notes: Notes, key: string, code: FailureCode): void {
  const before = notes.get(key);
  if (before !== undefined) {
    notes.set(key, { ...before, doubt: code });
  }
}

export function isUnexplained({ since }: Pick<RfReading, 'since'>, at: number): boolean {
  return Date.parse(since) + UNEXPLAINED_MS <= at;
}

export function isAboutTransaction(key: string): boolean {
  return !key.includes(' ');
}

/** The key for the commission of a payment. */
export function commissionOf(id: string): string {
  return `${id} commission`;
}

/** The key for a record that says that its payment was given back, but not how much. */
export function returnOf(id: string): string {
  return `${id} return`;
}

/** The status before the review for an order in review, otherwise its status. */
export function effectiveStatus({ status, statusBeforeReview }: RfOrder): RfOrderStatus | undefined {
  return status === 'needs_review' ? statusBeforeReview : status;
}

/** Whether the transaction counts or is noted. A noted one makes the order due again. */
export function isSeen({ payments, readings = {} }: RfOrder, transactionId: string): boolean {
  const id = transactionId.toLowerCase();
  const isBooked = payments.some((payment) => [payment, ...(payment.returns ?? [])].some((one) => idOf(one) === id));
  return isBooked || readings[id] !== undefined;
}

/** Whether the commission of the payment counts or is noted. */
export function isCommissionSeen({ payments, readings = {} }: RfOrder, transactionId: string): boolean {
  const id = transactionId.toLowerCase();
  const isBooked = payments.some((payment) => idOf(payment) === id && payment.commission !== undefined);
  return isBooked || readings[commissionOf(id)] !== undefined;
}

/** Whether the end of the order at the platform counts or is noted. */
export function isEndSeen(order: RfOrder): boolean {
  return effectiveStatus(order) !== 'pending' || order.readings?.[aboutOrder.state] !== undefined;
}
