/** The control API of the simulator, `/_sim`: what a test sets, breaks and reads. */
import { Hono } from 'hono';
import type { Simulator } from '../simulator.ts';
import { bookRoutes } from './books.ts';
import { faultRoutes } from './faults.ts';
import { Problem, problem } from './problem.ts';
import { terminalRoutes } from './terminals.ts';

export function controlRoutes(sim: Simulator, onReset: () => Promise<void>): Hono {
  const app = new Hono();
  app.onError((error) => {
    if (error instanceof Problem) {
      return error.response;
    }
    throw error;
  });
  app.notFound((c) => problem(404, `there is no ${c.req.method} ${c.req.path}; GET /_sim lists the routes`));
  for (const part of [bookRoutes(sim, onReset), terminalRoutes(sim), faultRoutes(sim)]) {
    app.route('/', part);
  }
  return app;
}
