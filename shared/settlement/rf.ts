/**
 * What becomes of an RF order. Nobody's word is taken for it, not a webhook's either: the platform is read with our own
 * credentials, and what its records prove is written down. Called by whoever thinks that something may have happened;
 * calling it again, or twice at once, changes nothing.
 */
import { RejectedError } from '../errors.ts';
import type { RfOrder } from '../items.ts';
import { rfOrderMoved } from '../moves.ts';
import type { Payments } from '../payments.ts';
import type { Platform } from '../platform/platform.ts';
import { accountOf, existing } from '../subjects.ts';
import { appended, callEntry } from '../timeline.ts';
import { takeOverCreation } from './rf-creation.ts';
import { judged, type RfEvidence } from './rf-judgement.ts';
import { othersPaid, readOthers, rememberOthers } from './rf-others.ts';
import { isPastExpiry, MAX_READS } from './rf-schedule.ts';
import type { SettlementDeps } from './settlement.ts';

/** What messages told that caused a look. */
export interface Told {
  /** Order codes that may be the order's, too. */
  readonly otherCodes: readonly string[];
}

/**
 * Resolves to the order as it is then. Goes on with one whose creation stopped half way, too. Looks that messages caused
 * do not use up the order's own reads: how often they come is bounded by the messages' inbox.
 */
export async function settleRfOrder(rfOrderId: string, deps: SettlementDeps, told?: Told): Promise<RfOrder> {
  const { payments, platformFor, now, remainingMs } = deps;
  const order = await existing(payments, 'rf', rfOrderId);
  if (order.status === 'creating') {
    return takeOverCreation(order, deps);
  }
  const { orderCode } = order;
  const otherCodes = new Set([...othersPaid(order), ...(told?.otherCodes ?? [])]);
  const exhausted = told === undefined && order.reads >= MAX_READS;
  if (exhausted || (orderCode === undefined && otherCodes.size === 0)) {
    return leftAlone(order, payments);
  }
  const platform = platformFor(await accountOf(payments, order), remainingMs);
  const own = orderCode === undefined ? { reads: 0 } : await read({ ...order, orderCode }, platform, now());
  const others = await readOthers(order, [...otherCodes], platform);
  const evidence = {
    ...own,
    ...(others.length > 0 && { records: [...(own.records ?? []), ...others] }),
    reads: told === undefined ? own.reads + otherCodes.size : 0,
  };
  const judgedOrder = await payments.change('rf', rfOrderId, (item) => judged(item, evidence, now()));
  await rememberOthers(judgedOrder, told?.otherCodes ?? [], deps);
  return cancellationWaits(judgedOrder) ? cancelAtPlatform(judgedOrder, deps) : judgedOrder;
}

/** For one whose cancellation was asked for. A refusal is no answer: a read tells what the order is instead. */
export async function cancelAtPlatform(order: RfOrder, deps: SettlementDeps): Promise<RfOrder> {
  const { payments, platformFor, now, remainingMs } = deps;
  const { rfOrderId, orderCode } = order;
  if (orderCode === undefined) {
    return order;
  }
  const platform = platformFor(await accountOf(payments, order), remainingMs);
  try {
    const { call } = await platform.cancelOrder(orderCode);
    return await payments.change('rf', rfOrderId, (item) => {
      const cancelled = callEntry(now(), 'rf_order.cancelled', call);
      return (
        rfOrderMoved(item, 'cancelled', { workingUntil: undefined }, cancelled) ?? {
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

/** An exact order is closed by its first payment, so while it is open there is none to look for. */
async function read(
  order: RfOrder & { readonly orderCode: string },
  platform: Platform,
  now: number,
): Promise<RfEvidence> {
  const { orderCode, status } = order;
  if (status !== 'pending') {
    const { records } = await platform.listOrderTransactions(orderCode);
    return { records, reads: 1 };
  }
  const { state, amount } = await platform.readOrder(orderCode);
  const seen = { state, ...(amount !== undefined && { amount }) };
  if (state === 'pending' && !order.disableExactAmount && !isPastExpiry(order, now)) {
    return { order: seen, reads: 1 };
  }
  const { records } = await platform.listOrderTransactions(orderCode);
  return { order: seen, records, reads: 2 };
}

/** There is nothing to read about it, any more. */
function leftAlone(order: RfOrder, payments: Payments): Promise<RfOrder> {
  return payments.change('rf', order.rfOrderId, ({ dueAt, outbox = [] }) =>
    dueAt === undefined || outbox.length > 0 ? undefined : { dueAt: undefined },
  );
}

function cancellationWaits({ status, cancelRequestedAt }: RfOrder): boolean {
  return status === 'pending' && cancelRequestedAt !== undefined;
}
