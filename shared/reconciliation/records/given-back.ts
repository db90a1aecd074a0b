/**
 * What was given back of a payment, as far as it counts. A void gives back all and says so twice, in the original and in
 * its child; every other amount counts when a second reading agrees (see second-reading.ts). Whatever it was, the latest
 * two readings that agree are right, so a wrong one is corrected by the next.
 */
import type { Reading, TimelineEntry } from '../../payments/items.ts';
import { appended, entry } from '../../payments/timeline.ts';
import type { Payment } from './proof.ts';
import { noted } from './second-reading.ts';

export type GivenBack =
  /** Of the amount, so far; `reading` is another one that waits for a second reading. */
  | { readonly of: 'part'; readonly amount: number; readonly reading: Reading | undefined }
  | { readonly of: 'whole'; readonly to: 'refunded' | 'reversed'; readonly amount: number }
  /** Perhaps all of it: until a second reading nothing may go on. */
  | { readonly of: 'unsure'; readonly reading: Reading }
  /** Something, and the platform does not show how much. */
  | { readonly of: 'unreadable' };

interface Known {
  readonly refundedAmount?: number;
  readonly reading?: Reading;
}

/** `taken`: minor units, what can be given back. */
export function givenBack(known: Known, { record, returned }: Payment, taken: number, at: number): GivenBack {
  const { amount, by, isHidden } = returned;
  const { refundedAmount = 0 } = known;
  if (!isHidden && amount === refundedAmount && amount < taken) {
    return { of: 'part', amount, reading: undefined };
  }
  const isVoid = record.statusId === 'X';
  const { reading, agrees } = noted(known.reading, `given back ${isHidden ? record.statusId : amount}`, at);
  if (isHidden) {
    const end = isVoid ? ({ of: 'whole', to: 'reversed', amount: taken } as const) : ({ of: 'unreadable' } as const);
    return agrees ? end : { of: 'unsure', reading };
  }
  if (amount >= taken) {
    const to = by === 'refund' ? 'refunded' : 'reversed';
    return agrees || isVoid ? { of: 'whole', to, amount } : { of: 'unsure', reading };
  }
  return agrees ? { of: 'part', amount, reading: undefined } : { of: 'part', amount: refundedAmount, reading };
}

/** The part of a patch that keeps it, for a payment that is known; undefined when there is nothing new. */
export function refundedInPart(
  item: Known & { readonly timeline: readonly TimelineEntry[] },
  { amount, reading }: Extract<GivenBack, { of: 'part' }>,
  event: 'sale.partly_refunded' | 'charge.partly_refunded',
  at: number,
) {
  if (amount !== (item.refundedAmount ?? 0)) {
    const told = entry(at, event, { refundedAmount: amount });
    return { refundedAmount: amount, reading, timeline: appended(item.timeline, told) };
  }
  return reading === item.reading ? undefined : { reading };
}
