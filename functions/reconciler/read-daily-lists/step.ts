/**
 * Reads the daily lists of a merchant each night, to find what no webhook reported (see
 * shared/reconciliation/daily-lists.ts). Safe to run twice and concurrently: the write that makes the account due later
 * claims it.
 */
import * as z from 'zod/mini';
import { TransientError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { claim } from '../../../shared/reconciliation/claim.ts';
import { type DailyListsDeps, readDailyLists } from '../../../shared/reconciliation/daily-lists.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';
import { keepingDays } from '../../../shared/reconciliation/records/search.ts';

const input = z.strictObject({ merchantId: z.string() });
const output = z.strictObject({});

export interface ReadDailyListsDeps extends DailyListsDeps, Omit<ReconciliationDeps, 'remainingMs'> {
  readonly onError: (code: string) => void;
}

export const readDailyListsStep: Step<typeof input, typeof output, ReadDailyListsDeps> = {
  name: 'read-daily-lists',
  input,
  output,
  run: async ({ merchantId }, deps, { remainingMs }) => {
    if (!(await claim('account', merchantId, deps))) {
      return {};
    }
    try {
      await readDailyLists(merchantId, { ...deps, remainingMs, vivaFor: keepingDays(deps.vivaFor) });
    } catch (error) {
      if (!(error instanceof TransientError)) {
        throw error;
      }
      deps.onError(error.code); // the claim makes it due again
    }
    return {};
  },
};
