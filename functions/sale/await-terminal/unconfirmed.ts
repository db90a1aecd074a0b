/**
 * When a sale is `unconfirmed`: the reconciler finds out what became of it, and the till is told not to take the money
 * again yet.
 */

import type { Sale } from '../../../shared/payments/items.ts';
import type { Patch } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { entry } from '../../../shared/payments/timeline.ts';
import { saleTransition } from '../../../shared/payments/transitions.ts';
import { isDecided } from '../../../shared/reconciliation/sale/session.ts';
import type { Session } from '../../../shared/viva/viva.ts';

type State = Session['state'] | undefined;

/** A new session may read 404 for so long, counted from its request. */
const VISIBLE_WITHIN_MS = 30_000;
/** A terminal that was asked to stop and still has no outcome after this is not answering. */
const ABORT_PATIENCE_MS = MINUTE_MS;
/** The attempts that still wait see what comes before this. */
const DUE_AFTER_MS = 120_000;

/** The terminal was asked to stop so long ago that nobody waits for it any more. */
export function isPatienceOver({ abortSentAt }: Sale, at: number): boolean {
  return abortSentAt !== undefined && at > Date.parse(abortSentAt) + ABORT_PATIENCE_MS;
}

/** After an attempt: whether the session was there is kept, because a 404 after that is not believed. */
export function visibilityNoted(sale: Sale, states: readonly State[], at: number): Patch<'sale'> | undefined {
  if (sale.sessionSeenAt !== undefined || isDecided(sale)) {
    return undefined;
  }
  if (states.includes('pending')) {
    return { sessionSeenAt: iso(at) };
  }
  return isMissing(sale, states, at) ? unconfirmed(sale, 'terminal.session_missing', at) : undefined;
}

export function unconfirmed(sale: Sale, event: string, at: number): Patch<'sale'> | undefined {
  const nextDueAt = iso(at + DUE_AFTER_MS);
  const dueAt = sale.dueAt !== undefined && sale.dueAt < nextDueAt ? sale.dueAt : nextDueAt;
  return isDecided(sale)
    ? undefined
    : saleTransition(sale, 'unconfirmed', { failure: { code: 'TERMINAL_NOT_ANSWERING' }, dueAt }, entry(at, event));
}

/** One reading of 404 is no proof: all of an attempt must agree. */
function isMissing({ requestedAt = '' }: Sale, states: readonly State[], at: number): boolean {
  // mutant comparison: the moment itself may belong to either side
  const isLate = at >= Date.parse(requestedAt) + VISIBLE_WITHIN_MS;
  return isLate && states.length > 1 && states.every((one) => one === 'not_found');
}
