/**
 * Handles the end of an execution. What it drove is announced at once; if it failed, timed out or was aborted, what it
 * left open is taken up again or closed. Safe to run twice: so is every look.
 */
import * as z from 'zod/mini';
import { type LookDeps, lookAt, publish } from '../../../shared/reconciliation/look.ts';
import { lookAtCard } from '../../../shared/reconciliation/look-at-card.ts';
import type { Step } from '../../../shared/step.ts';

const driven = z.object({
  saleId: z.nullable(z.string()),
  cardId: z.nullable(z.string()),
  chargeId: z.nullable(z.string()),
});
/** Of the event of Step Functions, what matters here; `input` is the execution's own. */
const input = z.object({
  detail: z.object({
    status: z.enum(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
    input: z.pipe(
      z.pipe(
        z.string(),
        z.transform((text) => JSON.parse(text) as unknown),
      ),
      driven,
    ),
  }),
});
const output = z.strictObject({});

export const executionEnded: Step<typeof input, typeof output, Omit<LookDeps, 'remainingMs'>> = {
  name: 'execution-ended',
  input,
  output,
  logged: ({ detail }) => ({ executionStatus: detail.status }),
  run: async ({ detail }, deps, { remainingMs }) => {
    const { saleId, cardId, chargeId } = detail.input;
    const look = detail.status === 'SUCCEEDED' ? publish : lookAt;
    if (saleId !== null) {
      await look('sale', saleId, { ...deps, remainingMs });
    }
    if (chargeId !== null) {
      await look('charge', chargeId, { ...deps, remainingMs });
    }
    if (cardId !== null) {
      await lookAtCard(cardId, deps);
    }
    return {};
  },
};
