/**
 * Looks at a hold: takes its next step, and sees to it that a flow waits for its capture. Where that has died too often the
 * looks are enough: a capture is then made some minutes after it was asked for, and the hold is given back at its time.
 */
import { UnknownOutcomeError } from '../../flow/errors.ts';
import type { Charge } from '../../payments/items.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { keepHoldAlive, type RestartDeps } from '../restart.ts';
import { advanceHold } from './advance.ts';
import { holdQuestion, isIdle } from './records.ts';

/** It stands, or a person was asked about it. */
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
    // Written down, and read back at the next look.
  }
}
