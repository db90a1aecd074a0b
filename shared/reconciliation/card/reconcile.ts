/**
 * Reconciles a due card. Of a request to store one: replaces its execution if that failed, and ends the request as
 * refused if too many executions failed. Of a deleted one: removes its token. Safe to run twice and at the same time,
 * like its parts.
 */

import { diedTooOften } from '../../flow/stopped.ts';
import { existing } from '../../payments/existing.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';
import { type RestartDeps, restartCardRequest } from '../restart.ts';
import { endCardRequest } from './end.ts';
import { type RemoveTokenDeps, removeToken } from './remove-token.ts';

const RECONCILE_AGAIN_MS = 5 * MINUTE_MS;

export interface ReconcileCardDeps extends RestartDeps, RemoveTokenDeps {
  readonly now: () => number;
}

export async function reconcileCard(cardId: string, deps: ReconcileCardDeps): Promise<void> {
  const { payments, now } = deps;
  const request = await existing(payments, 'card', cardId);
  if (request.status === 'deleted') {
    return removeToken(cardId, deps);
  }
  if (request.status === 'pending' && !(await restartCardRequest(request, deps))) {
    await endCardRequest(cardId, diedTooOften, deps);
  }
  const nextDueAt = iso(now() + RECONCILE_AGAIN_MS);
  await payments.change('card', cardId, ({ status, dueAt }) => {
    const next = status === 'pending' ? nextDueAt : undefined;
    return next === dueAt ? undefined : { dueAt: next };
  });
}
