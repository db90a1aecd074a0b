/**
 * `npm run mutants`: changes the decision code in small ways, one at a time, and counts how many changes a test
 * notices. Not Stryker: it reads tsconfig.json with the TypeScript API, which TypeScript 7 does not have, takes no
 * seeded sample, and knows neither removed guards nor swapped statuses. Not part of the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { choose } from './choose.ts';
import { kinds } from './edits.ts';
import { findMutants } from './mutants.ts';
import { report, scoreOf } from './report.ts';
import { findSiblings } from './siblings.ts';
import { filesOf, isDeciding, readSources } from './sources.ts';
import { createTree } from './tree.ts';
import { tryAll } from './trials.ts';

const help = `Usage: npm run mutants -- [options]

Takes a sample of all small changes (mutants) of the code that decides: shared/, functions/ without their wiring, and
infra/machine/. Tries each in a private copy of the tree with the tests that import the changed file: unit tests, then
flow tests if it survived (for infra/, its tests in between, without the template snapshots). Prints the rate of those
that a test noticed, and every survivor. Tests that do not end count as having noticed.

  --sample N        how many (300)
  --seed TEXT       chooses the sample; the same seed and code give the same sample (a new one each time, printed)
  --only PREFIX     only files whose path begins so; may be repeated
  --jobs J          how many at once (one per core)
  --at-least P      exit code 1 below this rate, in percent (90)

Kinds:
${Object.entries(kinds)
  .map(([kind, what]) => `  ${kind.padEnd(12)} ${what}`)
  .join('\n')}

A change that makes no difference is argued in place, by kind, in its line or the line above; it does not count then:
  // mutant comparison: at the bound itself both sides are the same`;

const root = join(import.meta.dirname, '../..');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      sample: { type: 'string', default: '300' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string', multiple: true, default: [''] },
      jobs: { type: 'string', default: String(availableParallelism()) },
      'at-least': { type: 'string', default: '90' },
    },
  });
  if (values.help) {
    print(help);
    return 0;
  }
  const files = filesOf(root);
  const sources = readSources(root, files);
  const code = new Map([...sources].filter(([file]) => isDeciding(file)));
  const siblings = findSiblings(code);
  const all = [...code]
    .filter(([file]) => values.only.some((prefix) => file.startsWith(prefix)))
    .flatMap(([file, source]) => findMutants(file, source, siblings));
  const sample = choose(all, Number(values.sample), values.seed);
  print(`seed ${values.seed}: ${sample.length} of ${all.length} mutants`);
  const folder = mkdtempSync(join(tmpdir(), 'tillflow-mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const newTree = (job: number) => createTree(join(folder, String(job)), root, files);
  const others = Array.from({ length: Number(values.jobs) - 1 }, (_, job) => newTree(job + 1));
  const trials = await tryAll(sample, sources, [newTree(0), ...others], print);
  print(`\n${report(trials)}\n\nseed ${values.seed}`);
  return scoreOf(trials).rate < Number(values['at-least']) ? 1 : 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
