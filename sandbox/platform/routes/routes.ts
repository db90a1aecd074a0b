/** What every set of endpoints is: a Hono application whose environment a fault may set. */
import { Hono } from 'hono';

export interface EndpointEnv {
  /** How young a transaction is left out of lists. */
  readonly listLagMs?: number;
}

export type Routes = Hono<{ Bindings: EndpointEnv }>;

export function newRoutes(): Routes {
  return new Hono();
}
