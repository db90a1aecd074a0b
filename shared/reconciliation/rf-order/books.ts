/**
 * Decides which payments and returns of an RF order count. Two answers of the platform must agree: the state `paid` of the
 * order and its one transaction with the requested amount, or one record read twice, some minutes apart. Until then a
 * reading is only noted (see notes.ts).
 *
 * Pure: it depends on the order and on what was read. Payments and returns are added and never removed, so readings may be
 * late, repeated and in any order.
 */

import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder, RfPayment, RfReading, RfReadings } from '../../payments/items/rf-order.ts';
import { iso } from '../../payments/time.ts';
import type { OrderRecord, TransactionRecord } from '../../viva/viva.ts';
import { idOf, isReferenced, isTaken, type Payment, paymentsIn, paymentTypes } from '../records/proof.ts';
import {
  aboutOrder,
  commissionOf,
  doubt,
  effectiveStatus,
  isAboutTransaction,
  isUnexplained,
  type Notes,
  note,
  returnOf,
} from './notes.ts';
import { isPastExpiry } from './schedule.ts';

/** What one reading of the platform said about the order. */
export interface RfEvidence {
  /** Undefined if the order itself was not read. */
  readonly order?: Pick<OrderRecord, 'state' | 'amount'>;
  readonly records: readonly TransactionRecord[];
  /** Whether `records` has all transactions that the platform shows for the order. */
  readonly isWhole: boolean;
}

export interface RfBooks {
  readonly payments: readonly RfPayment[];
  /** Readings that do not count yet. */
  readonly readings: RfReadings;
  /** How the order ended unpaid, if two answers say so. */
  readonly end?: 'cancelled' | 'expired';
}

/** `at`: when the platform was read, in milliseconds since the epoch. */
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

/** Stands in for known payments that were not read, so that their children find them. */
function standIns({ payments, currency }: RfOrder, read: ReadonlySet<string>): TransactionRecord[] {
  return payments
    .filter((payment) => !read.has(idOf(payment)))
    .map(({ transactionId, amount }) => ({ transactionId, amount, currency, statusId: 'F' }));
}

/** The payment after its record was read; undefined while it does not count. */
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
  const { agrees, isOld } = note(notes, id, mismatch ?? `amount ${record.amount}`, at);
  const isConfirmed = isFirst && read?.state === 'paid' && isExactAndWhole(order, payment);
  if (mismatch === undefined && (agrees || isConfirmed)) {
    notes.delete(id);
    return withCommission({ ...newPayment(order, record, at), ...known, amount: record.amount }, record, notes, at);
  }
  if (isOld || agrees) {
    doubt(notes, id, mismatch ?? 'AMOUNT_MISMATCH');
  }
  return known;
}

/** Whether the payment is the one that the state `paid` proves: the order takes its exact amount only, in one payment. */
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
  const isNew = commission > 0 && commission <= payment.amount && commission !== payment.commission;
  if (isNew && !note(notes, key, String(commission), at).agrees) {
    return payment;
  }
  notes.delete(key);
  return isNew ? { ...payment, commission } : payment;
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
    const { agrees, isOld } = note(notes, id, mismatch ?? `returned ${amount}`, at);
    if (mismatch === undefined && agrees && known !== undefined) {
      notes.delete(id);
      counted.set(id, { transactionId: child.transactionId, amount });
    } else if (isOld || (mismatch !== undefined && agrees)) {
      doubt(notes, id, mismatch ?? 'AMOUNT_MISMATCH');
    }
  }
  return known && counted.size > 0 ? returnedFrom(known, [...counted.values()]) : known;
}

function returnedFrom(payment: RfPayment, returns: NonNullable<RfPayment['returns']>): RfPayment {
  const sum = returns.reduce((total, { amount }) => total + amount, 0);
  const returned = Math.min(payment.amount, Math.max(payment.returned ?? 0, sum));
  return { ...payment, returns, returned, ...(returned === payment.amount && { reversed: true }) };
}

/** Notes that the record says that something was given back while no return is shown, because lists lag. */
function noteHiddenReturn(known: RfPayment | undefined, { record, returned }: Payment, notes: Notes, at: number): void {
  const key = returnOf(idOf(record));
  if (!returned.isHidden || known?.returns !== undefined) {
    notes.delete(key);
  } else if (note(notes, key, record.statusId, at).isOld) {
    doubt(notes, key, 'REFUND_UNREADABLE');
  }
}

/**
 * Judges noted transactions that the whole list does not show any more. A payment that stays missing needs a review. What
 * was not a payment is forgotten.
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

/** Whether the reading says an amount, paid or returned, and not why the transaction does not belong to the order. */
function isAmount(reading: RfReading | undefined): boolean {
  return reading !== undefined && /^(amount|returned) /.test(reading.seen);
}

/** How the order ended unpaid, if it did. It has not ended while any noted transaction may be a payment. */
function endOf(
  order: RfOrder,
  { order: read, isWhole }: RfEvidence,
  isPaid: boolean,
  notes: Notes,
  at: number,
): RfBooks['end'] {
  const { state: key } = aboutOrder;
  if (effectiveStatus(order) !== 'pending' || isPaid) {
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

/** Why the record is not a payment of the order; undefined if it is. */
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
