import { defineConfig } from 'vitest/config';

/**
 * Unit tests share their modules, which halves their time; end-to-end tests have one sandbox per worker (see
 * test/e2e/sandbox.setup.ts) and run after all others.
 */
const SANDBOXES = 2;

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
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/sandbox.setup.ts'],
          maxWorkers: SANDBOXES,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
