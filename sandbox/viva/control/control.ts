/** The control API of the simulator, `/_sim`: what a test can set, break and read. */
import { Hono } from 'hono';
import { CARD_MEANINGS } from '../books/cards.ts';
import { FAULTS } from '../http/faults.ts';
import type { Simulator } from '../simulator.ts';
import { SWITCHES } from '../switches.ts';
import { accountRoutes } from './accounts.ts';
import { bankRoutes } from './bank.ts';
import { bookRoutes } from './books.ts';
import { faultRoutes, switchValues } from './faults.ts';
import { json, Problem, problem } from './problem.ts';
import { terminalRoutes } from './terminals.ts';
import { webhookRoutes } from './webhooks.ts';

/** The version of this API. New features add fields and names, and keep the routes. */
const VERSION = 1;

export function controlRoutes(sim: Simulator, onReset: () => Promise<void>): Hono {
  const app = new Hono();
  app.onError((error) => {
    if (error instanceof Problem) {
      return error.response;
    }
    throw error;
  });
  app.notFound((c) => problem(404, `There is no ${c.req.method} ${c.req.path}. GET /_sim lists the routes.`));
  app.get('/_sim', () => {
    const values = switchValues(sim);
    return json({
      version: VERSION,
      seed: sim.seed,
      now: new Date(sim.clock.now()).toISOString(),
      routes: app.routes.map(({ method, path }) => `${method} ${path}`),
      faults: FAULTS,
      switches: Object.fromEntries(
        Object.entries(SWITCHES).map(([name, kind]) => [name, { value: values[name], ...kind }]),
      ),
      cards: CARD_MEANINGS,
    });
  });
  const parts = [bookRoutes(sim, onReset), terminalRoutes(sim), accountRoutes(sim), faultRoutes(sim), bankRoutes(sim)];
  for (const part of [...parts, webhookRoutes(sim)]) {
    app.route('/', part);
  }
  return app;
}
