/**
 * Decides what the platform's records prove about a charge. Pure: it depends on the charge and on what was read.
 *
 * `declined` and `expired` need two readings some minutes apart, after the charge token has expired and everything late
 * must have arrived. Later proof of payment still corrects the status, but then nothing more is captured, and a hold is
 * voided.
 */

import { immediateCapture } from '../../payments/capture-plan.ts';
import type { Account } from '../../payments/items/account.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { TimelineEntry } from '../../payments/items/common.ts';
import { chargeEnded, chargeReportedUnpaid } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { chargeTransition } from '../../payments/transitions.ts';
import { replaced } from '../hold/transitions.ts';
import { type GivenBack, givenBack, refundedInPart } from '../records/given-back.ts';
import { type ExpectedPayment, type Payment, type Proof, paymentTypes } from '../records/proof.ts';
import { noted } from '../records/second-reading.ts';

/** The execution has captured or voided the hold by then. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/** After the charge token was created: 10 minutes until it expires, and `REFUSED_AFTER_MS`. */
const ABSENT_AFTER_MS = 30 * MINUTE_MS;
/**
 * After sending: 15 minutes for a late commit, 2 until the list shows it, and 3 for clocks that differ (docs/viva.md,
 * "Delays").
 */
const REFUSED_AFTER_MS = 20 * MINUTE_MS;
const PREAUTH_TYPE = 1;

/** What a payment of the charge must look like. */
export function expectedPayment({
  merchantId,
  chargeId,
  amount,
  currency,
  preauth,
  transactionId,
}: Charge): ExpectedPayment {
  const types = paymentTypes.charge.filter((type) => (type === PREAUTH_TYPE) === preauth);
  return { merchantId, id: chargeId, amount, currency, types, transactionId };
}

/** The patch that the proof leads to; undefined if nothing changes. `at`: milliseconds since the epoch. */
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
    case 'refusal':
    case 'nothing':
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
      const givenBackEntry = entry(at, `charge.${to}`, { refundedAmount });
      return chargeTransition(charge, to, { transactionId, refundedAmount }, seen, givenBackEntry);
    }
    case 'part':
      if (charge.transactionId === undefined) {
        return foundMade(charge, account, back, transactionId, seen);
      }
      return charge.status === 'needs_review'
        ? readable(charge, back, seen)
        : unlessEmpty({ ...refundedInPart(charge, back, 'charge.partly_refunded', at), ...named(charge, payment) });
  }
}

/** A capture that the status of its hold proved gets its id when its record is shown. */
function named(charge: Charge, { captures: [record, ...others] }: Payment): Patch<'charge'> {
  const nameless = charge.captures.find(
    ({ status, transactionId }) => status === 'done' && transactionId === undefined,
  );
  return nameless === undefined || record?.amount !== nameless.amount || others.length > 0
    ? {}
    : { captures: replaced(charge, { ...nameless, transactionId: record.transactionId }) };
}

function unlessEmpty(patch: Patch<'charge'>): Patch<'charge'> | undefined {
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The captures are not ours, so what was refunded of them says nothing about our charge. */
function otherCaptures(charge: Charge, taken: number, at: number): Patch<'charge'> | undefined {
  const { reading, agrees } = noted(charge.reading, `captured ${taken}`, at);
  const mismatch = entry(at, 'capture.mismatch', { amount: taken });
  return agrees
    ? chargeTransition(charge, 'needs_review', { failure: { code: 'AMOUNT_MISMATCH' } }, mismatch)
    : { reading };
}

/** The platform now shows how much was given back, so the review ends. */
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
  const { sentAt = '', ctokCreatedAt = sentAt } = charge;
  const isOver =
    proof.of === 'refusal'
      ? at >= Date.parse(sentAt) + REFUSED_AFTER_MS
      : at >= Date.parse(ctokCreatedAt) + ABSENT_AFTER_MS;
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

/** The transition of a charge that was made: to `charged`, or to `authorized` for a pre-authorization. */
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
    // A hold that was found late is voided at once and not captured.
    captureBefore: isLate ? made.at : iso(captureBeforeMs),
    ...(charge.capture === 'immediate' && !isLate && { captures: [immediateCapture(charge, made.at)] }),
    // If the execution ended without the hold, the reconciler starts another, to capture or void the hold.
    dueAt: flowEnded ? made.at : iso(flowMs + CAPTURE_GRACE_MS),
  };
  return chargeTransition(charge, 'authorized', hold, made);
}
