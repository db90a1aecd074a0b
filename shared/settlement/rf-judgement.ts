/**
 * What the platform's records prove about an RF order: a pure function of the order and what was read. Payments are only
 * ever added and given back, never forgotten, so that reads may come in any order, lag behind, and be made again: the
 * order ends in the same state.
 */
import type { FailureCode } from '../failures.ts';
import type { RfOrder, RfPayment, TimelineEntry } from '../items.ts';
import { type RfOrderStatus, rfOrderEnded } from '../lifecycle.ts';
import { rfOrderMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import type { OrderRecord, TransactionRecord } from '../platform/platform.ts';
import { appended, entry } from '../timeline.ts';
import { isPastExpiry, isPastRest, MAX_SCHEDULED_READS, nextRead } from './rf-schedule.ts';

/** Paid, but the list of transactions lags behind. */
const LIST_LAG_MS = 60_000;

export interface RfEvidence {
  /** Undefined where the order itself was not read. */
  readonly order?: Pick<OrderRecord, 'state' | 'amount'>;
  /** Undefined where the transactions were not read. */
  readonly records?: readonly TransactionRecord[];
  /** How many reads it took. */
  readonly reads: number;
}

interface Verdict {
  readonly status: RfOrderStatus;
  readonly failure?: FailureCode;
}

export function judged(order: RfOrder, evidence: RfEvidence, at: number): Patch<'rf'> {
  const reads = order.reads + evidence.reads;
  const mismatch = mismatchOf(order, evidence);
  const payments = mismatch === undefined ? merged(order, evidence.records ?? [], at) : order.payments;
  const news = newsOf(order.payments, payments, at);
  const amountPaid = left(payments);
  const commission = payments.reduce((sum, { commission: share = 0 }) => sum + share, 0);
  const books = news.length > 0 && {
    payments,
    amountPaid,
    overpaid: amountPaid > order.amount,
    ...(commission > 0 && { commission }),
    late: payments.some((payment) => order.expiresAt !== undefined && payment.at > order.expiresAt),
  };
  const verdict: Verdict =
    mismatch === undefined
      ? (verdictOf(order, payments, evidence, at) ?? { status: order.status })
      : { status: 'needs_review', failure: mismatch };
  const { status, failure } = lastWord(verdict, payments, evidence, reads) ?? verdict;
  const waits = evidence.order?.state === 'paid' && payments.length === 0;
  const next = { ...order, ...books, status, reads };
  const dueAt = earliest(
    waitingToTell(order),
    waits && reads < MAX_SCHEDULED_READS ? iso(at + LIST_LAG_MS) : nextRead(next, at),
  );
  const moved = rfOrderMoved(
    order,
    status,
    { ...books, reads, dueAt, ...(failure && { failure: { code: failure } }) },
    ...news,
    entry(at, `rf_order.${status}`, { amountPaid, ...(failure && { code: failure }) }),
  );
  return moved ?? { ...books, reads, dueAt, ...(news.length > 0 && { timeline: appended(order.timeline, ...news) }) };
}

/** What does not fit what was asked for is not believed. Of a payment that is known, the first reading stands. */
function mismatchOf(order: RfOrder, { order: read, records = [] }: RfEvidence): FailureCode | undefined {
  if (read?.amount !== undefined && read.amount !== order.amount) {
    return 'AMOUNT_MISMATCH';
  }
  const isNew = ({ transactionId }: TransactionRecord) =>
    !order.payments.some((one) => one.transactionId === transactionId);
  for (const record of records.filter(isPayment).filter(isNew)) {
    const { merchantId = order.merchantId, orderCode, merchantTrns = '' } = record;
    const ofOwnCode = orderCode !== undefined && orderCode === order.orderCode;
    const isOurs = ofOwnCode || merchantTrns.endsWith(order.rfOrderId);
    if (merchantId.toLowerCase() !== order.merchantId || !isOurs) {
      return 'MERCHANT_MISMATCH';
    }
    if (record.currency !== order.currency || (!order.disableExactAmount && record.amount !== order.amount)) {
      return 'AMOUNT_MISMATCH';
    }
  }
  return undefined;
}

/** R and X: paid, and given back since. What refers to another transaction gives that one back. */
function isPayment({ statusId, parentId }: TransactionRecord): boolean {
  return parentId === undefined && /^(F|R|X|M.?)$/.test(statusId);
}

function merged(order: RfOrder, records: readonly TransactionRecord[], at: number): RfPayment[] {
  const payments = new Map(order.payments.map((payment) => [payment.transactionId, payment]));
  for (const record of records.filter(isPayment)) {
    const { transactionId, statusId, orderCode = order.orderCode } = record;
    const before = payments.get(transactionId) ?? {
      transactionId,
      amount: record.amount,
      at: record.bookedAt ?? iso(at),
      ...(orderCode !== undefined && orderCode !== order.orderCode && { orderCode }),
    };
    const { amount } = before;
    const children = records.filter(({ parentId, statusId }) => parentId === transactionId && statusId === 'F');
    const shown = children.reduce((sum, child) => sum + Math.abs(child.amount), 0);
    const givenBack = statusId === 'R' || statusId === 'X';
    const returned = Math.min(amount, Math.max(before.returned ?? 0, shown > 0 ? shown : givenBack ? amount : 0));
    const { commission: share = 0 } = record;
    const commission = Math.max(before.commission ?? 0, share <= amount ? share : 0);
    payments.set(transactionId, {
      ...before,
      ...(commission > 0 && { commission }),
      ...(returned > 0 && { returned }),
      ...(returned === amount && { reversed: true }),
    });
  }
  return [...payments.values()];
}

function newsOf(before: readonly RfPayment[], after: readonly RfPayment[], at: number): TimelineEntry[] {
  return after.flatMap(({ transactionId, amount, returned = 0, commission = 0 }) => {
    const known = before.find((payment) => payment.transactionId === transactionId);
    const more = returned - (known?.returned ?? 0);
    return [
      ...(known === undefined ? [entry(at, 'rf_order.payment_received', { transactionId, amount })] : []),
      ...(more > 0 ? [entry(at, 'rf_order.payment_returned', { transactionId, amount: more })] : []),
      ...(commission > (known?.commission ?? 0)
        ? [entry(at, 'rf_order.commission_calculated', { transactionId, amount: commission })]
        : []),
    ];
  });
}

/** Undefined where nothing says that the order stands elsewhere than it does. */
function verdictOf(
  order: RfOrder,
  payments: readonly RfPayment[],
  evidence: RfEvidence,
  at: number,
): Verdict | undefined {
  const status = order.status === 'needs_review' ? order.statusBeforeReview : order.status;
  const amountPaid = left(payments);
  if (status === 'reversed') {
    return payments.length > order.payments.length
      ? { status: 'needs_review', failure: 'RF_PAID_AFTER_RETURN' }
      : undefined;
  }
  if (payments.length > 0) {
    if (amountPaid >= order.amount) {
      return { status: 'paid' };
    }
    if (status === 'paid' || amountPaid === 0) {
      return { status: 'reversed' };
    }
    return isPastRest(order, at) ? { status: 'needs_review', failure: 'RF_UNDERPAID' } : { status: 'partially_paid' };
  }
  const { state } = evidence.order ?? {};
  if (state === 'cancelled') {
    return { status: 'cancelled' };
  }
  const unpaid = state !== 'paid' && evidence.records !== undefined;
  return unpaid && (state === 'expired' || isPastExpiry(order, at)) ? { status: 'expired' } : undefined;
}

/** Nothing is read by itself any more: what is open now, a person decides. */
function lastWord(
  { status }: Verdict,
  payments: readonly RfPayment[],
  { order: read }: RfEvidence,
  reads: number,
): Verdict | undefined {
  if (reads < MAX_SCHEDULED_READS || rfOrderEnded(status)) {
    return undefined;
  }
  const open = read?.state === 'paid' ? 'RF_PAYMENT_NOT_FOUND' : 'RF_NOT_SETTLED';
  return { status: 'needs_review', failure: payments.length > 0 ? 'RF_UNDERPAID' : open };
}

function left(payments: readonly RfPayment[]): number {
  return payments.reduce((sum, { amount, returned = 0 }) => sum + amount - returned, 0);
}

/** Announcements that are not published yet keep the order due. */
function waitingToTell({ outbox = [], dueAt }: RfOrder): string | undefined {
  return outbox.length > 0 ? dueAt : undefined;
}

function earliest(...times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
