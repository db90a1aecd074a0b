/** The payment session of an order, which gives its RF Payment Code. It needs no credentials but the order code. */
import * as z from 'zod';
import { ORDER_STATE, orderState } from '../books/orders.ts';
import { newRfCode } from '../books/rf-code.ts';
import { answer, apiRefusal, invalidField } from '../http/answers.ts';
import { bodyOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

const ORDER_NOT_FOUND = 5501;
const request = z.looseObject({ orderCode: z.union([z.string(), z.int()]) });

export function paymentSessionRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.post('/web2/checkout/v2/paymentsessions', async (c) => {
    const { orderCode } = await bodyOf(c.req.raw, request, (where) => invalidField(sim, where));
    const order = sim.books.orders.find(String(orderCode));
    if (order === undefined) {
      throw apiRefusal(sim, 404, 'OrderNotFound', ORDER_NOT_FOUND);
    }
    if (sim.accounts.find(order.merchantId)?.rights.rf !== true) {
      throw apiRefusal(sim, 403, 'PaymentMethodNotAvailable');
    }
    if (orderState(order, sim.clock.now()) !== ORDER_STATE.pending) {
      throw apiRefusal(sim, 400, 'OrderNotPayable');
    }
    order.rfCode ??= newRfCode(
      sim.random,
      sim.switches.get('rfDigits'),
      order.disableExactAmount ? null : order.amount,
    );
    return answer(sim.switches.get('rfResponse') === 'code' ? { rfPaymentCode: order.rfCode } : undefined);
  });
  return app;
}
