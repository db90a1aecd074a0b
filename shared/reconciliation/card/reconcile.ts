/**
 * Reconciles a request to store a card: starts an execution that was never started, replaces one that died, and refuses
 * the request if that has happened too often. Safe to run twice and at the same time, like its parts.
 */

import { diedTooOften } from '../../flow/stopped.ts';
import { existing } from '../../payments/existing.ts';
import { iso, MINUTE_MS } from '../../payments/time.ts';
import { keepCardAlive, type RestartDeps } from '../restart.ts';
import { endCardRequest } from './end.ts';

const RECONCILE_AGAIN_MS = 5 * MINUTE_MS;

export interface ReconcileCardDeps extends RestartDeps {
  readonly now: () => number;
}

export async function reconcileCard(cardId: string, deps: ReconcileCardDeps): Promise<void> {
  const { payments, now } = deps;
  const request = await existing(payments, 'card', cardId);
  if (request.status === 'pending' && !(await keepCardAlive(request, deps))) {
    await endCardRequest(cardId, diedTooOften, deps);
  }
  const nextDueAt = iso(now() + RECONCILE_AGAIN_MS);
  await payments.change('card', cardId, ({ status, dueAt }) => {
    const next = status === 'pending' ? nextDueAt : undefined;
    return next === dueAt ? undefined : { dueAt: next };
  });
}
