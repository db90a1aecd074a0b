/** Control of the payer's bank. */
import { Hono } from 'hono';
import * as z from 'zod';
import { returnTransfer, transferMoney } from '../books/bank.ts';
import type { Simulator } from '../simulator.ts';
import { json, Problem, readBody } from './problem.ts';

const transfer = z.strictObject({
  rfCode: z.string().min(1),
  amount: z.int('must be an integer in minor units: 1500 for 15.00 EUR').min(1),
});

/** A bank returns a transfer whole. */
const nothing = z.strictObject({});

export function bankRoutes(sim: Simulator): Hono {
  const app = new Hono();
  app.post('/_sim/bank/transfers', async (c) => {
    const { rfCode, amount } = await readBody(c.req.raw, transfer);
    const done = transferMoney(sim, rfCode, amount);
    if (typeof done === 'string') {
      throw new Problem(422, 'The bank refused the transfer. The code says why.', { code: done });
    }
    return json({ transferId: done.transferId, transactionId: done.transaction.transactionId }, 201);
  });
  app.post('/_sim/bank/transfers/:id/return', async (c) => {
    await readBody(c.req.raw, nothing);
    const done = sim.books.transfers.get(c.req.param('id'));
    if (done === undefined) {
      throw new Problem(404, 'There is no such transfer.');
    }
    const returned = returnTransfer(sim, done);
    if (returned === undefined) {
      throw new Problem(409, 'The transfer was already returned.');
    }
    return json({ transferId: done.transferId, transactionId: returned.transactionId }, 201);
  });
  return app;
}
