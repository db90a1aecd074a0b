/**
 * Creates an RF order at the platform: an order, then its payment code. One attempt works at a time, and each step is
 * stored, so the next attempt continues where the last one stopped.
 *
 * Safe to run twice: no step moves money, and only one order code is ever stored. The payment code of any other order is
 * never shown, and that order is cancelled or expires.
 */

import { type FlowError, RejectedError, TransientError } from '../../flow/errors.ts';
import { accountOf } from '../../payments/existing.ts';
import type { FailureCode } from '../../payments/failures.ts';
import type { RfOrder } from '../../payments/items/rf-order.ts';
import { reference } from '../../payments/references.ts';
import { isRfCode } from '../../payments/rf-code.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';
import { appended, callEntry, entry } from '../../payments/timeline.ts';
import { rfOrderTransition } from '../../payments/transitions.ts';
import { platformReason } from '../../viva/outcomes.ts';
import type { Viva } from '../../viva/viva.ts';
import { unpark } from '../../webhooks/inbox.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { nextRead } from './schedule.ts';

/** Longer than the storefront's invocation can run. A slower attempt finds in the item that another one continued. */
const LEASE_MS = 30_000;
const RETRY_MS = MINUTE_MS;
const GIVE_UP_AFTER_MS = 30 * MINUTE_MS;

/** The patch that an attempt writes first. Other attempts wait until then, and the order is due after it. */
export function creationLease(now: number): { readonly workingUntil: string; readonly dueAt: string } {
  const until = iso(now + LEASE_MS);
  return { workingUntil: until, dueAt: until };
}

/** Continues a creation that no attempt works on. Otherwise leaves the order as it is. */
export async function takeOverCreation({ rfOrderId }: RfOrder, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, now } = deps;
  const { item: order, won } = await payments.claim('rf-order', rfOrderId, ({ status, workingUntil }) =>
    status === 'creating' && (workingUntil === undefined || Date.parse(workingUntil) <= now())
      ? creationLease(now())
      : undefined,
  );
  if (!won) {
    return order;
  }
  return Date.parse(order.createdAt) + GIVE_UP_AFTER_MS <= now()
    ? fail(order, 'RF_NOT_CREATED', undefined, deps)
    : createAtPlatform(order, deps);
}

/**
 * For the attempt that holds the lease. Resolves to the order after that; if it is still `creating`, the reconciler
 * continues later. Throws any error that is neither a refusal nor transient, after it released the lease.
 */
export async function createAtPlatform(order: RfOrder, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, vivaFor, now, remainingMs } = deps;
  try {
    const viva = vivaFor(await accountOf(payments, order), remainingMs);
    const ordered = order.orderCode === undefined ? await orderAtPlatform(order, viva, deps) : order;
    return ordered.status === 'creating' ? await giveCode(ordered, viva, deps) : ordered;
  } catch (error) {
    if (error instanceof RejectedError) {
      return fail(order, error.code as FailureCode, error, deps);
    }
    const left = await payments.change('rf-order', order.rfOrderId, (item) =>
      item.status === 'creating' ? { workingUntil: undefined, dueAt: iso(now() + RETRY_MS) } : undefined,
    );
    if (error instanceof TransientError) {
      return left;
    }
    throw error;
  }
}

async function orderAtPlatform(order: RfOrder, viva: Viva, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, now } = deps;
  const { orderCode, call } = await viva.createOrder({
    ...order,
    merchantTrns: reference(order.merchantTrns, order.rfOrderId),
  });
  const { expiresInSeconds } = order;
  const kept = await payments.change('rf-order', order.rfOrderId, (item) =>
    item.status !== 'creating' || item.orderCode !== undefined
      ? undefined
      : {
          orderCode,
          ...(expiresInSeconds !== null && { expiresAt: iso(now() + expiresInSeconds * 1000) }),
          timeline: appended(item.timeline, callEntry(now(), 'rf_order.ordered', call)),
        },
  );
  if (kept.orderCode !== orderCode) {
    await cancelAtPlatform(orderCode, viva);
  }
  return kept;
}

async function giveCode(order: RfOrder, viva: Viva, deps: ReconciliationDeps): Promise<RfOrder> {
  const { payments, now } = deps;
  const { rfOrderId, merchantId, orderCode = '' } = order;
  // Before anybody can pay, so that webhooks which name only the order code find the order.
  await payments.create('order-pointer', orderCode, { merchantId, rfOrderId }, { listed: false });
  await unpark(payments, orderCode, now()); // webhooks that came earlier
  const { rfCode, call } = await viva.createPaymentCode(orderCode);
  if (!isRfCode(rfCode)) {
    return fail(order, 'RF_CODE_INVALID', undefined, deps);
  }
  return payments.change('rf-order', rfOrderId, (item) =>
    rfOrderTransition(
      item,
      'pending',
      { rfCode, workingUntil: undefined, dueAt: nextRead({ ...item, rfCode, status: 'pending' }, now()) },
      callEntry(now(), 'rf_order.pending', call),
    ),
  );
}

/** Ends the order as `failed`. Its payment code was never shown and never will be. */
async function fail(
  { rfOrderId }: RfOrder,
  code: FailureCode,
  reason: FlowError | undefined,
  { payments, vivaFor, now, remainingMs }: ReconciliationDeps,
): Promise<RfOrder> {
  const platform = reason && platformReason(reason);
  const failed = await payments.change('rf-order', rfOrderId, (item) =>
    item.status === 'creating'
      ? rfOrderTransition(
          item,
          'failed',
          { failure: { code, ...(platform && { platform }) }, workingUntil: undefined },
          entry(now(), 'rf_order.failed', { code }),
        )
      : undefined,
  );
  if (failed.status === 'failed' && failed.orderCode !== undefined) {
    await cancelAtPlatform(failed.orderCode, vivaFor(await accountOf(payments, failed), remainingMs));
  }
  return failed;
}

/** Cancels an order whose payment code was never shown. If this fails, the order expires unpaid. */
async function cancelAtPlatform(orderCode: string, viva: Viva): Promise<void> {
  await viva.cancelOrder(orderCode).catch(() => {});
}
