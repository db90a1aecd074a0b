/**
 * What the platform's records prove about a payment of ours: one function for sales, charges and RF orders, for reads by
 * id, lists and webhooks alike.
 *
 * Only an original proves a payment: a record without a parent, of a payment's type, that carries our reference and our
 * merchant. Its children (captures, voids, refunds, reversals) carry a parent, and often the same reference and amount,
 * and prove only what became of it. Another amount or currency (a tip or a surcharge may explain it) is for a person,
 * never absence.
 *
 * | status | what it proves (docs/viva.md, "Transactions") |
 * |---|---|
 * | F | the payment was made, or the hold stands |
 * | C | the hold was made and captured; the capture is a child of type 0 |
 * | R | the payment was made; some or all of it was given back, as its children say |
 * | X | the payment was made and given back whole |
 * | M, MA, MI, MS, MW | the payment was made; the payer disputes it, or has lost the dispute (MW): still a payment |
 * | ML | the payment was made; the payer won the dispute: given back as its children say |
 * | A | nothing yet |
 * | E | nothing for good: E has become F before, so it is one reading of a refusal (see second-reading.ts) |
 * | any other | nothing yet |
 */
import type { FailureCode } from '../../payments/failures.ts';
import type { TransactionRecord } from '../../viva/viva.ts';

/** What was asked for. */
export interface Asked {
  readonly merchantId: string;
  /** Our id, with which the reference of the payment ends. */
  readonly id: string;
  /** What the platform named for it: what is read under this id must be the payment. */
  readonly transactionId?: string | undefined;
  /** Minor units. */
  readonly amount: number;
  /** ISO 4217 letters. */
  readonly currency: string;
  /** What its original may be: see paymentTypes. */
  readonly types: readonly number[];
}

/** An original and what became of it. */
export interface Payment {
  readonly record: TransactionRecord;
  /** Children that took a hold, finished, whatever was given back of them later. */
  readonly captures: readonly TransactionRecord[];
  /** Children that gave money back, finished. */
  readonly returns: readonly TransactionRecord[];
  readonly returned: Returned;
}

export interface Returned {
  /** Minor units: the sum of the children, at most the amount taken. */
  readonly amount: number;
  /** `refund`: asked for by us or by somebody else (types 4, 11, 18); `platform`: its own act. */
  readonly by: 'nobody' | 'refund' | 'platform';
  /** A status says that something was given back, and no child is shown: lists lag, and a read by id has no children. */
  readonly isHidden: boolean;
  /** As a status says so, there may be children of other days than those that were read. */
  readonly mayBeMore: boolean;
}

export type Proof =
  | { readonly of: 'nothing' }
  /** It may still be paid. */
  | { readonly of: 'progress'; readonly record: TransactionRecord }
  /** One reading of a failure. */
  | { readonly of: 'refusal'; readonly record: TransactionRecord }
  | { readonly of: 'mismatch'; readonly record: TransactionRecord; readonly code: FailureCode }
  /** `also`: other originals of the same reference that took money, which a person has to give back. */
  | ({ readonly of: 'payment'; readonly also: readonly TransactionRecord[] } & Payment);

/** Pre-authorization. */
const PREAUTH = 1;
const CAPTURE = 0;
/** Card charge, with instalments, by wallet, and the other ways to pay that a terminal offers. */
const TERMINAL_TYPES = [5, 6, 9, 20, 27, 40, 48, 52, 60, 62, 64, 70, 74, 78];
export const paymentTypes = {
  sale: TERMINAL_TYPES,
  charge: [PREAUTH, 5, 6],
  bankTransfer: [15],
} as const satisfies Record<string, readonly number[]>;

/** Refund of a card, of a wallet, of an instalment. */
const REFUND_TYPES: readonly (number | undefined)[] = [4, 11, 18];
/** A charge made from an earlier one names it as its parent, and gives nothing back. */
const TAKING_TYPES: readonly (number | undefined)[] = [CAPTURE, 5, 6];

/** `records`: whatever was read about it, children among them, of one list or of several. */
export function provePayment(asked: Asked, records: readonly TransactionRecord[]): Proof {
  const candidates = candidatesFor(asked, records);
  const weight = ({ record }: Payment) => weightOf(record, mismatchOf(asked, record) === undefined);
  const [best, ...others] = candidates.toSorted((a, b) => weight(b) - weight(a));
  if (best === undefined) {
    return { of: 'nothing' };
  }
  const { record } = best;
  if (isTaken(record)) {
    const code = mismatchOf(asked, record);
    const also = others.map((other) => other.record).filter(isTaken);
    return code === undefined ? { of: 'payment', ...best, also } : { of: 'mismatch', record, code };
  }
  return record.statusId === 'E' ? { of: 'refusal', record } : { of: 'progress', record };
}

/** Originals with our reference, and what was named whatever it is. */
function candidatesFor({ id, transactionId }: Asked, records: readonly TransactionRecord[]): Payment[] {
  const isNamed = (record: TransactionRecord) => idOf(record) === transactionId?.toLowerCase();
  const originals = paymentsIn(records).filter(({ record }) => isReferenced(record, id) || isNamed(record));
  const child = records.find((record) => isNamed(record) && record.parentId !== undefined);
  return child === undefined
    ? originals
    : [...originals, { record: child, captures: [], returns: [], returned: returnedOf(child, [], []) }];
}

/** The originals among the records, each with its children. Whose they are is not looked at. */
export function paymentsIn(records: readonly TransactionRecord[]): Payment[] {
  const byId = new Map(records.map((record) => [idOf(record), record]));
  const all = [...byId.values()];
  return all
    .filter(({ parentId }) => parentId === undefined)
    .map((record) => {
      const children = all.filter((child) => isChildOf(child, record));
      const isHold = record.transactionTypeId === PREAUTH;
      const captures = children.filter((child) => isHold && child.transactionTypeId === CAPTURE && isTaken(child));
      // What is given back of a capture names the capture as its parent.
      const grandchildren = captures.flatMap((capture) => all.filter((one) => isChildOf(one, capture)));
      const returns = [...children, ...grandchildren].filter(
        ({ statusId, transactionTypeId }) => statusId === 'F' && !TAKING_TYPES.includes(transactionTypeId),
      );
      return { record, captures, returns, returned: returnedOf(record, captures, returns) };
    });
}

/** Whether money was taken, or is held, according to the status. */
export function isTaken({ statusId }: TransactionRecord): boolean {
  return /^(F|C|R|X|M[AILSW]?)$/.test(statusId);
}

export function isReferenced({ merchantTrns = '' }: Pick<TransactionRecord, 'merchantTrns'>, id: string): boolean {
  return merchantTrns.toLowerCase().endsWith(id);
}

/** Why the record is not what was asked for. */
export function mismatchOf({ merchantId, id, types, amount, currency }: Asked, record: TransactionRecord) {
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

/** The platform writes its ids in either case. */
export function idOf({ transactionId }: { readonly transactionId: string }): string {
  return transactionId.toLowerCase();
}

function isChildOf({ parentId }: TransactionRecord, parent: TransactionRecord): boolean {
  return parentId?.toLowerCase() === idOf(parent);
}

/** Of several originals of one reference (a first tap that failed, then the PIN) the one that took money counts. */
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
