/**
 * Takes another look at one sale, charge, RF order or request to store a card that is due. Safe to run twice and at the same time: the conditional
 * write that makes it due later claims it, so a second one leaves it alone, and one that stops is followed by another.
 */
import * as z from 'zod/mini';
import { TransientError } from '../../../shared/errors.ts';
import { type LookDeps, lookAt } from '../../../shared/reconciliation/look.ts';
import { lookAtCard } from '../../../shared/reconciliation/look-at-card.ts';
import type { Step } from '../../../shared/step.ts';

const input = z.strictObject({ kind: z.enum(['sale', 'charge', 'rf', 'card', 'account']), id: z.string() });
const output = z.strictObject({});
type LookedAtKind = z.output<typeof input>['kind'];

/** Longer than this function lives. */
const CLAIM_MS = 5 * 60_000;

interface LookAgainDeps extends Omit<LookDeps, 'remainingMs'> {
  readonly onError: (code: string) => void;
}

export const lookAgain: Step<typeof input, typeof output, LookAgainDeps> = {
  name: 'look-again',
  input,
  output,
  run: async ({ kind, id }, deps, { remainingMs }) => {
    if (await claim(kind, id, deps)) {
      try {
        await look(kind, id, { ...deps, remainingMs });
      } catch (error) {
        if (!(error instanceof TransientError)) {
          throw error;
        }
        deps.onError(error.code); // the claim makes it due again
      }
    }
    return {};
  },
};

async function look(kind: LookedAtKind, id: string, deps: LookDeps): Promise<void> {
  switch (kind) {
    case 'card':
      return lookAtCard(id, deps);
    case 'account':
      return; // its days are read elsewhere
    default:
      return lookAt(kind, id, deps);
  }
}

async function claim(kind: LookedAtKind, id: string, { payments, now }: LookAgainDeps): Promise<boolean> {
  const at = new Date(now()).toISOString();
  const dueAt = new Date(now() + CLAIM_MS).toISOString();
  let mine = false;
  await payments.change(kind, id, (item) => {
    mine = item.dueAt !== undefined && item.dueAt <= at;
    return mine ? { dueAt } : undefined;
  });
  return mine;
}
