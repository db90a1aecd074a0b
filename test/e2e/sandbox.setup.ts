/** Starts a sandbox for each worker as a user would: the command, its ready line, and a clean stop at the end. */
import type { TestProject } from 'vitest/node';
import { type ReadyLine, type RunningSandbox, runSandbox } from './run-sandbox.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly ready: readonly ReadyLine[];
  }
}

let sandboxes: readonly RunningSandbox[] = [];

export async function setup(project: TestProject): Promise<void> {
  const count = Number(project.config.maxWorkers);
  sandboxes = await Promise.all(Array.from({ length: count }, () => runSandbox(['--port', '0'])));
  project.provide(
    'ready',
    sandboxes.map(({ ready }) => ready),
  );
}

export async function teardown(): Promise<void> {
  await Promise.all(sandboxes.map((sandbox) => sandbox.stop()));
}
