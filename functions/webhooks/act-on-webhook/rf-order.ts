/**
 * What a message about an RF order tells of is looked for until it was found or cannot appear any more, whatever the order's
 * status is: an expired one is paid late by a message that came before the platform's list showed the payment.
 */
import type { Message, RfOrder } from '../../../shared/payments/items.ts';
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
  const otherCodes = otherCodesIn(news, order);
  const after = await deps.reconcileRfOrder(order.rfOrderId, remainingMs, { otherCodes });
  const handled = resultOf(order, after);
  const held = news
    .filter((message) => !isFound(after, message) && mayAppear([message], deps.now()))
    .filter((message) => tells(message, handled));
  return held.length > 0 ? { ...handled, state: 'new', held } : handled;
}

/** Other orders of the platform that may be paid for this one: only a payer who is notified knows of any. */
export function otherCodesIn(told: readonly Pick<Message, 'orderCode'>[], order: RfOrder): readonly string[] {
  const codes = told.flatMap(({ orderCode = order.orderCode }) => orderCode ?? []);
  return order.notifyCustomer ? [...new Set(codes)].filter((code) => code !== order.orderCode) : [];
}

/** Whether the order knows what the message tells of, and looks again by itself for what is missing of it. */
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

/** Of something that is still to be found: a failed payment leaves nothing, and what is not named may be what was found. */
function tells({ eventTypeId, transactionId }: Message, { news }: Handled): boolean {
  return eventTypeId !== eventTypes.transactionFailed && (transactionId !== undefined || !news);
}
