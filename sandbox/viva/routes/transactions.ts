/** Reads of transactions in checkout v2. */

import { v2View } from '../books/transaction-views.ts';
import { bearerCaller, type Caller, merchantOf } from '../http/access.ts';
import { answer, apiRefusal } from '../http/answers.ts';
import { queryOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { type EndpointEnv, newRoutes, type Routes } from './routes.ts';

export function transactionRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  const read = (caller: Caller, raw: Request, transactionId: string, { hides }: EndpointEnv) => {
    const { merchantId } = merchantOf(sim, caller, queryOf(sim, raw, 'merchantId'));
    const transaction = sim.books.transactions.find(merchantId, transactionId);
    if (transaction === undefined || hides?.(transaction)) {
      throw apiRefusal(sim, 404, 'TransactionNotFound');
    }
    return answer(v2View(sim, transaction), { eventId: transaction.eventId });
  };
  app.get('/checkout/v2/transactions/:id', (c) =>
    read(bearerCaller(sim, c.req.raw, 'smartCheckout'), c.req.raw, c.req.param('id'), c.env),
  );
  app.get('/checkout/v2/isv/transactions/:id', (c) =>
    read(bearerCaller(sim, c.req.raw, 'isv'), c.req.raw, c.req.param('id'), c.env),
  );
  return app;
}
