/**
 * What readings of the platform said about an RF order that does not count yet, by what it is about: a transaction,
 * under its id, or something else, under a name. A reading counts when a later one agrees (see second-reading.ts); what
 * none explains is a doubt, and the order goes to a person.
 */

import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder, RfReading } from '../../payments/items.ts';
import type { RfOrderStatus } from '../../payments/lifecycle.ts';
import { HOUR_MS } from '../../payments/time.ts';
import { idOf } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

export type Notes = Map<string, RfReading>;

export const aboutOrder = { amount: 'order amount', state: 'order state' } as const;

/** Lists lag behind by two minutes. What readings leave open for so long goes to a person. */
const UNEXPLAINED_MS = HOUR_MS;

export interface NotedHere {
  /** Another reading, minutes ago, said the same. */
  readonly agrees: boolean;
  /** Another reading said something else. */
  readonly contradicts: boolean;
  /** Readings and books differ for long. */
  readonly isOld: boolean;
}

export function note(notes: Notes, key: string, seen: string, at: number): NotedHere {
  const before = notes.get(key);
  const { reading, agrees } = noted(before, seen, at);
  const since = before?.since ?? reading.at;
  notes.set(key, { ...(before?.doubt && { doubt: before.doubt }), ...reading, since });
  return { agrees, contradicts: before !== undefined && before.seen !== seen, isOld: isUnexplained({ since }, at) };
}

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

export function commissionOf(id: string): string {
  return `${id} commission`;
}

/** That a payment was given back, as its record says without saying how much. */
export function returnOf(id: string): string {
  return `${id} return`;
}

/** What the order was before a person was told of it. */
export function standing({ status, statusBeforeReview }: RfOrder): RfOrderStatus | undefined {
  return status === 'needs_review' ? statusBeforeReview : status;
}

/** Whether the transaction is in the books or noted. If it is noted, the order is read again. */
export function isSeen({ payments, readings = {} }: RfOrder, transactionId: string): boolean {
  const id = transactionId.toLowerCase();
  const isBooked = payments.some((payment) => [payment, ...(payment.returns ?? [])].some((one) => idOf(one) === id));
  return isBooked || readings[id] !== undefined;
}

/** The same of what the platform keeps of a payment. */
export function isCommissionSeen({ payments, readings = {} }: RfOrder, transactionId: string): boolean {
  const id = transactionId.toLowerCase();
  const isBooked = payments.some((payment) => idOf(payment) === id && payment.commission !== undefined);
  return isBooked || readings[commissionOf(id)] !== undefined;
}

/** The same of how the order ended at the platform. */
export function isEndSeen(order: RfOrder): boolean {
  return standing(order) !== 'pending' || order.readings?.[aboutOrder.state] !== undefined;
}
