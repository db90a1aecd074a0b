/**
 * What the platform's records prove about a sale: a pure function of the sale and of what was read. Every write is a
 * transition up the lattice, so readings may come in any order, lag behind and be repeated.
 *
 * One reading never makes a sale `expired` or `declined` (see second-reading.ts). A sale that was reported as over and
 * is then found paid is `paid`, and nothing more is charged for it.
 */

import type { Failure } from '../../payments/failures.ts';
import type { Sale, TimelineEntry } from '../../payments/items.ts';
import { type SaleStatus, saleMoney, salePaid, saleReportedUnpaid, wasTaken } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { appended, entry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import { givenBack, refundedInPart } from '../records/given-back.ts';
import { type Asked, type Payment, type Proof, paymentTypes } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

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
      return wasPaid(sale) || sale.status === 'needs_review'
        ? undefined
        : saleTransition(sale, 'needs_review', found, seen);
    }
    case 'progress':
      return undefined;
    default:
      return notPaid(sale, proof, evidence.told, at);
  }
}

/** Money was taken for it: perhaps given back since, perhaps too late. */
function paid(sale: Sale, payment: Payment, laterSales: readonly string[], at: number): Patch<'sale'> | undefined {
  const { transactionId, statusId } = payment.record;
  const seen = entry(at, 'transaction.confirmed', { transactionId, statusId });
  const back = givenBack(sale, payment, sale.amount, at);
  switch (back.of) {
    case 'unsure':
      return back.reading === sale.reading ? undefined : { reading: back.reading };
    case 'unreadable':
      return saleTransition(sale, 'needs_review', { transactionId, failure: { code: 'REFUND_UNREADABLE' } }, seen);
    case 'whole': {
      const { to, amount: refundedAmount } = back;
      return saleTransition(
        sale,
        to,
        { transactionId, refundedAmount },
        seen,
        entry(at, `sale.${to}`, { refundedAmount }),
      );
    }
    case 'part':
      return wasPaid(sale)
        ? refundedInPart(sale, back, 'sale.partly_refunded', at)
        : foundPaid(sale, { transactionId, refundedAmount: back.amount, reading: back.reading }, laterSales, seen);
  }
}

function foundPaid(
  sale: Sale,
  proven: Patch<'sale'>,
  laterSales: readonly string[],
  seen: TimelineEntry,
): Patch<'sale'> | undefined {
  const { statusBeforeReview: before = sale.status } = sale;
  if (sale.status === 'unconfirmed') {
    return { ...proven, timeline: appended(sale.timeline, seen) };
  }
  if (salePaid(before)) {
    return saleTransition(sale, before, proven, seen);
  }
  const tokenization = { status: sale.tokenize ? 'pending' : 'none' } as const;
  const late = saleReportedUnpaid(before) && { foundLate: { at: seen.at, laterSales } };
  return saleTransition(sale, 'paid', { ...proven, tokenization, ...late }, seen);
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
  return saleTransition(sale, status, { failure }, entry(at, 'transaction.absent', detail));
}

const timedOut = { status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } } as const;
const refused = { status: 'declined', failure: { code: 'CARD_DECLINED' } } as const;

/** Nothing named a payment yet, so its absence can end it. */
function mayEndUnpaid({ status, failure }: Sale): boolean {
  return status === 'unconfirmed' || (status === 'needs_review' && failure?.code === 'TERMINAL_NOT_ANSWERING');
}

function wasPaid({ status }: Sale): boolean {
  return wasTaken(saleMoney(status));
}
