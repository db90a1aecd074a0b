/**
 * Webhooks about an RF order. What they report is searched until it is found or can no longer appear, whatever the
 * status of the order: a webhook may arrive before the platform's list shows the payment, and an expired order may be
 * paid late.
 */
import type { Message } from '../../../shared/payments/items/inbox.ts';
import type { RfOrder } from '../../../shared/payments/items/rf-order.ts';
import { isCommissionSeen, isEndSeen, isSeen } from '../../../shared/reconciliation/rf-order/notes.ts';
import { eventTypes } from '../../../shared/webhooks/message.ts';
import { type Handled, mayAppear, resultOf, type SubjectDeps } from './handled.ts';

export async function handleRfOrder(
  order: RfOrder,
  messages: readonly Message[],
  deps: Pick<SubjectDeps, 'reconcileRfOrder' | 'now'>,
  remainingMs: () => number,
): Promise<Handled> {
  const news = messages.filter((message) => !isFound(order, message));
  if (news.length === 0) {
    return { state: 'acted', outcome: order.status, news: false, isFree: true };
  }
  const otherCodes = otherCodesNamedBy(news, order);
  const after = await deps.reconcileRfOrder(order.rfOrderId, remainingMs, { otherCodes });
  const handled = resultOf(order, after);
  const held = news
    .filter((message) => !isFound(after, message) && mayAppear([message], deps.now()))
    .filter((message) => reportsNews(message, handled));
  return held.length > 0 ? { ...handled, state: 'new', held } : handled;
}

/** Other orders at the platform that may be paid for this one. Only a payer who was notified knows of any. */
export function otherCodesNamedBy(messages: readonly Pick<Message, 'orderCode'>[], order: RfOrder): readonly string[] {
  const codes = messages.flatMap(({ orderCode = order.orderCode }) => orderCode ?? []);
  return order.notifyCustomer ? [...new Set(codes)].filter((code) => code !== order.orderCode) : [];
}

/** Whether the order contains what the webhook reports, and will be read again for what is missing. */
export function isFound(order: RfOrder, { eventTypeId, transactionId }: Message): boolean {
  if (eventTypeId === eventTypes.orderUpdated) {
    return isEndSeen(order);
  }
  if (transactionId === undefined) {
    return false;
  }
  return eventTypeId === eventTypes.priceCalculated
    ? isCommissionSeen(order, transactionId)
    : isSeen(order, transactionId);
}

/**
 * Whether something is still to be found: a failed payment leaves nothing, and a webhook without a transaction may mean
 * one that was found.
 */
function reportsNews({ eventTypeId, transactionId }: Message, { news }: Handled): boolean {
  return eventTypeId !== eventTypes.transactionFailed && (transactionId !== undefined || !news);
}
