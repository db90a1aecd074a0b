/** Synthesizes the template once for all files of the project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Synthesized } from '../../infra/synthesize.ts';
import { assemble } from '../../sandbox/assembly.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly synthesized: Synthesized;
  }
}

let directory: string | undefined;

export async function setup(project: TestProject): Promise<void> {
  directory = await mkdtemp(join(tmpdir(), 'tillflow-simulation-'));
  project.provide('synthesized', await assemble(directory, () => {}));
}

export async function teardown(): Promise<void> {
  if (directory !== undefined) {
    await rm(directory, { recursive: true, force: true });
  }
}
