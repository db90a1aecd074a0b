import type { ProjectConfig } from 'vitest/node';

/** Simulated tests have a world per file (see till.ts), with the template that assembly.setup.ts synthesizes once. */
export const simulation: ProjectConfig = {
  globalSetup: ['test/simulation/assembly.setup.ts'],
  maxWorkers: 2,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};
