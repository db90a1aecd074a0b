/**
 * Releases a pre-authorization whose capture deadline has passed. A capture that was requested in time comes first.
 * Safe to run twice: at most one attempt sends the void, and every other one reads back its result (see
 * shared/reconciliation/hold/advance.ts). While the result is unknown the step throws an UnknownOutcomeError and runs
 * again later.
 */
import * as z from 'zod/mini';
import { UnknownOutcomeError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { advanceHold } from '../../../shared/reconciliation/hold/advance.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';

const input = z.strictObject({ chargeId: z.uuid() });
const output = z.strictObject({});

export interface VoidDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
}

export const voidPreauth: Step<typeof input, typeof output, VoidDeps> = {
  name: 'void',
  input,
  output,
  run: async ({ chargeId }, deps, { remainingMs }) => {
    const charge = await advanceHold(chargeId, { ...deps, remainingMs }, true);
    if (charge.status === 'authorized') {
      throw new UnknownOutcomeError('VOID_NOT_KNOWN', 'it is unknown whether the hold was released');
    }
    return {};
  },
};
