/**
 * What counts as paid for an RF order, and as given back: what two answers of the platform say. These are two records
 * at once (the order is `paid`, and its one transaction has the requested amount), or one record read twice, some
 * minutes apart. Until then a reading is only noted. A reading that says something else replaces it.
 *
 * A pure function of the order and of what was read. Payments and returns are added and never removed, so reads may lag
 * behind, come in any order and be repeated.
 */

import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder, RfPayment, RfReading, RfReadings } from '../../payments/items.ts';
import { iso } from '../../payments/time.ts';
import type { OrderRecord, TransactionRecord } from '../../viva/viva.ts';
import { idOf, isReferenced, isTaken, type Payment, paymentsIn, paymentTypes } from '../records/proof.ts';
import {
  aboutOrder,
  commissionOf,
  doubt,
  isAboutTransaction,
  isUnexplained,
  type Notes,
  note,
  returnOf,
  standing,
} from './notes.ts';
import { isPastExpiry } from './schedule.ts';

export interface RfEvidence {
  /** Undefined where the order itself was not read. */
  readonly order?: Pick<OrderRecord, 'state' | 'amount'>;
  readonly records: readonly TransactionRecord[];
  /** Whether they are all that the platform shows of the order. */
  readonly isWhole: boolean;
}

export interface RfBooks {
  readonly payments: readonly RfPayment[];
  /** What is noted and does not count. */
  readonly readings: RfReadings;
  /** How the order ended unpaid, where two answers say so. */
  readonly end?: 'cancelled' | 'expired';
}

export function booked(order: RfOrder, evidence: RfEvidence, at: number): RfBooks {
  const notes: Notes = new Map(Object.entries(order.readings ?? {}));
  const payments = new Map(order.payments.map((payment) => [idOf(payment), payment]));
  const read = new Set(evidence.records.map(idOf));
  for (const payment of paymentsIn([...evidence.records, ...standIns(order, read)])) {
    const id = idOf(payment.record);
    const before = payments.get(id);
    const isFirst = payments.size === 0;
    const known = read.has(id) ? withAmount(order, before, payment, isFirst, evidence, notes, at) : before;
    const isPayment = known !== undefined || isAmount(notes.get(id));
    const after = isPayment ? withReturns(order, known, payment, notes, at) : undefined;
    if (after !== undefined) {
      payments.set(id, after);
    }
  }
  if (evidence.isWhole) {
    judgeWhatIsMissing(read, notes, at);
  }
  const end = endOf(order, evidence, payments.size > 0, notes, at);
  return { payments: [...payments.values()], readings: Object.fromEntries(notes), ...(end && { end }) };
}

/** Known payments whose children were read without them. */
function standIns({ payments, currency }: RfOrder, read: ReadonlySet<string>): TransactionRecord[] {
  return payments
    .filter((payment) => !read.has(idOf(payment)))
    .map(({ transactionId, amount }) => ({ transactionId, amount, currency, statusId: 'F' }));
}

/** The payment as the books have it after its record was read; undefined while it does not count. */
function withAmount(
  order: RfOrder,
  known: RfPayment | undefined,
  payment: Payment,
  isFirst: boolean,
  { order: read }: RfEvidence,
  notes: Notes,
  at: number,
): RfPayment | undefined {
  const { record } = payment;
  const id = idOf(record);
  if (known === undefined && !isTaken(record)) {
    notes.delete(id);
    return undefined;
  }
  const mismatch = mismatchOf(order, record);
  if (mismatch === undefined) {
    noteHiddenReturn(known, payment, notes, at);
  }
  if (mismatch === undefined && known?.amount === record.amount) {
    notes.delete(id);
    return withCommission(known, record, notes, at);
  }
  const { agrees, contradicts, isOld } = note(notes, id, mismatch ?? `amount ${record.amount}`, at);
  const isConfirmed = isFirst && read?.state === 'paid' && isExactAndWhole(order, payment);
  if (mismatch === undefined && (agrees || isConfirmed)) {
    notes.delete(id);
    return withCommission({ ...newPayment(order, record, at), ...known, amount: record.amount }, record, notes, at);
  }
  if (contradicts || isOld || agrees) {
    doubt(notes, id, mismatch ?? 'AMOUNT_MISMATCH');
  }
  return known;
}

/** The one payment that the state `paid` of an exact order speaks of. */
function isExactAndWhole(order: RfOrder, { record, returns, returned }: Payment): boolean {
  const isOwn = record.orderCode === order.orderCode;
  return !order.disableExactAmount && isOwn && returns.length === 0 && !returned.isHidden;
}

function newPayment(order: RfOrder, { transactionId, amount, bookedAt, orderCode }: TransactionRecord, at: number) {
  const ofOther = orderCode !== undefined && orderCode !== order.orderCode;
  return { transactionId, amount, at: bookedAt ?? iso(at), ...(ofOther && { orderCode }) };
}

function withCommission(payment: RfPayment, record: TransactionRecord, notes: Notes, at: number): RfPayment {
  const { commission = 0 } = record;
  const key = commissionOf(idOf(record));
  const isNews = commission > 0 && commission <= payment.amount && commission !== payment.commission;
  if (isNews && !note(notes, key, String(commission), at).agrees) {
    return payment;
  }
  notes.delete(key);
  return isNews ? { ...payment, commission } : payment;
}

function withReturns(
  order: RfOrder,
  known: RfPayment | undefined,
  { returns }: Payment,
  notes: Notes,
  at: number,
): RfPayment | undefined {
  const counted = new Map((known?.returns ?? []).map((one) => [idOf(one), one]));
  for (const child of returns) {
    const id = idOf(child);
    const amount = Math.abs(child.amount);
    if (counted.get(id)?.amount === amount) {
      notes.delete(id);
      continue;
    }
    const mismatch = moneyMismatch(order, child);
    const { agrees, contradicts, isOld } = note(notes, id, mismatch ?? `returned ${amount}`, at);
    if (mismatch === undefined && agrees && known !== undefined) {
      notes.delete(id);
      counted.set(id, { transactionId: child.transactionId, amount });
    } else if (contradicts || isOld || (mismatch !== undefined && agrees)) {
      doubt(notes, id, mismatch ?? 'AMOUNT_MISMATCH');
    }
  }
  return known && counted.size > 0 ? given(known, [...counted.values()]) : known;
}

function given(payment: RfPayment, returns: NonNullable<RfPayment['returns']>): RfPayment {
  const sum = returns.reduce((total, { amount }) => total + amount, 0);
  const returned = Math.min(payment.amount, Math.max(payment.returned ?? 0, sum));
  return { ...payment, returns, returned, ...(returned === payment.amount && { reversed: true }) };
}

/** The record says that something was given back, and not what: lists lag. */
function noteHiddenReturn(known: RfPayment | undefined, { record, returned }: Payment, notes: Notes, at: number): void {
  const key = returnOf(idOf(record));
  if (!returned.isHidden || known?.returns !== undefined) {
    notes.delete(key);
  } else if (note(notes, key, record.statusId, at).isOld) {
    doubt(notes, key, 'REFUND_UNREADABLE');
  }
}

/**
 * Of what was read once, and is in the list no more: what was no payment never was the order's, a payment is missing.
 */
function judgeWhatIsMissing(read: ReadonlySet<string>, notes: Notes, at: number): void {
  for (const [key, reading] of notes) {
    if (!isAboutTransaction(key) || read.has(key)) {
      continue;
    }
    if (!isAmount(reading) && reading.doubt === undefined) {
      notes.delete(key);
    } else if (isUnexplained(reading, at)) {
      doubt(notes, key, 'RF_PAYMENT_NOT_FOUND');
    }
  }
}

/** Whether the reading is of money, that came or was given back, and not of why it is none of the order's. */
function isAmount(reading: RfReading | undefined): boolean {
  return reading !== undefined && /^(amount|returned) /.test(reading.seen);
}

/** How the order ended unpaid, if it did. It did not while anything may be a payment. */
function endOf(
  order: RfOrder,
  { order: read, isWhole }: RfEvidence,
  isPaid: boolean,
  notes: Notes,
  at: number,
): RfBooks['end'] {
  const { state: key } = aboutOrder;
  if (standing(order) !== 'pending' || isPaid) {
    notes.delete(key);
    notes.delete(aboutOrder.amount);
    return undefined;
  }
  if (read === undefined) {
    return undefined;
  }
  noteOrderAmount(order, read.amount, notes, at);
  const isOver = isPastExpiry(order, at);
  const mayBePaid = [...notes.keys()].some((one) => one !== key && one !== aboutOrder.amount);
  let end: RfBooks['end'];
  if (mayBePaid) {
    notes.delete(key);
  } else if (read.state === 'paid') {
    if (note(notes, key, 'paid', at).isOld) {
      doubt(notes, key, 'RF_PAYMENT_NOT_FOUND');
    }
  } else if (read.state === 'cancelled') {
    const { agrees } = note(notes, key, 'cancelled', at);
    end = agrees || order.cancelRequestedAt !== undefined ? 'cancelled' : undefined;
  } else if (isWhole && (isOver || read.state === 'expired')) {
    const { agrees } = note(notes, key, 'unpaid', at);
    end = agrees || (isOver && read.state === 'expired') ? 'expired' : undefined;
  } else {
    notes.delete(key);
  }
  if (end !== undefined) {
    notes.delete(key);
  }
  return end;
}

function noteOrderAmount({ amount }: RfOrder, read: number | undefined, notes: Notes, at: number): void {
  const key = aboutOrder.amount;
  if (read === undefined || read === amount) {
    notes.delete(key);
  } else if (note(notes, key, String(read), at).agrees) {
    doubt(notes, key, 'AMOUNT_MISMATCH');
  }
}

/** Why the record is no payment of the order. */
function mismatchOf(order: RfOrder, record: TransactionRecord): FailureCode | undefined {
  const { orderCode, transactionTypeId, amount } = record;
  const isOurs = (orderCode !== undefined && orderCode === order.orderCode) || isReferenced(record, order.rfOrderId);
  const isTransfer = paymentTypes.bankTransfer.some((type) => type === transactionTypeId);
  const isAsked = order.disableExactAmount || amount === order.amount;
  const mismatch = moneyMismatch(order, record);
  if (mismatch === 'MERCHANT_MISMATCH') {
    return mismatch;
  }
  if (!isTaken(record) || !isOurs || !isTransfer) {
    return 'TRANSACTION_MISMATCH';
  }
  return mismatch ?? (isAsked ? undefined : 'AMOUNT_MISMATCH');
}

type Money = Pick<TransactionRecord, 'merchantId' | 'currency'>;

function moneyMismatch(order: RfOrder, { merchantId, currency }: Money): FailureCode | undefined {
  if (merchantId?.toLowerCase() !== order.merchantId) {
    return 'MERCHANT_MISMATCH';
  }
  return currency === order.currency ? undefined : 'AMOUNT_MISMATCH';
}
