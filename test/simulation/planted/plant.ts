/**
 * `npm run planted`: applies each planted bug to a copy of the code and plays seeds until an invariant is broken. Says which
 * one it was and after how many seeds. A bug that is not found in the given time is a missing invariant or a missing fault.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { assemble } from '../../../sandbox/assembly.ts';
import { type Bug, bugs } from './bugs.ts';
import { PLANTED } from './results.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(`Usage: npm run planted -- [options]

Plants bugs in a copy of the code, one at a time, and plays seeds until the simulation finds them.

  --minutes M   stop searching for a bug after M minutes of seeds (default: 10)
  --only TEXT   only bugs with this text in their name
  --jobs J      bugs at a time (default: 2)`);
  process.exit(0);
}

const COPIED = [
  'functions',
  'infra',
  'sandbox',
  'shared',
  'test',
  'docs',
  'cdk.json',
  'package.json',
  'require-node.js',
  'tsconfig.json',
];
const run = promisify(execFile);
const waiting = bugs.filter(({ name }) => name.includes(values.only ?? ''));
if (waiting.length === 0) {
  console.error(`no bug has ${values.only} in its name`);
  process.exit(2);
}
const results: { readonly name: string; readonly found?: string }[] = [];

const assembly = await mkdtemp(join(tmpdir(), 'tillflow-planted-'));
const synthesized = await assemble(assembly, () => {});

await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const found = await foundBy(bug);
      console.log(
        `${found === undefined ? 'MISSED' : 'found '}  ${bug.name}${found === undefined ? '' : `: ${found}`}`,
      );
      results.push({ name: bug.name, ...(found !== undefined && { found }) });
    }
  }),
);
await rm(assembly, { recursive: true, force: true });
const missed = results.filter(({ found }) => found === undefined);
if (values.only === undefined) {
  await mkdir('coverage', { recursive: true });
  await writeFile(PLANTED, JSON.stringify(bugs.map(({ name }) => results.find((one) => one.name === name))));
}
console.log(missed.length === 0 ? 'Every planted bug was found.' : `${missed.length} were not found.`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** The broken invariants and the number of seeds; undefined if nothing was broken. */
async function foundBy(bug: Bug): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'tillflow-planted-'));
  try {
    await Promise.all(COPIED.map((name) => cp(name, join(directory, name), { recursive: true })));
    await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
    await plant(bug, directory);
    const template = bug.file.startsWith('infra/') ? [] : ['--assembly', JSON.stringify(synthesized)];
    const args = [
      'test/simulation/main.ts',
      '--minutes',
      values.minutes,
      '--jobs',
      '1',
      '--from',
      '1',
      '--no-shrink',
      ...template,
    ];
    const { stdout } = await run(process.execPath, args, { cwd: directory, maxBuffer: 2 ** 28 }).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    const [, seeds] = /^(\d+) seeds from/m.exec(stdout) ?? [];
    const [, broken] = /^Broken: ([\w, ]+) by/m.exec(stdout) ?? [];
    // A crash proves nothing about an invariant.
    return broken === undefined || broken === 'noError' ? undefined : `${broken}, after ${seeds} seeds`;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function plant({ name, file, from, to }: Bug, directory: string): Promise<void> {
  const path = join(directory, file);
  const code = await readFile(path, 'utf8');
  if (code.split(from).length !== 2) {
    throw new Error(`${name}: the text to replace is not once in ${file}`);
  }
  await writeFile(
    path,
    code.replace(from, () => to),
  );
}
