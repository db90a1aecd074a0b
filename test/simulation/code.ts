/** The committed code that a run of the simulation is about. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';

export interface Code {
  /** Of the trees of all folders that decide how a seed is played. */
  readonly hash: string;
  /** A commit with this code, in short. */
  readonly commit: string;
}

const FOLDERS = ['functions', 'shared', 'infra', 'sandbox', 'test'];

/** Throws when one of the folders has changes: a record must be about code that can be found again. */
export async function committedCode(): Promise<Code> {
  refuseChanges(await git('status', '--porcelain', '--', ...FOLDERS));
  const trees = await git('rev-parse', ...FOLDERS.map((folder) => `HEAD:${folder}`));
  return {
    hash: createHash('sha256').update(trees).digest('hex').slice(0, 16),
    commit: (await git('rev-parse', '--short', 'HEAD')).trim(),
  };
}

/** `status`: of `git status --porcelain`. */
export function refuseChanges(status: string): void {
  if (status !== '') {
    throw new Error(
      `--continue records committed code only, and these files have changes:\n${status.trimEnd()}\n` +
        'Commit or stash them, or run without --continue.',
    );
  }
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args);
  return stdout;
}
