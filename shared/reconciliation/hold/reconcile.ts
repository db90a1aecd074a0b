/**
 * Reconciles a hold: takes its next step, and keeps an execution that waits for its capture. If executions died too
 * often, the reconciler does without one: it makes a capture some minutes after the request and gives the hold back at
 * its time.
 */
import { UnknownOutcomeError } from '../../flow/errors.ts';
import type { Charge } from '../../payments/items.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { keepHoldAlive, type RestartDeps } from '../restart.ts';
import { advanceHold } from './advance.ts';
import { holdQuestion, isIdle } from './records.ts';

/** It stands, or is in review. */
export function isHold(charge: Charge): boolean {
  return charge.status === 'authorized' || holdQuestion(charge) !== undefined;
}

export async function reconcileHold(chargeId: string, deps: ReconciliationDeps & RestartDeps): Promise<void> {
  try {
    const charge = await advanceHold(chargeId, deps);
    if (isIdle(charge)) {
      await keepHoldAlive(charge, deps);
    }
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) {
      throw error;
    }
    // Written down, and read back when the hold is due again.
  }
}
