import { defineConfig } from 'vitest/config';
import { endToEnd } from './test/e2e/project.ts';
import { simulation } from './test/simulation/project.ts';

const slow = { testTimeout: 60_000, hookTimeout: 120_000 };

/** `npm test`: everything but the long proofs, which vitest.prove.config.ts adds. Where files share their modules, they take half the time. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false, maxWorkers: 2 } },
      { test: { name: 'infra', include: ['test/infra/**/*.test.ts'], isolate: false, maxWorkers: 2, ...slow } },
      { test: { name: 'flow', include: ['test/flow/**/*.test.ts'], maxWorkers: 2, ...slow } },
      { test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'], ...simulation } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...endToEnd } },
    ],
  },
});
