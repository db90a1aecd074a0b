/**
 * Resolves a charge with an unknown outcome, in one conditional write. A charge that was never sent is sealed and
 * becomes `failed`, so that no late attempt can send it. A charge that may have been sent goes to review and is never
 * sent again. If an attempt made the charge but could not report it, the execution continues from there. Safe to run
 * twice.
 */
import * as z from 'zod/mini';
import type { Step } from '../../../shared/flow/step.ts';
import { capturePlan, capturePlanOf } from '../../../shared/payments/capture-plan.ts';
import { chargeEnded } from '../../../shared/payments/lifecycle.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { entry } from '../../../shared/payments/timeline.ts';
import { chargeEndedUnsent, chargeTransition } from '../../../shared/payments/transitions.ts';

const input = z.strictObject({ chargeId: z.uuid() });

export interface ReconcileChargeDeps {
  readonly payments: Payments;
  readonly now: () => number;
}

export const reconcileChargeStep: Step<typeof input, typeof capturePlan, ReconcileChargeDeps> = {
  name: 'reconcile-charge',
  input,
  output: capturePlan,
  run: async ({ chargeId }, { payments, now }) => {
    const judged = await payments.change('charge', chargeId, (charge) => {
      if (chargeEnded(charge.status) || charge.transactionId !== undefined) {
        return undefined;
      }
      return (
        chargeEndedUnsent(charge, 'failed', { code: 'CHARGE_NOT_SENT' }, entry(now(), 'charge.not_sent')) ??
        chargeTransition(
          charge,
          'needs_review',
          { failure: { code: 'OUTCOME_UNKNOWN' } },
          entry(now(), 'charge.needs_review'),
        )
      );
    });
    return capturePlanOf(judged);
  },
};
