/**
 * Reconciles a hold that is due: takes its next step, and keeps an execution running that waits for the capture. If too
 * many executions have failed, the reconciler alone captures, some minutes after the request, and voids the hold after
 * its time. Safe to run twice, like its parts.
 */
import { UnknownOutcomeError } from '../../flow/errors.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { type RestartDeps, restartHold } from '../restart.ts';
import { advanceHold } from './advance.ts';
import { holdQuestion, isIdle } from './records.ts';

/** Whether the charge is authorized, or in review because of its hold. */
export function isHold(charge: Charge): boolean {
  return charge.status === 'authorized' || holdQuestion(charge) !== undefined;
}

export async function reconcileHold(chargeId: string, deps: ReconciliationDeps & RestartDeps): Promise<void> {
  try {
    const charge = await advanceHold(chargeId, deps);
    if (isIdle(charge)) {
      await restartHold(charge, deps);
    }
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) {
      throw error;
    }
    // What was sent is stored, and is read back when the hold is due again.
  }
}
