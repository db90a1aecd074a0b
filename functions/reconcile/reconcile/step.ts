/**
 * Takes what is due, every five minutes: announcements nobody heard of, flows that died, sales and charges and RF orders
 * whose outcome is not known, messages and deliveries whose function was not told. It is the safety under everything that
 * is quicker.
 *
 * Safe to run twice and at the same time: an item is claimed by the conditional write that makes it due later, so what
 * stops here is taken again then. What fails does not keep the others waiting.
 */
import * as z from 'zod/mini';
import { toFlowError } from '../../../shared/errors.ts';
import type { Nudge } from '../../../shared/nudge.ts';
import type { Due } from '../../../shared/payments.ts';
import { type LookDeps, lookAt } from '../../../shared/reconciliation/look.ts';
import type { Step } from '../../../shared/step.ts';

const input = z.looseObject({});
const output = z.strictObject({ taken: z.int() });

const PAGE = 100;
const AT_ONCE = 5;
/** Longer than this function lives. */
const CLAIM_MS = 5 * 60_000;
/** A look may take two calls to the platform: nothing is begun with less. */
const ENOUGH_MS = 30_000;

export interface ReconcileDeps extends Omit<LookDeps, 'remainingMs'> {
  readonly nudgeWebhook: Nudge;
  readonly onError: (due: Due, error: { readonly name: string; readonly code: string }) => void;
}

export const reconcile: Step<typeof input, typeof output, ReconcileDeps> = {
  name: 'reconcile',
  input,
  output,
  logged: () => ({}),
  run: async (_, deps, { remainingMs }) => {
    const taken = new Set<string>();
    for (;;) {
      const page = await deps.payments.due(PAGE);
      const fresh = page.filter((due) => !taken.has(keyOf(due)));
      if (fresh.length === 0) {
        return { taken: taken.size };
      }
      for (let start = 0; start < fresh.length; start += AT_ONCE) {
        if (remainingMs() < ENOUGH_MS) {
          return { taken: taken.size };
        }
        const some = fresh.slice(start, start + AT_ONCE);
        await Promise.all(some.map((due) => takeSafely(due, { ...deps, remainingMs })));
        for (const due of some) {
          taken.add(keyOf(due));
        }
      }
    }
  },
};

function keyOf({ kind, id }: Due): string {
  return `${kind}#${id}`;
}

async function takeSafely(due: Due, deps: ReconcileDeps & LookDeps): Promise<void> {
  try {
    await take(due, deps);
  } catch (error) {
    deps.onError(due, toFlowError(error));
  }
}

async function take({ kind, id }: Due, deps: ReconcileDeps & LookDeps): Promise<void> {
  switch (kind) {
    case 'sale':
    case 'charge':
    case 'rf':
      if (await claim(kind, id, deps)) {
        await lookAt(kind, id, deps);
      }
      break;
    // Their functions claim for themselves.
    case 'message':
      await deps.nudgeWebhook({ subject: id });
      break;
    case 'delivery':
      await deps.nudge({ deliveryId: id });
      break;
    default:
      throw new Error(`nothing looks at a ${kind}`);
  }
}

async function claim(kind: 'sale' | 'charge' | 'rf', id: string, { payments, now }: ReconcileDeps): Promise<boolean> {
  const at = new Date(now()).toISOString();
  const dueAt = new Date(now() + CLAIM_MS).toISOString();
  let mine = false;
  await payments.change(kind, id, (item) => {
    mine = item.dueAt !== undefined && item.dueAt <= at;
    return mine ? { dueAt } : undefined;
  });
  return mine;
}
