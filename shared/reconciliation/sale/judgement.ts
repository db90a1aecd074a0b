/**
 * Decides what the platform's records prove about a sale. Pure: it depends on the sale and on what was read. Every result
 * is a transition that the lifecycle allows, so readings may be late, repeated and in any order.
 *
 * `expired` and `declined` need two readings (see second-reading.ts). A sale that is found paid after we reported it as
 * unpaid becomes `paid`, but nothing more is charged for it.
 */

import type { Failure } from '../../payments/failures.ts';
import type { TimelineEntry } from '../../payments/items/common.ts';
import type { Sale } from '../../payments/items/sale.ts';
import { type SaleStatus, saleMoney, salePaid, saleReportedUnpaid, wasTaken } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { appended, entry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import { givenBack, refundedInPart } from '../records/given-back.ts';
import { type ExpectedPayment, type Payment, type Proof, paymentTypes } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

/** After the request: 15 minutes for a late commit, and 2 until the list shows it (docs/viva.md, "Delays"). */
const ABSENT_AFTER_MS = 17 * MINUTE_MS;
/** The same for a session that has ended: only the list may lag. */
const ABSENT_AFTER_SESSION_MS = 5 * MINUTE_MS;

export interface SaleEvidence {
  readonly proof: Proof;
  /** How the session ended unpaid, if it says so without proof. */
  readonly reported?: { readonly status: SaleStatus; readonly failure: Failure } | undefined;
  /** Ids of later paid sales with the same terminal and amount, stored if this one is found paid late. */
  readonly laterSales?: readonly string[];
}

/** What a payment of the sale must look like. `transactionId`: given only if it was read under this id. */
export function expectedPayment(
  { merchantId, saleId, amount, currency }: Sale,
  transactionId?: string,
): ExpectedPayment {
  return { merchantId, id: saleId, amount, currency, types: paymentTypes.sale, transactionId };
}

/** The patch that the evidence leads to; undefined if nothing changes. `at`: milliseconds since the epoch. */
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
      const { statusBeforeReview: before = sale.status } = sale;
      if (wasTaken(saleMoney(before)) || sale.failure?.code === code) {
        return undefined;
      }
      return saleTransition(sale, 'needs_review', found, seen) ?? { ...found, timeline: appended(sale.timeline, seen) };
    }
    case 'progress':
      return undefined;
    case 'refusal':
    case 'nothing':
      return notPaid(sale, proof, evidence.reported, at);
  }
}

/** Money was taken. It may have been given back since, and it may have come late. */
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
      return wasTaken(saleMoney(sale.status))
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
  reported: SaleEvidence['reported'],
  at: number,
): Patch<'sale'> | undefined {
  const isOpen = sale.transactionId === undefined && mayEndUnpaid(sale);
  if (!isOpen) {
    return undefined;
  }
  const { reading, agrees } = noted(sale.reading, proof.of === 'refusal' ? 'refused' : 'absent', at);
  const afterMs = reported === undefined ? ABSENT_AFTER_MS : ABSENT_AFTER_SESSION_MS;
  if (!agrees || at < Date.parse(sale.requestedAt ?? sale.createdAt) + afterMs) {
    return reading === sale.reading ? undefined : { reading };
  }
  const { status, failure } = reported ?? (proof.of === 'refusal' ? refused : timedOut);
  const detail = proof.of === 'refusal' ? { transactionId: proof.record.transactionId } : {};
  return saleTransition(sale, status, { failure }, entry(at, 'transaction.absent', detail));
}

const timedOut = { status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } } as const;
const refused = { status: 'declined', failure: { code: 'CARD_DECLINED' } } as const;

/** Whether the absence of a payment can end the sale: nothing has named a payment yet. */
function mayEndUnpaid({ status, failure }: Sale): boolean {
  return status === 'unconfirmed' || (status === 'needs_review' && failure?.code === 'TERMINAL_NOT_ANSWERING');
}
