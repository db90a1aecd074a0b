/**
 * Handles the end of an execution. After a success it publishes the events of the items at once. After any other end it
 * makes the open items due, and asks reconcile-due to restart or end them. Safe to run twice; whatever is lost here
 * stays due.
 */

import * as z from 'zod/mini';
import type { Wake } from '../../../shared/aws/wake.ts';
import { type PublishDeps, publish } from '../../../shared/events/publish.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { isOpen } from '../../../shared/payments/due.ts';
import type { Due } from '../../../shared/payments/queries.ts';
import { iso } from '../../../shared/payments/time.ts';

const driven = z.object({
  saleId: z.nullable(z.string()),
  cardId: z.nullable(z.string()),
  chargeId: z.nullable(z.string()),
});
/** The fields of the Step Functions event that matter here; `input` is the input of the execution. */
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

export interface HandleExecutionEndDeps extends PublishDeps {
  readonly reconcileDue: Wake<{ readonly due: readonly Pick<Due, 'kind' | 'id'>[] }>;
}

export const handleExecutionEnd: Step<typeof input, typeof output, HandleExecutionEndDeps> = {
  name: 'handle-execution-end',
  input,
  output,
  logged: ({ detail }) => ({ executionStatus: detail.status }),
  run: async ({ detail }, deps) => {
    const { saleId, cardId, chargeId } = detail.input;
    if (detail.status === 'SUCCEEDED') {
      await (saleId !== null && publish('sale', saleId, deps));
      await (chargeId !== null && publish('charge', chargeId, deps));
      return {};
    }
    const due = [dueOf('sale', saleId), dueOf('charge', chargeId), dueOf('card', cardId)].filter(
      (one) => one !== undefined,
    );
    const left = [];
    for (const one of due) {
      if (await makeDue(one, deps)) {
        left.push(one);
      }
    }
    if (left.length > 0) {
      await deps.reconcileDue({ due: left });
    }
    return {};
  },
};

type Driven = Pick<Due, 'id'> & { readonly kind: 'sale' | 'charge' | 'card' };

function dueOf(kind: Driven['kind'], id: string | null): Driven | undefined {
  return id === null ? undefined : { kind, id };
}

/** Returns false when the item is over. */
async function makeDue({ kind, id }: Driven, { payments, now }: PublishDeps): Promise<boolean> {
  const dueAt = iso(now());
  const { won } = await payments.claim<Driven['kind']>(kind, id, (item) =>
    isOpen<Driven['kind']>(kind, item) ? { dueAt } : undefined,
  );
  return won;
}
