/**
 * Decides how much of a payment counts as given back. A void is proven by one reading, because the original and its child
 * both say so. Every other amount counts when a second reading agrees (see second-reading.ts), also if it corrects an
 * amount that counted before. All functions are pure.
 */
import type { Reading, TimelineEntry } from '../../payments/items/common.ts';
import { appended, entry } from '../../payments/timeline.ts';
import type { Payment } from './proof.ts';
import { noted } from './second-reading.ts';

export type GivenBack =
  /** `amount` (perhaps 0) counts as given back. `reading` says another amount and waits for a second reading. */
  | { readonly of: 'part'; readonly amount: number; readonly reading: Reading | undefined }
  | { readonly of: 'whole'; readonly to: 'refunded' | 'reversed'; readonly amount: number }
  /** Perhaps all of it was given back. Nothing else is decided before a second reading. */
  | { readonly of: 'unsure'; readonly reading: Reading }
  /** Something was given back, and the platform does not show how much. */
  | { readonly of: 'unreadable' };

interface Known {
  readonly refundedAmount?: number;
  readonly reading?: Reading;
}

/** `taken`: the most that can be given back, in minor units. */
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

/** The patch that stores a partial refund of a payment that is known; undefined if nothing changes. */
export function refundedInPart(
  item: Known & { readonly timeline: readonly TimelineEntry[] },
  { amount, reading }: Extract<GivenBack, { of: 'part' }>,
  event: 'sale.partly_refunded' | 'charge.partly_refunded',
  at: number,
) {
  if (amount !== (item.refundedAmount ?? 0)) {
    const refund = entry(at, event, { refundedAmount: amount });
    return { refundedAmount: amount, reading, timeline: appended(item.timeline, refund) };
  }
  return reading === item.reading ? undefined : { reading };
}
