/**
 * Captures a pre-authorization with the amount that is reserved in the item. Safe to run twice: at most one attempt
 * sends the request, and every other one reads back its result (see shared/reconciliation/hold/advance.ts). While the
 * result is unknown the step throws an UnknownOutcomeError and runs again later.
 */
import * as z from 'zod/mini';
import { RejectedError, UnknownOutcomeError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { advanceHold } from '../../../shared/reconciliation/hold/advance.ts';
import { isIdle } from '../../../shared/reconciliation/hold/records.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';

const input = z.strictObject({ chargeId: z.uuid() });
const output = z.strictObject({});

export interface CaptureDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
}

export const capture: Step<typeof input, typeof output, CaptureDeps> = {
  name: 'capture',
  input,
  output,
  run: async ({ chargeId }, deps, { remainingMs }) => {
    const charge = await advanceHold(chargeId, { ...deps, remainingMs });
    if (isIdle(charge)) {
      throw new RejectedError(
        charge.failure?.code ?? 'CAPTURE_REFUSED',
        'the capture was refused; the pre-authorization is unchanged',
      );
    }
    if (charge.status === 'authorized') {
      throw new UnknownOutcomeError('CAPTURE_NOT_KNOWN', 'it is unknown whether the capture was made');
    }
    return {};
  },
};
