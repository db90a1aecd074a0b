/**
 * Webhooks about an RF order. What they report is searched until it is found or can no longer appear, whatever the
 * status of the order: a webhook may arrive before the platform's list shows the payment, and an expired order may be
 * paid late.
 */
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import type { RfOrder } from '../../../shared/payments/items/rf-order.ts';
import { isCommissionSeen, isEndSeen, isSeen } from '../../../shared/reconciliation/rf-order/notes.ts';
import { reconcileRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { type HandleDeps, type Handled, mayAppear, resultOf } from './handled.ts';

export async function handleRfOrder(order: RfOrder, webhooks: readonly Webhook[], deps: HandleDeps): Promise<Handled> {
  const unexplained = webhooks.filter((webhook) => !isFound(order, webhook));
  if (unexplained.length === 0) {
    return { state: 'acted', outcome: order.status, news: false, isFree: true };
  }
  const otherCodes = otherCodesNamedBy(unexplained, order);
  const after = await reconcileRfOrder(order.rfOrderId, deps, { otherCodes });
  await deps.publish('rf-order', order.rfOrderId);
  const handled = resultOf(order, after);
  const held = unexplained
    .filter((webhook) => !isFound(after, webhook) && mayAppear([webhook], deps.now()))
    .filter((webhook) => reportsNews(webhook, handled));
  return held.length > 0 ? { ...handled, state: 'new', held } : handled;
}

/** Other orders at the platform that may be paid for this one. Only a payer who was notified knows of any. */
export function otherCodesNamedBy(webhooks: readonly Pick<Webhook, 'orderCode'>[], order: RfOrder): readonly string[] {
  const codes = webhooks.flatMap(({ orderCode = order.orderCode }) => orderCode ?? []);
  return order.notifyCustomer ? [...new Set(codes)].filter((code) => code !== order.orderCode) : [];
}

/** Whether the order contains what the webhook reports, and will be read again for what is missing. */
export function isFound(order: RfOrder, { eventTypeId, transactionId }: Webhook): boolean {
  if (eventTypeId === webhookTypes.orderUpdated) {
    return isEndSeen(order);
  }
  if (transactionId === undefined) {
    return false;
  }
  return eventTypeId === webhookTypes.priceCalculated
    ? isCommissionSeen(order, transactionId)
    : isSeen(order, transactionId);
}

/**
 * Whether something is still to be found: a failed payment leaves nothing, and a webhook without a transaction may mean
 * one that was found.
 */
function reportsNews({ eventTypeId, transactionId }: Webhook, { news }: Handled): boolean {
  return eventTypeId !== webhookTypes.transactionFailed && (transactionId !== undefined || !news);
}
