/**
 * Reconciles the due sales, charges, RF orders and card requests of one merchant, in one invocation, so that each daily
 * list is read once.
 *
 * Safe to run twice and concurrently: the conditional write that makes an item due later claims it, and an interrupted
 * item is due again.
 */
import * as z from 'zod/mini';
import { TransientError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { claim } from '../../../shared/reconciliation/claim.ts';
import { type ReconcileItemDeps, reconcileItem } from '../../../shared/reconciliation/reconcile-item.ts';
import { keepingDays } from '../../../shared/reconciliation/records/search.ts';

const dueItem = z.strictObject({ kind: z.enum(['sale', 'charge', 'rf-order', 'card']), id: z.string() });
const input = z.strictObject({ due: z.array(dueItem).check(z.minLength(1)) });
const output = z.strictObject({});

type DueItem = z.output<typeof dueItem>;

const AT_ONCE = 5;
/** An item is not started with less time than this; it stays due for the next run. */
const RESERVE_MS = 15_000;

export interface ReconcileDueDeps extends Omit<ReconcileItemDeps, 'remainingMs'> {
  readonly onError: (code: string) => void;
}

export const reconcileDue: Step<typeof input, typeof output, ReconcileDueDeps> = {
  name: 'reconcile-due',
  input,
  output,
  logged: ({ due }) => ({ due: String(due.length) }),
  run: async ({ due }, deps, { remainingMs }) => {
    const run = { ...deps, remainingMs, vivaFor: keepingDays(deps.vivaFor) };
    const failures: unknown[] = [];
    for (let start = 0; start < due.length && remainingMs() > RESERVE_MS; start += AT_ONCE) {
      const reconcilers = due.slice(start, start + AT_ONCE).map((item) => reconcileOne(item, run));
      const done = await Promise.allSettled(reconcilers);
      failures.push(...done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    }
    if (failures.length > 0) {
      throw failures[0]; // after all items were reconciled
    }
    return {};
  },
};

async function reconcileOne(item: DueItem, deps: ReconcileItemDeps & Pick<ReconcileDueDeps, 'onError'>): Promise<void> {
  if (!(await claim(item.kind, item.id, deps))) {
    return;
  }
  try {
    await reconcileItem(item.kind, item.id, deps);
  } catch (error) {
    if (!(error instanceof TransientError)) {
      throw error;
    }
    deps.onError(error.code); // the claim makes it due again
  }
}
