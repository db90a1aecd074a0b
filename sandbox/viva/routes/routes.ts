/** The type of every set of endpoints: a Hono application whose environment a fault can set. */
import { Hono } from 'hono';
import type { Transaction } from '../books/transactions.ts';

export interface EndpointEnv {
  /** Existing transactions that a read does not find. */
  readonly hides?: (transaction: Transaction) => boolean;
}

export type Routes = Hono<{ Bindings: EndpointEnv }>;

export function newRoutes(): Routes {
  return new Hono();
}
