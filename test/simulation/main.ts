/**
 * `npm run simulate`: plays scenarios drawn from seeds, each in a world of its own, until all are played, the time is over,
 * or somebody presses Ctrl-C. Says which invariants were broken, and how often each fault struck.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Synthesized } from '../../infra/synthesize.ts';
import { assemble } from '../../sandbox/assembly.ts';
import { INVARIANTS } from './books/invariants.ts';
import { neverSeen, SEES_ALL } from './coverage.ts';
import { PLANTED } from './planted/results.ts';
import { playAll } from './processes.ts';
import { reliability } from './reliability.ts';
import type { Order, Outcome } from './worker.ts';

const USAGE = `Usage: npm run simulate -- [options]

Plays random scenarios of sales, charges, holds and RF orders, with faults of the platform and of AWS,
in virtual time. A seed always plays the same scenario in the same way.

  --seeds N          how many seeds to play (default: until --minutes are over, or 100)
  --from S           the first seed (default: 1; with --minutes it is taken from the clock, and printed)
  --minutes M        start no new seed after so many minutes
  --seed S           play this seed only
  --trace            print every call of every function
  --jobs J           processes (default: one for each core)
  --switches a=b,…   set switches of the platform in every scenario
  --keep-going       do not stop at the first broken invariant
  --report           write docs/reliability.md, if nothing was broken
  --no-shrink        print the failing scenario as it was drawn, without making it smaller`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    trace: { type: 'boolean' },
    jobs: { type: 'string' },
    switches: { type: 'string' },
    'keep-going': { type: 'boolean' },
    'no-shrink': { type: 'boolean' },
    report: { type: 'boolean' },
    /** Where a synthesized template is, as JSON: plant.ts shares one. */
    assembly: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const single = values.seed === undefined ? undefined : numberOf('seed');
const minutes = values.minutes === undefined ? undefined : numberOf('minutes');
/** A time-limited run proves something new each time; the first seed is printed, so that it can be repeated. */
const from =
  single ?? (values.from === undefined ? (minutes === undefined ? 1 : Date.now() % 2 ** 31) : numberOf('from'));
const count = single === undefined ? numberOf('seeds', minutes === undefined ? 100 : Number.POSITIVE_INFINITY) : 1;
const jobs = Math.min(numberOf('jobs', availableParallelism()), count);
const switches = Object.fromEntries(
  (values.switches ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => {
      const [name = '', value = ''] = one.split('=');
      return [name, /^\d+$/.test(value) ? Number(value) : value];
    }),
);

const counts = new Map<string, number>();
const failed: Outcome[] = [];
let next = from;
let played = 0;
let turns = 0;
let stopping = false;

/** A first Ctrl-C stops after the seeds that are being played. Workers ignore it. */
process.once('SIGINT', () => {
  stopping = true;
  console.error('Stopping after the seeds that are being played. Press Ctrl-C again to end at once.');
  process.once('SIGINT', () => process.exit(130));
});

const synthesized: Synthesized =
  values.assembly === undefined ? await synthesize() : (JSON.parse(values.assembly) as Synthesized);
const began = performance.now();
const endsAt = began + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
const progress = setInterval(tell, process.stderr.isTTY ? 1_000 : 30_000);
await playAll(
  {
    args: [JSON.stringify(synthesized), String(values.trace ?? false)],
    next: nextOrder,
    onOutcome: record,
    onDeath: (seed, how) =>
      record({
        seed,
        turns: 0,
        hash: '',
        counts: [],
        broken: ['noError'],
        report: `seed ${seed}: the process that played it ended with ${how}`,
      }),
  },
  jobs,
);
clearInterval(progress);
conclude();
if (values.report && process.exitCode === 0) {
  await writeReport();
}

/** Each worker reads the files when it starts. */
async function synthesize(): Promise<Synthesized> {
  const directory = await mkdtemp(join(tmpdir(), 'tillflow-simulation-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return assemble(directory, () => {});
}

function nextOrder(): Order | undefined {
  const isOver = stopping || next >= from + count || performance.now() > endsAt;
  return isOver ? undefined : { seed: next++, switches, shrinks: !values['no-shrink'] };
}

function record(outcome: Outcome): void {
  played++;
  turns += outcome.turns;
  for (const [what, times] of outcome.counts) {
    counts.set(what, (counts.get(what) ?? 0) + times);
  }
  if (outcome.report !== undefined) {
    failed.push(outcome);
    console.log(`\n${outcome.report}`);
    stopping ||= !values['keep-going'];
  }
}

function tell(): void {
  const seconds = (performance.now() - began) / 1000;
  const rate = played / seconds;
  const left = Number.isFinite(count) ? (count - played) / rate : Math.max(0, (endsAt - performance.now()) / 1000);
  const faults = [...counts]
    .filter(([what]) => /^(cloud|platform)/.test(what))
    .reduce((sum, [, times]) => sum + times, 0);
  console.error(
    `${played} seeds, ${rate.toFixed(1)} a second, ${faults} faults struck, ${failed.length} failed, ${Math.ceil(left)} s left`,
  );
}

function conclude(): void {
  const seconds = (performance.now() - began) / 1000;
  const broken = new Set(failed.flatMap((one) => one.broken));
  console.log(
    [
      `${played} seeds from ${from} on, in ${seconds.toFixed(0)} s: ${(played / seconds).toFixed(1)} a second, ` +
        `${Math.round(turns / seconds)} turns a second on ${jobs} processes.`,
      failed.length === 0
        ? `Held: ${Object.keys(INVARIANTS).join(', ')}.`
        : `Broken: ${[...broken].join(', ')} by the seeds ${failed.map(({ seed }) => seed).join(', ')}. ` +
          'Play one again with npm run simulate -- --seed S --trace.',
    ].join('\n'),
  );
  if (played === 0) {
    console.log('No seed was played.');
    process.exitCode = 2;
    return;
  }
  const missing = neverSeen(counts);
  if (missing.length > 0 && single === undefined) {
    console.log(`Never happened: ${missing.join(', ')}.`);
  }
  process.exitCode = failed.length > 0 || (missing.length > 0 && played >= SEES_ALL) ? 1 : 0;
}

async function writeReport(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD']);
  const planted = await readFile(PLANTED, 'utf8').then(
    (text) => JSON.parse(text) as { readonly name: string; readonly found?: string }[],
    () => [],
  );
  const seconds = (performance.now() - began) / 1000;
  const proven = { commit: stdout.trim(), from, seeds: played, seconds, turns, jobs, counts, planted };
  await writeFile('docs/reliability.md', reliability(proven));
}

function numberOf(name: 'seeds' | 'from' | 'minutes' | 'seed' | 'jobs', otherwise?: number): number {
  const given = values[name];
  const number = given === undefined ? otherwise : Number(given);
  const isWhole = name === 'minutes' || number === Number.POSITIVE_INFINITY || Number.isInteger(number);
  if (number === undefined || !isWhole || number < (name === 'from' || name === 'seed' ? 0 : 1e-3)) {
    console.error(`--${name} needs a number above 0 (see npm run simulate -- --help)`);
    process.exit(2);
  }
  return number;
}
