/**
 * When a sale is `unconfirmed`: the reconciler finds out what became of it, and the storefront is asked not to take the
 * money again yet.
 */

import type { Sale } from '../../../shared/payments/items/sale.ts';
import type { Patch } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { entry } from '../../../shared/payments/timeline.ts';
import { saleTransition } from '../../../shared/payments/transitions.ts';
import { isDecided } from '../../../shared/reconciliation/sale/session.ts';
import type { Session } from '../../../shared/viva/viva.ts';

type State = Session['state'] | undefined;

/** How long a new session may be missing, counted from its request. */
const VISIBLE_WITHIN_MS = 30_000;
/** A terminal that was asked to stop and has no outcome after this time is not answering. */
const ABORT_PATIENCE_MS = MINUTE_MS;
/** The reconciler takes over after this time; until then the attempts of this step resolve the sale. */
const DUE_AFTER_MS = 120_000;

/** The terminal was asked to stop so long ago that no attempt waits for it any more. */
export function isPatienceOver({ abortSentAt }: Sale, at: number): boolean {
  return abortSentAt !== undefined && at > Date.parse(abortSentAt) + ABORT_PATIENCE_MS;
}

/** Records after an attempt whether the session existed, because a later 404 is then not trusted. */
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

/** A single 404 is no proof: all reads of an attempt must agree. */
function isMissing({ requestedAt = '' }: Sale, states: readonly State[], at: number): boolean {
  // mutant comparison: the moment itself may belong to either side
  const isLate = at >= Date.parse(requestedAt) + VISIBLE_WITHIN_MS;
  return isLate && states.length > 1 && states.every((one) => one === 'not_found');
}
