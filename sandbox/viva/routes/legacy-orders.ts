/** Orders on the base host, for Basic credentials: read, change and cancel. */
import * as z from 'zod';
import { athensTime } from '../athens.ts';
import { cancelOrder, ownOrder } from '../books/order-acts.ts';
import { type Order, orderState } from '../books/orders.ts';
import { orderCodeOf } from '../books/transaction-views.ts';
import { basicCaller } from '../http/access.ts';
import { answer, legacyRefusal, legacyTail } from '../http/answers.ts';
import { bodyOf, minorUnits } from '../http/input.ts';
import { majorUnits } from '../http/json.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

const change = z.looseObject({
  amount: minorUnits.optional(),
  disablePaidState: z.boolean().optional(),
  expirationDate: z.iso.datetime({ offset: true, local: true }).optional(),
  isCanceled: z.boolean().optional(),
});

export function legacyOrderRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.get('/api/orders/:code', (c) => {
    const { account } = basicCaller(sim, c.req.raw);
    const order = sim.books.orders.find(c.req.param('code'));
    return order?.merchantId === account.merchantId
      ? answer(view(sim, order))
      : answer({ ...legacyTail(sim), ErrorCode: 404, ErrorText: 'Order not found', Success: false }, { status: 404 });
  });
  app.patch('/api/orders/:code', async (c) => {
    const { account } = basicCaller(sim, c.req.raw);
    const order = ownOrder(sim, account, c.req.param('code'));
    const body = await bodyOf(c.req.raw, change, (where) => legacyRefusal(sim, 400, `The ${where} is invalid`));
    order.amount = body.amount ?? order.amount;
    order.disablePaidState = body.disablePaidState ?? order.disablePaidState;
    order.expiresMs = body.expirationDate === undefined ? order.expiresMs : Date.parse(body.expirationDate);
    if (body.isCanceled === true) {
      cancelOrder(sim, order);
    }
    return answer({ OrderCode: orderCodeOf(sim, order.orderCode), ...legacyTail(sim) });
  });
  app.delete('/api/orders/:code', (c) => {
    const { account } = basicCaller(sim, c.req.raw);
    return sim.switches.get('cancelOrder') === 'legacy'
      ? answer(cancelOrder(sim, ownOrder(sim, account, c.req.param('code'))))
      : answer(undefined, { status: 405 });
  });
  return app;
}

function view(sim: Simulator, order: Order) {
  return {
    OrderCode: orderCodeOf(sim, order.orderCode),
    SourceCode: order.sourceCode,
    Tags: order.tags,
    TipAmount: majorUnits(order.tipAmount),
    RequestLang: order.requestLang,
    MerchantTrns: order.merchantTrns,
    CustomerTrns: order.customerTrns,
    MaxInstallments: order.maxInstallments,
    RequestAmount: majorUnits(order.amount),
    ExpirationDate: order.expiresMs === null ? null : athensTime(order.expiresMs),
    StateId: orderState(order, sim.clock.now()),
  };
}
