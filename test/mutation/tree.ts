/**
 * A private copy of the sources in which a mutant is tried, so that several can run at once and the work tree stays
 * clean. Tests run in separate processes: a mutant may crash them or never end.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Outcome = 'passed' | 'failed' | 'timeout';

export interface Tree {
  write(file: string, text: string): void;
  /** Runs these test files of a project until the first failure. */
  test(project: string, files: readonly string[], limitMs: number): Promise<Outcome>;
}

/**
 * One process for all files is four times as fast. But what a file leaves behind may break the next one, and a busy
 * machine may be slow: neither is a failed test.
 */
const options = [
  ...['--no-isolate', '--maxWorkers=1', '--dangerouslyIgnoreUnhandledErrors'],
  ...['--testTimeout=20000', '--bail=1', '--cache=false'],
];

/** Copies these files of `root` to a new folder. */
export function createTree(folder: string, root: string, files: readonly string[]): Tree {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  return {
    write: (file, text) => writeFileSync(join(folder, file), text),
    test: (project, tests, limitMs) => {
      const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...options, ...tests];
      return run(folder, temporary, command, limitMs);
    },
  };
}

function run(cwd: string, temporary: string, command: readonly string[], limitMs: number): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  // A group of its own, so that the workers of a run that never ends are ended with it.
  const child = spawn(process.execPath, command, {
    cwd,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: temporary },
  });
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  const timer = setTimeout(() => {
    resolve('timeout');
    end();
  }, limitMs);
  process.once('exit', end);
  child.once('error', reject);
  child.once('exit', (code) => {
    clearTimeout(timer);
    process.off('exit', end);
    resolve(code === 0 ? 'passed' : 'failed');
  });
  return promise;
}
