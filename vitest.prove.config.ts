import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { endToEnd } from './test/e2e/project.ts';

/**
 * `npm run prove`: the proofs that take minutes. A `*.prove.ts` file runs here alone, such as a death after every call.
 * Tests of random lives, many webhooks and many orders run in `npm test` too, and here with larger numbers.
 */
const { SEEDS = '500', HOLD_SEEDS = '1000', WEBHOOKS = '10000', ORDERS = '1000' } = process.env;

/** The files that take longest begin first, so that both workers end together. */
const longest = ['kills.prove', 'order-codes', 'books-items', 'books.prove', 'forged-webhooks', 'capture-kills'];
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
          name: 'prove-e2e',
          include: ['test/e2e/**/*.prove.ts', 'test/e2e/{forged-webhooks,order-codes}.test.ts'],
          env: { WEBHOOKS, ORDERS },
          ...endToEnd,
        },
      },
    ],
  },
});
