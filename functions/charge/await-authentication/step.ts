/**
 * Waits while the payer authenticates at the issuer: stores its task token and marks the charge. Safe to run twice: the
 * newest task token counts.
 */
import * as z from 'zod/mini';
import { RejectedError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { chargeEnded } from '../../../shared/payments/lifecycle.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';

const input = z.strictObject({ chargeId: z.uuid(), taskToken: z.string() });
const output = z.strictObject({});

export interface AwaitAuthenticationDeps {
  readonly payments: Payments;
  readonly now: () => number;
}

export const awaitAuthentication: Step<typeof input, typeof output, AwaitAuthenticationDeps> = {
  name: 'await-authentication',
  input,
  output,
  run: async ({ chargeId, taskToken }, { payments, now }) => {
    const charge = await payments.change('charge', chargeId, (item) =>
      chargeEnded(item.status)
        ? undefined
        : { taskToken, timeline: appended(item.timeline, entry(now(), 'authentication.waiting')) },
    );
    if (chargeEnded(charge.status)) {
      throw new RejectedError(charge.failure?.code ?? 'CHARGE_ENDED', `the charge ended ${charge.status}`);
    }
    return {};
  },
};
