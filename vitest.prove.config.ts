import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { endToEnd } from './test/e2e/project.ts';
import { simulation } from './test/simulation/project.ts';

/**
 * `npm run prove`: the proofs that take minutes. A `*.prove.ts` file runs here alone, such as a death after every call.
 * Tests of random lives, many webhooks and many orders run in `npm test` too, and here with larger numbers.
 */
const { SEEDS = '500', HOLD_SEEDS = '1000', WEBHOOKS = '10000', ORDERS = '1000' } = process.env;

/** The files that take longest begin first, so that both workers end together. */
const longest = ['order-codes', 'forged-webhooks', 'rest.prove'];
const rank = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.includes(`/${name}.`)) >>> 0;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
          name: 'prove-simulation',
          include: ['test/simulation/**/*.prove.ts', 'test/simulation/{forged-webhooks,order-codes}.test.ts'],
          env: { WEBHOOKS, ORDERS },
          ...simulation,
        },
      },
      {
        test: {
          name: 'prove-e2e',
          include: ['test/e2e/**/*.prove.ts'],
          ...endToEnd,
        },
      },
    ],
  },
});
