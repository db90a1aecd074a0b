/** Reads of transactions in the payment API: by id, and in lists by day, order or source. */

import { legacyView } from '../books/transaction-views.ts';
import { isOfDay, type Transaction } from '../books/transactions.ts';
import { basicCaller } from '../http/access.ts';
import { answer, legacyRefusal, legacyTail } from '../http/answers.ts';
import { queryOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

export function legacyReadRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.get('/api/transactions', (c) => {
    const { account, set } = basicCaller(sim, c.req.raw);
    const fits = filterOf(sim, c.req.raw, set === 'reseller');
    const found = sim.books.transactions.list(account.merchantId, (one) => fits(one) && !c.env.hides?.(one));
    return answer({ Transactions: found.map((one) => legacyView(sim, one)), ...legacyTail(sim) });
  });
  app.get('/api/transactions/:id', (c) => {
    const { account } = basicCaller(sim, c.req.raw);
    const transaction = sim.books.transactions.find(account.merchantId, c.req.param('id'));
    if (transaction === undefined || c.env.hides?.(transaction)) {
      const tail = { ...legacyTail(sim), ErrorCode: 404, ErrorText: 'Transaction not found', Success: false };
      return answer({ Transactions: [], ...tail }, { status: 404 });
    }
    return answer({ Transactions: [legacyView(sim, transaction)], ...legacyTail(sim) });
  });
  return app;
}

function filterOf(sim: Simulator, raw: Request, byReseller: boolean): (transaction: Transaction) => boolean {
  const orderCode = queryOf(sim, raw, 'ordercode');
  const date = queryOf(sim, raw, 'date');
  const clearanceDate = queryOf(sim, raw, 'clearancedate');
  const sourceCode = queryOf(sim, raw, 'sourcecode');
  if (orderCode !== undefined) {
    // The list by order that an ISV reads has no failed payments.
    return (one) => one.orderCode === orderCode && !(byReseller && one.statusId === 'E');
  }
  const day = date ?? clearanceDate;
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}/.test(day)) {
    throw legacyRefusal(sim, 400, 'A date or an order code is needed');
  }
  return (one) => isOfDay(one, day.slice(0, 10)) && (sourceCode === undefined || one.sourceCode === sourceCode);
}
