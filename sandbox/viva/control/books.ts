/** Control of time and books: clock, reset, ledger and request log. */
import { Hono } from 'hono';
import * as z from 'zod';
import { totalsOf } from '../books/ledger.ts';
import { Random } from '../random.ts';
import { Books, type Simulator } from '../simulator.ts';
import { json, Problem, queryNumber, readBody, readQuery } from './problem.ts';

const reset = z.strictObject({ seed: z.int().nonnegative().optional() });
const move = z.strictObject({
  advanceSeconds: z.number().nonnegative().optional(),
  to: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time with an offset' }).optional(),
});
const ledgerQuery = z.strictObject({
  merchantId: z.string().optional(),
  merchantTrns: z.string().optional(),
  after: queryNumber,
});
const requestQuery = z.strictObject({ after: queryNumber, path: z.string().optional() });

export function bookRoutes(sim: Simulator, onReset: () => Promise<void>): Hono {
  const app = new Hono();
  const now = () => new Date(sim.clock.now()).toISOString();

  app.post('/_sim/reset', async (c) => {
    const { seed = sim.seed } = await readBody(c.req.raw, reset);
    sim.seed = seed;
    sim.random = new Random(seed + 1);
    sim.books = new Books();
    sim.terminals.reset();
    sim.switches.clear();
    sim.faults.clear();
    sim.requests.clear();
    sim.accounts.resetRights();
    await onReset();
    return new Response(null, { status: 204 });
  });

  app.get('/_sim/clock', () => json({ now: now() }));
  app.post('/_sim/clock', async (c) => {
    const { advanceSeconds, to } = await readBody(c.req.raw, move);
    if ((advanceSeconds === undefined) === (to === undefined)) {
      throw new Problem(400, 'Send either advanceSeconds or to.', { validFields: ['advanceSeconds', 'to'] });
    }
    const target = to === undefined ? sim.clock.now() + (advanceSeconds ?? 0) * 1000 : Date.parse(to);
    if (target < sim.clock.now()) {
      throw new Problem(400, 'The clock cannot be set back.');
    }
    const fired = await sim.clock.advance(target);
    return json({ now: now(), fired });
  });

  app.get('/_sim/ledger', (c) => {
    const entries = sim.books.ledger.entries(readQuery(c.req.raw, ledgerQuery));
    return json({ entries, totals: totalsOf(entries) });
  });
  app.get('/_sim/requests', (c) => {
    const { after, path } = readQuery(c.req.raw, requestQuery);
    return json({ requests: sim.requests.list(after, path), dropped: sim.requests.dropped });
  });
  return app;
}
