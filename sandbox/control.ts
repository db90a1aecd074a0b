/** The control API of the sandbox: the simulator's part, `/_sim`, and the local cloud's part, `/_cloud`. */
import { Hono } from 'hono';
import { FOREIGN_CALLER, isOwnCaller } from './own-callers.ts';
import { problem } from './viva/control/problem.ts';

export function controlApp(...parts: readonly Hono[]): Hono {
  const app = new Hono();
  // Checked first, whatever is requested.
  app.use((c, next) => (isOwnCaller(c.req.header()) ? next() : Promise.resolve(problem(403, FOREIGN_CALLER))));
  for (const part of parts) {
    app.route('/', part);
  }
  const routes = parts.flatMap((part) => part.routes.map(({ method, path }) => `${method} ${path}`));
  app.notFound(({ req }) =>
    problem(404, `There is no ${req.method} ${req.path}. \`routes\` has all routes.`, { routes }),
  );
  return app;
}
