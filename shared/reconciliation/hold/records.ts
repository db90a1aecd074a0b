/** What is not known about a hold, and what the platform's records say about it. All functions are pure. */
import type { Capture, Charge } from '../../payments/items/charge.ts';
import type { TransactionRecord } from '../../viva/viva.ts';
import { isReferenced, isTaken, mismatchOf, paymentsIn } from '../records/proof.ts';

const PREAUTH_TYPES = [1];
const CAPTURE_TYPE = 0;

/** What is not known: the outcome of a capture or a void that was sent, or the state of a hold in review. */
export type HoldQuestion =
  | { readonly of: 'capture'; readonly capture: Capture; readonly sentAt: string }
  | { readonly of: 'void'; readonly sentAt: string }
  | { readonly of: 'review' };

/** What one reading says about the hold. */
export type HoldSeen =
  /** Captured as we requested. */
  | { readonly is: 'captured'; readonly capture: Capture; readonly record: TransactionRecord }
  /** Captured, but not as we requested. */
  | { readonly is: 'taken'; readonly amount: number }
  /** `hidden`: captured, and no capture is shown. `standing`: neither captured nor released. */
  | { readonly is: 'hidden' | 'released' | 'standing' | 'unclear' };

/** Undefined if nothing is open. */
export function holdQuestion(charge: Charge): HoldQuestion | undefined {
  const { status, statusBeforeReview, transactionId, voidSentAt, captures } = charge;
  const inReview = status === 'needs_review' && statusBeforeReview === 'authorized';
  if (transactionId === undefined || !(status === 'authorized' || inReview)) {
    return undefined;
  }
  const capture = captures.find(isOpenCapture);
  if (capture?.sentAt !== undefined) {
    return { of: 'capture', capture, sentAt: capture.sentAt };
  }
  if (voidSentAt !== undefined) {
    return { of: 'void', sentAt: voidSentAt };
  }
  return inReview ? { of: 'review' } : undefined;
}

const isOpen: Readonly<Record<Capture['status'], boolean>> = {
  pending: true,
  unknown: true,
  done: false,
  refused: false,
};

/** Whether it is not known yet if the capture is made. */
export function isOpenCapture({ status }: Capture): boolean {
  return isOpen[status];
}

/** Whether the charge is authorized and nothing that we sent about the hold is open. */
export function isIdle(charge: Charge): boolean {
  return charge.status === 'authorized' && charge.transactionId !== undefined && holdQuestion(charge) === undefined;
}

/** Whether both ask about the same call, so that nothing was sent or answered in between. */
export function isSameQuestion(one: HoldQuestion | undefined, other: HoldQuestion): boolean {
  const key = (question: HoldQuestion | undefined) =>
    JSON.stringify([
      question?.of,
      question && 'sentAt' in question ? question.sentAt : '',
      question?.of === 'capture' ? question.capture.captureId : '',
    ]);
  return key(one) === key(other);
}

/** `records`: the hold and those of its children that were found. */
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
  const expected = { ...charge, id: charge.chargeId, types: PREAUTH_TYPES };
  const isUndecided = captures.length > 0; // a capture that is in progress, or failed and may still be made
  if (isUndecided || hold === undefined || mismatchOf(expected, hold.record) !== undefined) {
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

/**
 * Our capture behind a record; undefined if it is not ours. On some accounts a capture carries the reference of the hold:
 * then it is ours if one was sent with this amount.
 */
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
