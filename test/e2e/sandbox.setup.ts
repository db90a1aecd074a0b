/** Starts one sandbox for all end-to-end tests, as a user would: the command, its ready line, and a clean stop at the end. */
import type { TestProject } from 'vitest/node';
import { type ReadyLine, type RunningSandbox, runSandbox } from './run-sandbox.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly ready: ReadyLine;
  }
}

let sandbox: RunningSandbox;

export async function setup(project: TestProject): Promise<void> {
  sandbox = await runSandbox(['--port', '0']);
  project.provide('ready', sandbox.ready);
}

export async function teardown(): Promise<void> {
  await sandbox.stop();
}
