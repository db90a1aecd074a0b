/**
 * Reconciles a due request to store a card: replaces its execution if that failed, and ends the request as refused if
 * too many executions failed. Safe to run twice and at the same time, like its parts.
 */

import { diedTooOften } from '../../flow/stopped.ts';
import { existing } from '../../payments/existing.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';
import { type RestartDeps, restartCardRequest } from '../restart.ts';
import { endCardRequest } from './end.ts';

const RECONCILE_AGAIN_MS = 5 * MINUTE_MS;

export interface ReconcileCardDeps extends RestartDeps {
  readonly now: () => number;
}

export async function reconcileCard(cardId: string, deps: ReconcileCardDeps): Promise<void> {
  const { payments, now } = deps;
  const request = await existing(payments, 'card', cardId);
  if (request.status === 'pending' && !(await restartCardRequest(request, deps))) {
    await endCardRequest(cardId, diedTooOften, deps);
  }
  const nextDueAt = iso(now() + RECONCILE_AGAIN_MS);
  await payments.change('card', cardId, ({ status, dueAt }) => {
    const next = status === 'pending' ? nextDueAt : undefined;
    return next === dueAt ? undefined : { dueAt: next };
  });
}
