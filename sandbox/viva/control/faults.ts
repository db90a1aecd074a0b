/** Control of faults and switches. */
import { Hono } from 'hono';
import * as z from 'zod';
import { DISPUTE_STATUSES, FAULTS, type FaultName } from '../http/faults.ts';
import type { Simulator } from '../simulator.ts';
import { SWITCHES, type SwitchName } from '../switches.ts';
import { json, Problem, readBody } from './problem.ts';

const fault = z
  .strictObject({
    name: z.enum(Object.keys(FAULTS) as [FaultName, ...FaultName[]]),
    match: z
      .strictObject({
        host: z.enum(['auth', 'api', 'base']).optional(),
        method: z.string().optional(),
        path: z.string().optional(),
        merchantId: z.string().optional(),
        record: z.string().min(1).optional(),
      })
      .optional(),
    times: z.int().min(1).nullable().default(1),
    skip: z.int().nonnegative().optional(),
    probability: z.number().min(0).max(1).optional(),
    delaySeconds: z.number().nonnegative().optional(),
    statusId: z.enum(DISPUTE_STATUSES).optional(),
    eventId: z.int().min(1).optional(),
  })
  .refine(({ name, statusId }) => statusId === undefined || name === 'transaction_disputed', {
    path: ['statusId'],
    message: 'must be left out, except for transaction_disputed',
  })
  .refine(({ name, eventId }) => eventId === undefined || name === 'session_failed', {
    path: ['eventId'],
    message: 'must be left out, except for session_failed',
  });

const choice = z.strictObject(
  Object.fromEntries(Object.entries(SWITCHES).map(([name, { values }]) => [name, z.literal([...values]).optional()])),
);

export function faultRoutes(sim: Simulator): Hono {
  const app = new Hono();
  app.post('/_sim/faults', async (c) => {
    const { faultId } = sim.faults.add(await readBody(c.req.raw, fault));
    return json({ faultId }, 201);
  });
  app.get('/_sim/faults', () => json({ faults: sim.faults.list() }));
  app.delete('/_sim/faults/:id', (c) => {
    if (!sim.faults.remove(c.req.param('id'))) {
      throw new Problem(404, 'There is no such fault.');
    }
    return new Response(null, { status: 204 });
  });

  app.get('/_sim/switches', () => json(switchValues(sim)));
  app.patch('/_sim/switches', async (c) => {
    const chosen = await readBody(c.req.raw, choice);
    for (const [name, value] of Object.entries(chosen)) {
      sim.switches.set(name as SwitchName, value as string | number);
    }
    return json(switchValues(sim));
  });
  return app;
}

export function switchValues(sim: Simulator) {
  return Object.fromEntries((Object.keys(SWITCHES) as SwitchName[]).map((name) => [name, sim.switches.get(name)]));
}
