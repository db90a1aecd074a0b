/**
 * Decides what the platform's records prove about a payment of ours: one pure function for sales, charges and RF orders,
 * for reads by id, lists and webhooks.
 *
 * Only an original proves a payment: a record without a parent, of a payment's type, with our reference and our merchant.
 * Its children (captures, voids, refunds, reversals) have a parent, and often the same reference and amount. They prove
 * only what became of the original. A payment with another amount or currency needs a review, because a tip or a surcharge
 * may explain it. It never counts as absent.
 *
 * | status | what it proves (docs/viva.md, "Transactions") |
 * |---|---|
 * | F | the payment was made, or the hold stands |
 * | C | the hold was made and captured; the capture is a child of type 0 |
 * | R | the payment was made; some or all of it was given back, as its children say |
 * | X | the payment was made and all of it was given back |
 * | M, MA, MI, MS, MW | the payment was made; the payer disputes it, or has lost the dispute (MW) |
 * | ML | the payment was made; the payer won the dispute; it was given back as its children say |
 * | A | nothing yet |
 * | E | nothing alone: E may become F later, so it is one reading of a refusal (see second-reading.ts) |
 * | any other | nothing yet |
 */
import type { FailureCode } from '../../payments/failures.ts';
import type { TransactionRecord } from '../../viva/viva.ts';

/** What we requested: what a payment of ours must look like. */
export interface ExpectedPayment {
  readonly merchantId: string;
  /** Our id. The reference of the payment ends with it. */
  readonly id: string;
  /** The id that the platform gave for the payment. The record with this id must be the payment. */
  readonly transactionId?: string | undefined;
  /** Minor units. */
  readonly amount: number;
  /** ISO 4217 letters. */
  readonly currency: string;
  /** The transaction types that the original may have: see `paymentTypes`. */
  readonly types: readonly number[];
}

/** An original and its children. */
export interface Payment {
  readonly record: TransactionRecord;
  /** Finished captures of a hold, even if they were given back later. */
  readonly captures: readonly TransactionRecord[];
  /** Finished children that gave money back. */
  readonly returns: readonly TransactionRecord[];
  readonly returned: Returned;
}

export interface Returned {
  /** Minor units: the sum of the children, at most the amount taken. */
  readonly amount: number;
  /** `refund`: requested by us or by somebody else (types 4, 11, 18). `platform`: any other return, such as a void. */
  readonly by: 'nobody' | 'refund' | 'platform';
  /** A status says that something was given back, and no child shows it: lists lag, and a read by id has no children. */
  readonly isHidden: boolean;
  /** A status says that something was given back, and the children that were read do not show all of it. */
  readonly mayBeMore: boolean;
}

export type Proof =
  | { readonly of: 'nothing' }
  /** The payment is in progress. */
  | { readonly of: 'progress'; readonly record: TransactionRecord }
  /** One reading of a failure. */
  | { readonly of: 'refusal'; readonly record: TransactionRecord }
  | { readonly of: 'mismatch'; readonly record: TransactionRecord; readonly code: FailureCode }
  /** `also`: other originals with the same reference that took money. A person must refund them. */
  | ({ readonly of: 'payment'; readonly also: readonly TransactionRecord[] } & Payment);

/** Pre-authorization. */
const PREAUTH = 1;
const CAPTURE = 0;
/** Card charges, charges with instalments or by wallet, and the other ways to pay at a terminal. */
const TERMINAL_TYPES = [5, 6, 9, 20, 27, 40, 48, 52, 60, 62, 64, 70, 74, 78];
export const paymentTypes = {
  sale: TERMINAL_TYPES,
  charge: [PREAUTH, 5, 6],
  bankTransfer: [15],
} as const satisfies Record<string, readonly number[]>;

/** Refunds of a card charge, of a wallet charge and of an instalment. */
const REFUND_TYPES: readonly (number | undefined)[] = [4, 11, 18];
/** Types of children that take money. A charge made from an earlier one has that one as its parent. */
const TAKING_TYPES: readonly (number | undefined)[] = [CAPTURE, 5, 6];

/** `records`: all records that were read, children included, from one list or several. */
export function provePayment(expected: ExpectedPayment, records: readonly TransactionRecord[]): Proof {
  const candidates = candidatesFor(expected, records);
  const weight = ({ record }: Payment) => weightOf(record, mismatchOf(expected, record) === undefined);
  const [best, ...others] = candidates.toSorted((a, b) => weight(b) - weight(a));
  if (best === undefined) {
    return { of: 'nothing' };
  }
  const { record } = best;
  if (isTaken(record)) {
    const code = mismatchOf(expected, record);
    const also = others.map((other) => other.record).filter(isTaken);
    return code === undefined ? { of: 'payment', ...best, also } : { of: 'mismatch', record, code };
  }
  return record.statusId === 'E' ? { of: 'refusal', record } : { of: 'progress', record };
}

/** Originals with our reference, and the record with the id that the platform gave, whatever it is. */
function candidatesFor({ id, transactionId }: ExpectedPayment, records: readonly TransactionRecord[]): Payment[] {
  const isNamed = (record: TransactionRecord) => idOf(record) === transactionId?.toLowerCase();
  const originals = paymentsIn(records).filter(({ record }) => isReferenced(record, id) || isNamed(record));
  const child = records.find((record) => isNamed(record) && record.parentId !== undefined);
  return child === undefined
    ? originals
    : [...originals, { record: child, captures: [], returns: [], returned: returnedOf(child, [], []) }];
}

/** The originals among the records, each with its children. Does not check whose they are. */
export function paymentsIn(records: readonly TransactionRecord[]): Payment[] {
  const byId = new Map(records.map((record) => [idOf(record), record]));
  const all = [...byId.values()];
  return all
    .filter(({ parentId }) => parentId === undefined)
    .map((record) => {
      const children = all.filter((child) => isChildOf(child, record));
      const isHold = record.transactionTypeId === PREAUTH;
      const captures = children.filter((child) => isHold && child.transactionTypeId === CAPTURE && isTaken(child));
      // A refund of a capture has the capture as its parent.
      const grandchildren = captures.flatMap((capture) => all.filter((one) => isChildOf(one, capture)));
      const returns = [...children, ...grandchildren].filter(
        ({ statusId, transactionTypeId }) => statusId === 'F' && !TAKING_TYPES.includes(transactionTypeId),
      );
      return { record, captures, returns, returned: returnedOf(record, captures, returns) };
    });
}

/** Whether the status says that money was taken or is held, even if it was given back later. */
export function isTaken({ statusId }: TransactionRecord): boolean {
  return /^(F|C|R|X|M[AILSW]?)$/.test(statusId);
}

export function isReferenced({ merchantTrns = '' }: Pick<TransactionRecord, 'merchantTrns'>, id: string): boolean {
  return merchantTrns.toLowerCase().endsWith(id);
}

/** Why the record is not the expected payment; undefined if it is. */
export function mismatchOf({ merchantId, id, types, amount, currency }: ExpectedPayment, record: TransactionRecord) {
  if (record.merchantId?.toLowerCase() !== merchantId) {
    return 'MERCHANT_MISMATCH' satisfies FailureCode;
  }
  if (!isReferenced(record, id) || record.parentId !== undefined || !isOfType(record, types)) {
    return 'TRANSACTION_MISMATCH' satisfies FailureCode;
  }
  return record.amount === amount && record.currency === currency
    ? undefined
    : ('AMOUNT_MISMATCH' satisfies FailureCode);
}

function isOfType({ transactionTypeId }: TransactionRecord, types: readonly number[]): boolean {
  return transactionTypeId !== undefined && types.includes(transactionTypeId);
}

/** The id in lower case: the platform writes its ids in either case. */
export function idOf({ transactionId }: { readonly transactionId: string }): string {
  return transactionId.toLowerCase();
}

function isChildOf({ parentId }: TransactionRecord, parent: TransactionRecord): boolean {
  return parentId?.toLowerCase() === idOf(parent);
}

/** Of several originals with one reference, for example a failed tap and then the PIN, the one that took money counts. */
function weightOf(record: TransactionRecord, fits: boolean): number {
  if (isTaken(record)) {
    return fits ? 3 : 2;
  }
  return record.statusId === 'E' ? 0 : 1;
}

function returnedOf(
  original: TransactionRecord,
  captures: readonly TransactionRecord[],
  returns: readonly TransactionRecord[],
): Returned {
  const sum = returns.reduce((total, child) => total + Math.abs(child.amount), 0);
  const taken =
    captures.length > 0 ? captures.reduce((total, child) => total + Math.abs(child.amount), 0) : original.amount;
  const byRefund = returns.some(({ transactionTypeId }) => REFUND_TYPES.includes(transactionTypeId));
  const saysGivenBack = [original, ...captures].some(({ statusId }) => /^(X|R|ML)$/.test(statusId));
  return {
    amount: Math.min(sum, taken),
    by: sum === 0 ? 'nobody' : byRefund ? 'refund' : 'platform',
    isHidden: saysGivenBack && sum === 0,
    mayBeMore: saysGivenBack && sum < taken,
  };
}
