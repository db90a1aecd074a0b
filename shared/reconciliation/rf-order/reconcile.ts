/**
 * Reconciles an RF order: reads the platform with our own credentials, and writes down what its records prove. A
 * webhook proves nothing. Call it whenever something may have happened. It is safe to repeat and to run twice at the
 * same time.
 */
import { RejectedError } from '../../flow/errors.ts';
import { accountOf, existing } from '../../payments/existing.ts';
import type { RfOrder } from '../../payments/items.ts';
import { appended, callEntry } from '../../payments/timeline.ts';
import { rfOrderTransition } from '../../payments/transitions.ts';
import type { Platform, TransactionRecord } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { idOf } from '../records/proof.ts';
import { familyOf } from '../records/search.ts';
import type { RfEvidence } from './books.ts';
import { takeOverCreation } from './creation.ts';
import { earliest, judged } from './judgement.ts';
import { standing } from './notes.ts';
import { otherCodesOf, readOthers, rememberOthers } from './other-orders.ts';
import { isPastExpiry } from './schedule.ts';

/** What came with the message that caused the reconciliation. */
export interface Hints {
  /** Order codes that may be the order's, too. */
  readonly otherCodes?: readonly string[];
  /** Records of the platform that were read already. */
  readonly records?: readonly TransactionRecord[];
}

/** At most so many codes of messages are read at once, because each costs a read. */
const MOST_OTHERS = 3;

/** Resolves to the order as it is then. Also continues a creation that stopped half way. */
export async function reconcileRfOrder(
  rfOrderId: string,
  deps: ReconciliationDeps,
  told: Hints = {},
): Promise<RfOrder> {
  const { payments, platformFor, now, remainingMs } = deps;
  const order = await existing(payments, 'rf-order', rfOrderId);
  if (order.status === 'creating') {
    return takeOverCreation(order, deps);
  }
  const { orderCode } = order;
  const known = otherCodesOf(order);
  const hinted = (told.otherCodes ?? []).filter((code) => !known.includes(code) && code !== orderCode);
  const otherCodes = [...known, ...hinted.slice(-MOST_OTHERS)];
  const platform = platformFor(await accountOf(payments, order), remainingMs);
  const own = orderCode === undefined ? nothing : await read({ ...order, orderCode }, platform, now());
  const others = await readOthers(order, otherCodes, platform);
  const evidence = { ...own, records: [...ofOrder(order, told.records ?? []), ...others, ...own.records] };
  const settled = await payments.change('rf-order', rfOrderId, (item) => judged(item, evidence, now()));
  await rememberOthers(order, settled, deps);
  return cancellationWaits(settled) ? cancelAtPlatform(settled, deps) : settled;
}

/**
 * By records that somebody has read already: a list of the merchant's day, whole or in part. Reads the platform only
 * where these show a return without its payment. Resolves to the order as it is then; what counts at a second reading
 * only is read again by the order itself, some minutes later.
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
  const settled = await payments.change('rf-order', rfOrderId, (item) => {
    const patch = judged(item, { records, isWhole: false }, now());
    // The order itself was not read, so its next read stays where it is.
    return changes(item, patch) ? { ...patch, dueAt: earliest(item.dueAt, patch.dueAt) } : undefined;
  });
  await rememberOthers(order, settled, deps);
  return settled;
}

/** For an order whose cancellation was requested. After a refusal a read tells the state of the order. */
export async function cancelAtPlatform(order: RfOrder, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, platformFor, now, remainingMs } = deps;
  const { rfOrderId, orderCode } = order;
  if (orderCode === undefined) {
    return order;
  }
  const platform = platformFor(await accountOf(payments, order), remainingMs);
  try {
    const { call } = await platform.cancelOrder(orderCode);
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

/** An exact order is closed by its first payment, so while it is open there is none to look for. */
async function read(
  order: RfOrder & { readonly orderCode: string },
  platform: Platform,
  now: number,
): Promise<RfEvidence> {
  const { orderCode, disableExactAmount, readings } = order;
  if (standing(order) !== 'pending') {
    const { records } = await platform.listOrderTransactions(orderCode);
    return { records, isWhole: true };
  }
  const { state, amount } = await platform.readOrder(orderCode);
  const seen = { state, ...(amount !== undefined && { amount }) };
  const isOpen = state === 'pending' && !disableExactAmount && readings === undefined && !isPastExpiry(order, now);
  if (isOpen) {
    return { order: seen, records: [], isWhole: false };
  }
  const { records } = await platform.listOrderTransactions(orderCode);
  return { order: seen, records, isWhole: true };
}

/** Of many records those that are the order's, or say so. */
function ofOrder(order: RfOrder, records: readonly TransactionRecord[]): readonly TransactionRecord[] {
  const ids = new Set(order.payments.map(idOf));
  const isOwn = ({ orderCode }: TransactionRecord) => orderCode !== undefined && orderCode === order.orderCode;
  const isChild = ({ parentId = '' }: TransactionRecord) => ids.has(parentId.toLowerCase());
  const named = records.filter((one) => isOwn(one) || ids.has(idOf(one)) || isChild(one));
  return [...new Set([...familyOf(records, order.rfOrderId), ...named])];
}

/** A child whose payment is neither known nor among the records. */
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
