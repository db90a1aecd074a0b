import type { ProjectConfig } from 'vitest/node';

/** End-to-end tests have one sandbox per worker (see sandbox.setup.ts) and run after all others. */
export const endToEnd: ProjectConfig = {
  globalSetup: ['test/e2e/sandbox.setup.ts'],
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
  testTimeout: 60_000,
  hookTimeout: 120_000,
};
