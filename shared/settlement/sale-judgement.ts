/**
 * What the platform's records prove about a sale: a pure function of the sale and of what was read. Every write that
 * follows is a move up the lattice, so readings may come in any order, lag behind, and be made again.
 *
 * Nobody is told `expired` or `declined` by one reading (see second-reading.ts), and what was told as over stays over: a
 * sale that is found paid after that is `paid`, and nothing more is charged for it.
 */
import type { Failure } from '../failures.ts';
import type { Sale, TimelineEntry } from '../items.ts';
import { type SaleStatus, salePaid, saleToldAsOver } from '../lifecycle.ts';
import { saleMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import { appended, entry } from '../timeline.ts';
import { type Asked, type Payment, type Proof, paymentTypes } from './proof.ts';
import { noted } from './second-reading.ts';

const MINUTE_MS = 60_000;
/** From the request: a commit may be 15 minutes late, and the list 2 minutes more. */
const ABSENT_AFTER_MS = 17 * MINUTE_MS;
/** The same for a session that is over: nothing more can happen to it, only the list may lag. */
const ABSENT_AFTER_SESSION_MS = 5 * MINUTE_MS;

export interface SaleEvidence {
  readonly proof: Proof;
  /** How the session ended, where it says so and proves nothing by itself. */
  readonly told?: { readonly status: SaleStatus; readonly failure: Failure } | undefined;
  /** Later sales of the same terminal and amount that are paid: named when this one is found paid late. */
  readonly laterSales?: readonly string[];
}

/** `transactionId`: only where it was read under this id. */
export function askedBy({ merchantId, saleId, amount, currency }: Sale, transactionId?: string): Asked {
  return { merchantId, id: saleId, amount, currency, types: paymentTypes.sale, transactionId };
}

export function judged(sale: Sale, evidence: SaleEvidence, at: number): Patch<'sale'> | undefined {
  const { proof } = evidence;
  switch (proof.of) {
    case 'payment':
      return paid(sale, proof, evidence.laterSales ?? [], at);
    case 'mismatch': {
      const { transactionId, statusId } = proof.record;
      const { code } = proof;
      const seen = entry(at, 'transaction.mismatch', { transactionId, statusId, code });
      const found = { failure: { code }, ...(code === 'AMOUNT_MISMATCH' && { transactionId }) };
      return wasPaid(sale) || sale.status === 'needs_review' ? undefined : saleMoved(sale, 'needs_review', found, seen);
    }
    case 'progress':
      return undefined;
    default:
      return notPaid(sale, proof, evidence.told, at);
  }
}

/** Money was taken for it: perhaps given back since, perhaps too late. */
function paid(sale: Sale, payment: Payment, laterSales: readonly string[], at: number): Patch<'sale'> | undefined {
  const { record, returned } = payment;
  const { transactionId, statusId } = record;
  const seen = entry(at, 'transaction.confirmed', { transactionId, statusId });
  if (returned.isHidden) {
    return hidden(sale, payment, at);
  }
  if (returned.amount >= sale.amount) {
    const to = returned.by === 'refund' ? 'refunded' : 'reversed';
    const back = entry(at, `sale.${to}`, { amount: returned.amount });
    return saleMoved(sale, to, { transactionId, refundedAmount: returned.amount }, seen, back);
  }
  const refund = returned.amount > (sale.refundedAmount ?? 0) && { refundedAmount: returned.amount };
  const entries: [...TimelineEntry[], TimelineEntry] = refund
    ? [seen, entry(at, 'sale.partly_refunded', { amount: returned.amount })]
    : [seen];
  if (wasPaid(sale)) {
    return refund
      ? { ...refund, reading: undefined, timeline: appended(sale.timeline, ...entries) }
      : sale.reading && { reading: undefined };
  }
  if (sale.status === 'unconfirmed') {
    return { transactionId, ...refund, reading: undefined, timeline: appended(sale.timeline, ...entries) };
  }
  const { statusBeforeReview: before = sale.status } = sale;
  if (salePaid(before)) {
    return saleMoved(sale, before, { transactionId, ...refund }, ...entries);
  }
  const isLate = saleToldAsOver(before);
  return saleMoved(
    sale,
    'paid',
    {
      transactionId,
      ...refund,
      tokenization: { status: sale.tokenize ? 'pending' : 'none' },
      ...(isLate && { foundLate: { at: new Date(at).toISOString(), laterSales } }),
    },
    ...entries,
  );
}

/** The record says that something was given back, and how much is not shown. Lists lag; a void gives all of it back. */
function hidden(sale: Sale, { record }: Payment, at: number): Patch<'sale'> | undefined {
  const { transactionId, statusId } = record;
  const { reading, agrees } = noted(sale.reading, `given back ${statusId}`, at);
  if (!agrees) {
    return { reading };
  }
  const seen = entry(at, 'sale.reversed', { transactionId, statusId });
  return statusId === 'X'
    ? saleMoved(sale, 'reversed', { transactionId, refundedAmount: sale.amount }, seen)
    : saleMoved(sale, 'needs_review', { transactionId, failure: { code: 'REFUND_UNREADABLE' } }, seen);
}

function notPaid(
  sale: Sale,
  proof: Extract<Proof, { of: 'nothing' | 'refusal' }>,
  told: SaleEvidence['told'],
  at: number,
): Patch<'sale'> | undefined {
  const isOpen = sale.transactionId === undefined && mayEndUnpaid(sale);
  if (!isOpen) {
    return undefined;
  }
  const { reading, agrees } = noted(sale.reading, proof.of === 'refusal' ? 'refused' : 'absent', at);
  const afterMs = told === undefined ? ABSENT_AFTER_MS : ABSENT_AFTER_SESSION_MS;
  if (!agrees || at < Date.parse(sale.requestedAt ?? sale.createdAt) + afterMs) {
    return reading === sale.reading ? undefined : { reading };
  }
  const { status, failure } = told ?? (proof.of === 'refusal' ? refused : timedOut);
  const detail = proof.of === 'refusal' ? { transactionId: proof.record.transactionId } : {};
  return saleMoved(sale, status, { failure }, entry(at, 'transaction.absent', detail));
}

const timedOut = { status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } } as const;
const refused = { status: 'declined', failure: { code: 'CARD_DECLINED' } } as const;

/** Nothing named a payment yet, so its absence can end it. */
function mayEndUnpaid({ status, failure }: Sale): boolean {
  return status === 'unconfirmed' || (status === 'needs_review' && failure?.code === 'TERMINAL_NOT_ANSWERING');
}

function wasPaid({ status }: Sale): boolean {
  return salePaid(status) || status === 'refunded' || status === 'reversed';
}
