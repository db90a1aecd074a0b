/**
 * Keeps a pre-authorization open until a capture is requested or the state times out. It stores its task token first
 * and reads the item after, so an earlier request is found here and a later one wakes the token. Safe to run twice: the
 * newest task token counts.
 */
import * as z from 'zod/mini';
import { RejectedError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { CompleteTask } from '../../../shared/flow/tasks.ts';
import { openCapture } from '../../../shared/payments/capture-plan.ts';
import type { Payments } from '../../../shared/payments/store.ts';

const input = z.strictObject({ chargeId: z.uuid(), taskToken: z.string() });
const output = z.strictObject({});

export interface AwaitCaptureDeps {
  readonly payments: Payments;
  readonly completeTask: CompleteTask;
}

export const awaitCapture: Step<typeof input, typeof output, AwaitCaptureDeps> = {
  name: 'await-capture',
  input,
  output,
  run: async ({ chargeId, taskToken }, { payments, completeTask }) => {
    const charge = await payments.change('charge', chargeId, (item) =>
      item.status === 'authorized' ? { taskToken } : undefined,
    );
    if (charge.status === 'captured' || openCapture(charge) !== undefined) {
      await completeTask(taskToken);
    } else if (charge.status !== 'authorized') {
      throw new RejectedError('CHARGE_ENDED', `the charge ended ${charge.status}`);
    }
    return {};
  },
};
