/** What every set of endpoints is: a Hono application whose environment a fault may set. */
import { Hono } from 'hono';
import type { Transaction } from '../books/transactions.ts';

export interface EndpointEnv {
  /** Which transactions a read does not find, though they are there. */
  readonly hides?: (transaction: Transaction) => boolean;
}

export type Routes = Hono<{ Bindings: EndpointEnv }>;

export function newRoutes(): Routes {
  return new Hono();
}
