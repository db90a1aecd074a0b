/**
 * What the platform's records prove about an RF order: a pure function of the order and of what was read. books.ts says
 * what counts. This file makes it a status, and the time of the next read.
 */

import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder, RfPayment, TimelineEntry } from '../../payments/items.ts';
import type { RfOrderStatus } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, iso } from '../../payments/time.ts';
import { appended, entry } from '../../payments/timeline.ts';
import { rfOrderTransition } from '../../payments/transitions.ts';
import { idOf } from '../records/proof.ts';
import { booked, type RfBooks, type RfEvidence } from './books.ts';
import { isAboutTransaction, standing } from './notes.ts';
import { otherCodesIn } from './other-orders.ts';
import { isPastRest, nextRead } from './schedule.ts';

/** A review because of a doubt may end by itself for so long. */
const REVIEW_READ_MS = DAY_MS;

interface Verdict {
  readonly status: RfOrderStatus;
  /** Of a review. */
  readonly failure?: FailureCode;
  /** Of a review: a later reading may explain it. */
  readonly settles?: boolean;
}

export function judged(order: RfOrder, evidence: RfEvidence, at: number): Patch<'rf-order'> {
  const books = booked(order, evidence, at);
  const news = newsOf(order, books, at);
  const verdict = verdictOf(order, books, at);
  const known = otherCodesIn(order, evidence.records);
  const kept = {
    readings: Object.keys(books.readings).length > 0 ? books.readings : undefined,
    ...(known.length > 0 && { otherCodes: known }),
  };
  const changed = { ...kept, ...(news.length > 0 && sumsOf(order, books)), ...reviewed(order, verdict, at) };
  const detail = { amountPaid: left(books.payments), ...(verdict.failure && { code: verdict.failure }) };
  const moved = rfOrderTransition(
    order,
    verdict.status,
    changed,
    ...news,
    entry(at, `rf_order.${verdict.status}`, detail),
  );
  const patch = moved ?? { ...changed, ...(news.length > 0 && { timeline: appended(order.timeline, ...news) }) };
  const next = { ...order, ...patch } as RfOrder;
  return { ...patch, dueAt: earliest(waitingToTell(next), nextRead(next, at)) };
}

/** What is shown of a review, where it is another one than before. */
function reviewed(order: RfOrder, { failure, settles = false }: Verdict, at: number): Patch<'rf-order'> {
  if (failure === undefined) {
    return {};
  }
  const isKnown = order.status === 'needs_review';
  const until = isKnown ? order.reconciledUntil : iso(at + REVIEW_READ_MS);
  const isOver = !settles || (until !== undefined && Date.parse(until) <= at);
  const reconciledUntil = isOver ? undefined : until;
  return {
    ...(order.failure?.code !== failure && { failure: { code: failure } }),
    ...(order.reconciledUntil !== reconciledUntil && { reconciledUntil }),
  };
}

function sumsOf(order: RfOrder, { payments }: RfBooks): Patch<'rf-order'> {
  const amountPaid = left(payments);
  const commission = payments.reduce((sum, { commission: share = 0 }) => sum + share, 0);
  return {
    payments,
    amountPaid,
    overpaid: amountPaid > order.amount,
    ...(commission > 0 && { commission }),
    late: payments.some((payment) => order.expiresAt !== undefined && payment.at > order.expiresAt),
  };
}

function newsOf(order: RfOrder, { payments, readings }: RfBooks, at: number): TimelineEntry[] {
  const seen = Object.keys(readings)
    .filter((key) => isAboutTransaction(key) && order.readings?.[key] === undefined)
    .map((key) => entry(at, 'rf_order.transaction_seen', { transactionId: key, seen: readings[key]?.seen ?? '' }));
  return [
    ...payments.flatMap((payment) => {
      const { transactionId, amount, returned = 0, commission } = payment;
      const known = order.payments.find((one) => idOf(one) === idOf(payment));
      const more = returned - (known?.returned ?? 0);
      return [
        ...(known === undefined ? [entry(at, 'rf_order.payment_received', { transactionId, amount })] : []),
        ...(known !== undefined && known.amount !== amount
          ? [entry(at, 'rf_order.payment_corrected', { transactionId, amount })]
          : []),
        ...(more > 0 ? [entry(at, 'rf_order.payment_returned', { transactionId, amount: more })] : []),
        ...(commission !== undefined && commission !== known?.commission
          ? [entry(at, 'rf_order.commission_calculated', { transactionId, amount: commission })]
          : []),
      ];
    }),
    ...seen,
  ];
}

function verdictOf(order: RfOrder, { payments, readings, end }: RfBooks, at: number): Verdict {
  const before = standing(order) ?? 'pending';
  const isPaidAgain = payments.length > order.payments.length || order.failure?.code === 'RF_PAID_AFTER_RETURN';
  if (before === 'reversed' && isPaidAgain) {
    return { status: 'needs_review', failure: 'RF_PAID_AFTER_RETURN' };
  }
  const doubted = Object.values(readings).find(({ doubt }) => doubt !== undefined)?.doubt;
  if (doubted !== undefined) {
    return { status: 'needs_review', failure: doubted, settles: true };
  }
  return payments.length > 0 && before !== 'reversed'
    ? paidVerdict(order, payments, before, at)
    : { status: end ?? before };
}

function paidVerdict(order: RfOrder, payments: readonly RfPayment[], before: RfOrderStatus, at: number): Verdict {
  const amountPaid = left(payments);
  if (amountPaid >= order.amount) {
    return { status: 'paid' };
  }
  const returned = payments.reduce((sum, one) => sum + (one.returned ?? 0), 0);
  if (amountPaid === 0 || (before === 'paid' && returned > 0)) {
    return { status: 'reversed' };
  }
  if (before === 'paid') {
    return { status: 'needs_review', failure: 'AMOUNT_MISMATCH' }; // paid by what was less, as the platform says now
  }
  return isPastRest(order, at) ? { status: 'needs_review', failure: 'RF_UNDERPAID' } : { status: 'partially_paid' };
}

function left(payments: readonly RfPayment[]): number {
  return payments.reduce((sum, { amount, returned = 0 }) => sum + amount - returned, 0);
}

/** Events that are not published yet keep the order due. */
function waitingToTell({ outbox = [], dueAt }: RfOrder): string | undefined {
  return outbox.length > 0 ? dueAt : undefined;
}

export function earliest(...times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0];
}
