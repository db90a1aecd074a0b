/**
 * Reconciles an RF order with the platform's records. A webhook proves nothing: the platform is read with our own
 * credentials, and only what its records prove is stored. Safe to run twice and at the same time.
 */
import { RejectedError } from '../../flow/errors.ts';
import { accountOf, existing } from '../../payments/existing.ts';
import type { RfOrder } from '../../payments/items/rf-order.ts';
import { appended, callEntry } from '../../payments/timeline.ts';
import { rfOrderTransition } from '../../payments/transitions.ts';
import type { TransactionRecord, Viva } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { idOf } from '../records/proof.ts';
import { familyOf } from '../records/search.ts';
import type { RfEvidence } from './books.ts';
import { takeOverCreation } from './creation.ts';
import { earliest, judged } from './judgement.ts';
import { effectiveStatus } from './notes.ts';
import { otherCodesOf, readOthers, rememberOthers } from './other-orders.ts';
import { isPastExpiry } from './schedule.ts';

/** What the caller found already, for example in a webhook. */
export interface FoundAlready {
  /** Codes of the platform's orders that may belong to this order as well. */
  readonly otherCodes?: readonly string[];
  /** Records of the platform that were read already. */
  readonly records?: readonly TransactionRecord[];
}

/** The most new codes that are read at once. Each one costs a read. */
const MAX_NEW_CODES = 3;

/**
 * Resolves to the order after that. Continues a creation that stopped. Throws a TransientError while the platform cannot
 * be read.
 */
export async function reconcileRfOrder(
  rfOrderId: string,
  deps: ReconciliationDeps,
  found: FoundAlready = {},
): Promise<RfOrder> {
  const { payments, vivaFor, now, remainingMs } = deps;
  const order = await existing(payments, 'rf-order', rfOrderId);
  if (order.status === 'creating') {
    return takeOverCreation(order, deps);
  }
  const { orderCode } = order;
  const known = otherCodesOf(order);
  const newCodes = (found.otherCodes ?? []).filter((code) => !known.includes(code) && code !== orderCode);
  const otherCodes = [...known, ...newCodes.slice(-MAX_NEW_CODES)];
  const viva = vivaFor(await accountOf(payments, order), remainingMs);
  const own = orderCode === undefined ? nothing : await read({ ...order, orderCode }, viva, now());
  const others = await readOthers(order, otherCodes, viva);
  const evidence = { ...own, records: [...ofOrder(order, found.records ?? []), ...others, ...own.records] };
  const reconciled = await payments.change('rf-order', rfOrderId, (item) => judged(item, evidence, now()));
  await rememberOthers(order, reconciled, deps);
  return cancellationWaits(reconciled) ? cancelAtPlatform(reconciled, deps) : reconciled;
}

/**
 * As `reconcileRfOrder`, with records that were read already, for example the list of a day or some of it. Reads the
 * platform only if they show a return without its payment. What needs a second reading makes the order due in some
 * minutes.
 */
export async function reconcileRfOrderBy(
  { rfOrderId }: RfOrder,
  read: readonly TransactionRecord[],
  deps: ReconciliationDeps,
): Promise<RfOrder> {
  const { payments, now } = deps;
  const order = await existing(payments, 'rf-order', rfOrderId);
  const records = ofOrder(order, read);
  if (records.length === 0) {
    return order;
  }
  if (order.status === 'creating' || hasOrphans(order, records)) {
    return reconcileRfOrder(rfOrderId, deps, { records });
  }
  const reconciled = await payments.change('rf-order', rfOrderId, (item) => {
    const patch = judged(item, { records, isWhole: false }, now());
    // The order itself was not read, so this must not make it due later.
    return changes(item, patch) ? { ...patch, dueAt: earliest(item.dueAt, patch.dueAt) } : undefined;
  });
  await rememberOthers(order, reconciled, deps);
  return reconciled;
}

/**
 * Cancels the platform's order. Leaves our order as it is if the platform refuses: the next reading finds out why. Throws a
 * TransientError if there was no answer.
 */
export async function cancelAtPlatform(order: RfOrder, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, vivaFor, now, remainingMs } = deps;
  const { rfOrderId, orderCode } = order;
  if (orderCode === undefined) {
    return order;
  }
  const viva = vivaFor(await accountOf(payments, order), remainingMs);
  try {
    const { call } = await viva.cancelOrder(orderCode);
    return await payments.change('rf-order', rfOrderId, (item) => {
      const cancelled = callEntry(now(), 'rf_order.cancelled', call);
      return (
        rfOrderTransition(item, 'cancelled', { workingUntil: undefined }, cancelled) ?? {
          timeline: appended(item.timeline, cancelled),
        }
      );
    });
  } catch (error) {
    if (error instanceof RejectedError) {
      return order;
    }
    throw error;
  }
}

const nothing: RfEvidence = { records: [], isWhole: false };

/** The platform closes an exact order at its first payment, so while the order is open its transactions are not read. */
async function read(order: RfOrder & { readonly orderCode: string }, viva: Viva, now: number): Promise<RfEvidence> {
  const { orderCode, disableExactAmount, readings } = order;
  if (effectiveStatus(order) !== 'pending') {
    const { records } = await viva.listOrderTransactions(orderCode);
    return { records, isWhole: true };
  }
  const { state, amount } = await viva.readOrder(orderCode);
  const seen = { state, ...(amount !== undefined && { amount }) };
  const isOpen = state === 'pending' && !disableExactAmount && readings === undefined && !isPastExpiry(order, now);
  if (isOpen) {
    return { order: seen, records: [], isWhole: false };
  }
  const { records } = await viva.listOrderTransactions(orderCode);
  return { order: seen, records, isWhole: true };
}

/** The records that belong to the order by its code or a payment, or whose reference says so. */
function ofOrder(order: RfOrder, records: readonly TransactionRecord[]): readonly TransactionRecord[] {
  const ids = new Set(order.payments.map(idOf));
  const isOwn = ({ orderCode }: TransactionRecord) => orderCode !== undefined && orderCode === order.orderCode;
  const isChild = ({ parentId = '' }: TransactionRecord) => ids.has(parentId.toLowerCase());
  const named = records.filter((one) => isOwn(one) || ids.has(idOf(one)) || isChild(one));
  return [...new Set([...familyOf(records, order.rfOrderId), ...named])];
}

/** Whether a child's payment is neither known nor among the records. */
function hasOrphans({ payments }: RfOrder, records: readonly TransactionRecord[]): boolean {
  const ids = new Set([...payments, ...records].map(idOf));
  return records.some(({ parentId }) => parentId !== undefined && !ids.has(parentId.toLowerCase()));
}

function changes(order: RfOrder, { dueAt: _, ...patch }: ReturnType<typeof judged>): boolean {
  const before = order as unknown as Record<string, unknown>;
  return Object.entries(patch).some(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value));
}

function cancellationWaits({ status, cancelRequestedAt }: RfOrder): boolean {
  return status === 'pending' && cancelRequestedAt !== undefined;
}
