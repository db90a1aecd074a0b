/**
 * Handles the end of an execution. What one that succeeded drove is published at once; what any other left open is due at
 * once, and reconcile-due is asked to take it up or to close it. Safe to run twice: so are both, and what is lost here stays
 * due.
 */

import * as z from 'zod/mini';
import type { Wake } from '../../../shared/aws/wake.ts';
import type { PublishDeps } from '../../../shared/events/publish.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { isOpen } from '../../../shared/payments/due.ts';
import type { Due } from '../../../shared/payments/queries.ts';
import { iso } from '../../../shared/payments/time.ts';
import { publish } from '../../../shared/reconciliation/publish-item.ts';

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

/** False when it is over. */
async function makeDue({ kind, id }: Driven, { payments, now }: PublishDeps): Promise<boolean> {
  const dueAt = iso(now());
  const { won } = await payments.claim<Driven['kind']>(kind, id, (item) =>
    isOpen<Driven['kind']>(kind, item) ? { dueAt } : undefined,
  );
  return won;
}
