/** The source files of the repository by path, and which of them decide: where a changed condition affects money. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const deciding = [/^shared\/.*\.ts$/, /^functions\/.*\.ts$/, /^infra\/machine\/.*\.ts$/];
/** Files that only connect the parts to their environment, which no unit test may do. */
const wiring = [
  /^functions\/.*\/index\.ts$/,
  /\/from-environment\.ts$/,
  /^shared\/aws\/(environment|document-client)\.ts$/,
];

export function isDeciding(file: string): boolean {
  return deciding.some((pattern) => pattern.test(file)) && !wiring.some((pattern) => pattern.test(file));
}

/** Every file that git tracks or would add. */
export function filesOf(root: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
}

/** The text of the TypeScript files among these. */
export function readSources(root: string, files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
}
