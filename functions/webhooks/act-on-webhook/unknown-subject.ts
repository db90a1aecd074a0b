/**
 * Webhooks that name nothing of ours. A movement of the account may be a payment of any order. A reversal names the order
 * of the payment that it reverses, which we do not know for a card payment. The transaction of either is read, and its
 * parents: a child, such as a refund made in the platform's portal, may carry no reference of ours. Anything else causes
 * no read of the platform.
 */
import { TransientError } from '../../../shared/flow/errors.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import { idAtEndOf } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { reconcileRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import type { TransactionRecord, Viva } from '../../../shared/viva/viva.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { handleCharge } from './charge.ts';
import { type HandleDeps, type Handled, mayAppear, resultOf } from './handled.ts';
import { isFound, otherCodesNamedBy } from './rf-order.ts';
import { handleSale } from './sale.ts';
import { type Target, targetOf } from './subject.ts';
import { takesTurn, wakeOrders } from './wake-orders.ts';

/** The longest chain: a refund of a capture of a pre-authorization. */
const GENERATIONS = 3;

type Found =
  | { readonly of: 'ours'; readonly target: Target; readonly record: TransactionRecord }
  | { readonly of: 'other' }
  /** Not visible yet, or not of this account. */
  | { readonly of: 'hidden' };

export async function handleUnknownSubject(webhooks: readonly Webhook[], deps: HandleDeps): Promise<Handled> {
  const webhook = webhooks.find(isMovement) ?? webhooks.findLast(isReversal);
  if (webhook === undefined) {
    return { state: 'parked', outcome: 'not known', news: false, isFree: true };
  }
  const { payments, vivaFor, now, remainingMs } = deps;
  const mayCome = mayAppear([webhook], now());
  const account = await takesTurn(webhook, payments, now());
  if (account === undefined || account === 'later') {
    const unseen = account === 'later' && mayCome ? 'new' : 'parked';
    return { state: isReversal(webhook) ? unseen : 'acted', outcome: 'not now', news: false, isFree: true };
  }
  if (webhook.transactionId !== undefined) {
    const viva = vivaFor(account, remainingMs);
    const found = await targetOfTransaction(webhook.transactionId, account.merchantId, payments, viva);
    if (found.of === 'ours') {
      return handlePaymentOf(found, webhook, deps);
    }
    if (found.of === 'hidden' && mayCome) {
      return { state: 'new', outcome: 'not visible', news: false };
    }
    if (found.of === 'other' || isReversal(webhook)) {
      return { state: 'acted', outcome: 'another payment', news: false };
    }
  }
  const woken = await wakeOrders(account, payments, now());
  return { state: 'acted', outcome: `woke ${woken} orders`, news: true };
}

/** For webhooks about a transaction. Card payments that are no reversals have their own webhooks. */
async function handlePaymentOf(
  { target, record }: Extract<Found, { of: 'ours' }>,
  webhook: Webhook,
  deps: HandleDeps,
): Promise<Handled> {
  if (target.kind === 'rf-order') {
    const found = { otherCodes: otherCodesNamedBy([record], target.item), records: [record] };
    const after = await reconcileRfOrder(target.item.rfOrderId, deps, found);
    await deps.publish('rf-order', target.item.rfOrderId);
    const handled = resultOf(target.item, after);
    return isFound(after, webhook) || !mayAppear([webhook], deps.now()) ? handled : { ...handled, state: 'new' };
  }
  if (!isReversal(webhook)) {
    return { state: 'acted', outcome: 'another payment', news: false };
  }
  return target.kind === 'sale' ? handleSale(target.item, [webhook], deps) : handleCharge(target.item, [webhook], deps);
}

function isMovement({ eventTypeId }: Webhook): boolean {
  return eventTypeId === webhookTypes.accountTransactionCreated;
}

function isReversal({ eventTypeId, transactionId }: Webhook): boolean {
  return eventTypeId === webhookTypes.reversalCreated && transactionId !== undefined;
}

/**
 * Reads the platform once per generation. Throws what the platform's client throws, except for a transaction that is
 * not visible.
 */
async function targetOfTransaction(
  transactionId: string,
  recipient: Webhook['recipient'],
  payments: Payments,
  viva: Viva,
): Promise<Found> {
  let next: string | undefined = transactionId;
  try {
    for (let generation = 0; generation < GENERATIONS && next !== undefined; generation++) {
      const { record } = await viva.readTransaction(next);
      const subject = idAtEndOf(record.merchantTrns ?? '') ?? record.orderCode;
      const target = subject === undefined ? undefined : await targetOf(subject, payments);
      if (target?.item.merchantId === recipient) {
        return { of: 'ours', target, record };
      }
      next = record.parentId;
    }
    return { of: 'other' };
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
      return { of: 'hidden' };
    }
    throw error;
  }
}
