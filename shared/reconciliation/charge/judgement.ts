/**
 * What the platform's records prove about a charge: a pure function of the charge and of what was read.
 *
 * Two readings some minutes apart must show that it was refused or never made, after its only charge token has expired
 * and nothing can arrive late any more. Then it ends `declined` or `expired`. Proof of payment may still overtake that.
 * Nothing more is taken for a charge that was reported as over, and a hold is given back.
 */

import { immediateCapture } from '../../payments/capture-plan.ts';
import type { Account, Charge, TimelineEntry } from '../../payments/items.ts';
import { chargeEnded, chargeReportedUnpaid } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { chargeTransition } from '../../payments/transitions.ts';
import { type GivenBack, givenBack, refundedInPart } from '../records/given-back.ts';
import { type Asked, type Payment, type Proof, paymentTypes } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

/** The flow has captured the hold by then, or given it back. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/**
 * Of the charge token: 10 minutes until it is dead, 15 for a late commit, 2 until the list shows it, 3 for the clocks.
 */
const ABSENT_AFTER_MS = 30 * MINUTE_MS;
/** From sending it: 15 minutes for a late commit, 2 until the list shows it, 3 for the clocks. */
const REFUSED_AFTER_MS = 20 * MINUTE_MS;
const PREAUTH_TYPE = 1;

export function askedBy({ merchantId, chargeId, amount, currency, preauth, transactionId }: Charge): Asked {
  const types = paymentTypes.charge.filter((type) => (type === PREAUTH_TYPE) === preauth);
  return { merchantId, id: chargeId, amount, currency, types, transactionId };
}

export function judged(charge: Charge, proof: Proof, account: Account, at: number): Patch<'charge'> | undefined {
  switch (proof.of) {
    case 'payment':
      return made(charge, proof, account, at);
    case 'mismatch': {
      const { transactionId, statusId } = proof.record;
      const { code } = proof;
      const seen = entry(at, 'transaction.mismatch', { transactionId, statusId, code });
      return charge.transactionId === undefined && charge.failure?.code !== code
        ? (chargeTransition(charge, 'needs_review', { failure: { code } }, seen) ?? { failure: { code } })
        : undefined;
    }
    case 'progress':
      return undefined;
    default:
      return charge.transactionId === undefined ? notMade(charge, proof, at) : undefined;
  }
}

function made(charge: Charge, payment: Payment, account: Account, at: number): Patch<'charge'> | undefined {
  const { transactionId, statusId } = payment.record;
  const seen = entry(at, 'transaction.found', { transactionId, statusId });
  const taken = payment.captures.reduce((sum, { amount }) => sum + amount, 0);
  if (charge.capturedAmount > 0 && taken > 0 && taken !== charge.capturedAmount) {
    return otherCaptures(charge, taken, at);
  }
  const back = givenBack(charge, payment, charge.capturedAmount || charge.amount, at);
  switch (back.of) {
    case 'unsure':
      return back.reading === charge.reading ? undefined : { reading: back.reading };
    case 'unreadable':
      return chargeTransition(charge, 'needs_review', { transactionId, failure: { code: 'REFUND_UNREADABLE' } }, seen);
    case 'whole': {
      const { to, amount: refundedAmount } = back;
      const told = entry(at, `charge.${to}`, { refundedAmount });
      return chargeTransition(charge, to, { transactionId, refundedAmount }, seen, told);
    }
    case 'part':
      if (charge.transactionId === undefined) {
        return foundMade(charge, account, back, transactionId, seen);
      }
      return charge.status === 'needs_review'
        ? readable(charge, back, seen)
        : refundedInPart(charge, back, 'charge.partly_refunded', at);
  }
}

/** Not what we captured: what was given back of it says nothing. */
function otherCaptures(charge: Charge, taken: number, at: number): Patch<'charge'> | undefined {
  const { reading, agrees } = noted(charge.reading, `captured ${taken}`, at);
  const told = entry(at, 'capture.mismatch', { amount: taken });
  return agrees
    ? chargeTransition(charge, 'needs_review', { failure: { code: 'AMOUNT_MISMATCH' } }, told)
    : { reading };
}

/** What was given back is shown after all: the review ends. */
function readable(charge: Charge, { amount, reading }: PartBack, seen: TimelineEntry): Patch<'charge'> | undefined {
  const { statusBeforeReview: before = charge.status } = charge;
  return chargeTransition(charge, before, { refundedAmount: amount, reading }, seen);
}

type PartBack = Extract<GivenBack, { of: 'part' }>;

function foundMade(
  charge: Charge,
  account: Account,
  { amount, reading }: PartBack,
  transactionId: string,
  seen: TimelineEntry,
): Patch<'charge'> | undefined {
  const patch = chargeMade(charge, account, transactionId, seen);
  return patch && { ...patch, refundedAmount: amount, reading };
}

function notMade(charge: Charge, proof: Exclude<Proof, { of: 'payment' | 'mismatch' }>, at: number) {
  if (chargeEnded(charge.status) && charge.status !== 'needs_review') {
    return undefined;
  }
  const { reading, agrees } = noted(charge.reading, proof.of === 'refusal' ? 'refused' : 'absent', at);
  const { sentAt = '', bornAt = sentAt } = charge;
  const isOver =
    proof.of === 'refusal' ? at >= Date.parse(sentAt) + REFUSED_AFTER_MS : at >= Date.parse(bornAt) + ABSENT_AFTER_MS;
  if (!agrees || !isOver) {
    return reading === charge.reading ? undefined : { reading };
  }
  return proof.of === 'refusal'
    ? chargeTransition(
        charge,
        'declined',
        { failure: { code: 'CARD_DECLINED' }, sealed: true },
        entry(at, 'charge.declined', { transactionId: proof.record.transactionId }),
      )
    : chargeTransition(
        charge,
        'expired',
        { failure: { code: 'CHARGE_EXPIRED' }, sealed: true },
        entry(at, 'charge.absent'),
      );
}

/** The card was charged, or the amount is held: what that means for the charge. */
export function chargeMade(
  charge: Charge,
  account: Account,
  transactionId: string,
  made: TimelineEntry,
): Patch<'charge'> | undefined {
  const isLate = chargeReportedUnpaid(charge.status) || chargeReportedUnpaid(charge.statusBeforeReview);
  const late = isLate && { foundLate: { at: made.at, laterSales: [] } };
  if (!charge.preauth) {
    return chargeTransition(charge, 'charged', { transactionId, ...late }, made);
  }
  const captureBeforeMs = Date.parse(charge.sentAt ?? made.at) + account.captureDays * DAY_MS;
  const flowEnded = chargeEnded(charge.status);
  const flowMs = charge.capture === 'immediate' ? Date.parse(made.at) : captureBeforeMs;
  const hold = {
    transactionId,
    authorizedAmount: charge.amount,
    ...late,
    // A hold of a charge that was reported as over is given back at once and not captured.
    captureBefore: isLate ? made.at : iso(captureBeforeMs),
    ...(charge.capture === 'immediate' && !isLate && { captures: [immediateCapture(charge, made.at)] }),
    // A flow that ended without the hold has to be taken up again, to capture it or to give it back.
    dueAt: flowEnded ? made.at : iso(flowMs + CAPTURE_GRACE_MS),
  };
  return chargeTransition(charge, 'authorized', hold, made);
}
