/**
 * What about a hold is not known, and what the platform's records say of it: captured, given back, or still standing.
 */
import type { Capture, Charge } from '../../payments/items.ts';
import type { TransactionRecord } from '../../viva/viva.ts';
import { isReferenced, isTaken, mismatchOf, paymentsIn } from '../records/proof.ts';

const PREAUTH_TYPES = [1];
const CAPTURE_TYPE = 0;

/** What became of a capture or a void that was sent, or what a person was asked about. */
export type HoldQuestion =
  | { readonly of: 'capture'; readonly capture: Capture; readonly sentAt: string }
  | { readonly of: 'void'; readonly sentAt: string }
  | { readonly of: 'review' };

export type HoldSeen =
  /** As we asked. */
  | { readonly is: 'captured'; readonly capture: Capture; readonly record: TransactionRecord }
  /** By somebody, but not as we asked. */
  | { readonly is: 'taken'; readonly amount: number }
  /** `hidden`: captured, and no capture is shown. `standing`: neither captured nor given back. */
  | { readonly is: 'hidden' | 'released' | 'standing' | 'unclear' };

/** Undefined where nothing is open. */
export function holdQuestion(charge: Charge): HoldQuestion | undefined {
  const { status, statusBeforeReview, transactionId, voidSentAt, captures } = charge;
  const inReview = status === 'needs_review' && statusBeforeReview === 'authorized';
  if (transactionId === undefined || !(status === 'authorized' || inReview)) {
    return undefined;
  }
  const capture = captures.find((one) => one.status === 'unknown' || one.status === 'pending');
  if (capture?.sentAt !== undefined) {
    return { of: 'capture', capture, sentAt: capture.sentAt };
  }
  if (voidSentAt !== undefined) {
    return { of: 'void', sentAt: voidSentAt };
  }
  return inReview ? { of: 'review' } : undefined;
}

/** The hold stands as far as we know, and nothing we sent about it is open. */
export function isIdle(charge: Charge): boolean {
  return charge.status === 'authorized' && charge.transactionId !== undefined && holdQuestion(charge) === undefined;
}

/** Whether nothing was sent or answered between two readings. */
export function isSameQuestion(one: HoldQuestion | undefined, other: HoldQuestion): boolean {
  const key = (question: HoldQuestion | undefined) =>
    JSON.stringify([
      question?.of,
      question && 'sentAt' in question ? question.sentAt : '',
      question?.of === 'capture' ? question.capture.captureId : '',
    ]);
  return key(one) === key(other);
}

/** `records`: the hold, and whatever was found of its children. */
export function holdSeen(charge: Charge, records: readonly TransactionRecord[]): HoldSeen {
  const captures = records.filter((record) => isCaptureOf(charge, record));
  const taken = captures.filter(isTaken);
  const [first, ...others] = taken;
  if (first !== undefined) {
    const capture = others.length === 0 ? captureBehind(charge, first) : undefined;
    return capture === undefined
      ? { is: 'taken', amount: taken.reduce((sum, { amount }) => sum + amount, 0) }
      : { is: 'captured', capture, record: first };
  }
  const hold = paymentsIn(records).find(({ record }) => isSameId(record.transactionId, charge.transactionId));
  const asked = { ...charge, id: charge.chargeId, types: PREAUTH_TYPES };
  const isUndecided = captures.length > 0; // one that has not finished, or failed and may still go through
  if (isUndecided || hold === undefined || mismatchOf(asked, hold.record) !== undefined) {
    return { is: 'unclear' };
  }
  if (hold.record.statusId === 'X' || hold.returned.amount >= charge.amount) {
    return { is: 'released' };
  }
  const isUntouched = hold.record.statusId === 'F' && hold.returned.amount === 0;
  return { is: isUntouched ? 'standing' : hold.record.statusId === 'C' ? 'hidden' : 'unclear' };
}

function isCaptureOf({ transactionId, merchantId, currency }: Charge, record: TransactionRecord): boolean {
  return (
    record.transactionTypeId === CAPTURE_TYPE &&
    isSameId(record.parentId, transactionId) &&
    isSameId(record.merchantId, merchantId) &&
    record.currency === currency
  );
}

/** Some accounts' captures carry the reference of the hold: then the amount has to do, of one that may have been sent. */
function captureBehind(charge: Charge, record: TransactionRecord): Capture | undefined {
  const { merchantTrns = '' } = record;
  const named = charge.captures.find(({ captureId }) => isReferenced(record, captureId));
  const question = holdQuestion(charge);
  const unnamed = merchantTrns === '' || isReferenced(record, charge.chargeId);
  const capture = named ?? (unnamed && question?.of === 'capture' ? question.capture : undefined);
  return capture?.amount === record.amount ? capture : undefined;
}

function isSameId(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase();
}
