import { defineConfig } from 'vitest/config';
import { endToEnd } from './test/e2e/project.ts';

/**
 * `npm run prove`: the proofs that take minutes. A `*.prove.ts` file runs here alone, such as a death after every call.
 * Tests of random lives, many webhooks and many orders run in `npm test` too, and here with larger numbers.
 */
const { SEEDS = '500', HOLD_SEEDS = '1000', EVENTS = '10000', ORDERS = '1000' } = process.env;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'prove-unit',
          include: [
            'test/unit/functions/sale/sending.test.ts',
            'test/unit/shared/reconciliation/adversary.test.ts',
            'test/unit/shared/reconciliation/hold/{captured,random}.test.ts',
          ],
          env: { SEEDS, HOLD_SEEDS },
          isolate: false,
          maxWorkers: 2,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'prove-e2e',
          include: ['test/e2e/**/*.prove.ts', 'test/e2e/{forged-webhooks,order-codes}.test.ts'],
          env: { EVENTS, ORDERS },
          ...endToEnd,
        },
      },
    ],
  },
});
