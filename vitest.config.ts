import { defineConfig } from 'vitest/config';
import { endToEnd } from './test/e2e/project.ts';

/** `npm test`: everything but the long proofs, which vitest.prove.config.ts adds. Unit tests share their modules, which halves their time. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      { test: { name: 'infra', include: ['test/infra/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 } },
      {
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...endToEnd },
      },
    ],
  },
});
