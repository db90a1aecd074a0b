/** What several routes do with an order: find it for its owner, and cancel it. */

import { answer, legacyRefusal, legacyTail, Refusal } from '../http/answers.ts';
import type { Simulator } from '../simulator.ts';
import { sendOrderWebhook } from '../webhooks/webhooks.ts';
import type { Account } from './accounts.ts';
import { ORDER_STATE, type Order, orderState } from './orders.ts';
import { orderCodeOf } from './transaction-views.ts';

export function ownOrder(sim: Simulator, { merchantId }: Account, orderCode: string): Order {
  const order = sim.books.orders.find(orderCode);
  if (order?.merchantId !== merchantId) {
    throw legacyRefusal(sim, 404, 'Order not found');
  }
  return order;
}

/** Returns the answer of the payment API. */
export function cancelOrder(sim: Simulator, order: Order) {
  if (orderState(order, sim.clock.now()) === ORDER_STATE.paid) {
    throw legacyRefusal(sim, 403, 'The order is already paid');
  }
  if (order.isCanceled && sim.switches.get('cancelAgain') === 'not_found') {
    throw new Refusal(answer(undefined, { status: 404 }));
  }
  if (!order.isCanceled) {
    order.isCanceled = true;
    sendOrderWebhook(sim, order);
  }
  return { OrderCode: orderCodeOf(sim, order.orderCode), ...legacyTail(sim) };
}
