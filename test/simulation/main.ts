/**
 * `npm run simulate`: plays scenarios drawn from seeds, each in a world of its own, until all are played, the time is over,
 * or somebody presses Ctrl-C. Says which invariants were broken, and how often each fault struck.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Synthesized } from '../../infra/synthesize.ts';
import { assemble } from '../../sandbox/assembly.ts';
import { INVARIANTS } from './books/invariants.ts';
import { committedCode } from './code.ts';
import { neverSeen, SEES_ALL } from './coverage.ts';
import { newInLastTenth } from './growth.ts';
import {
  continuedRecord,
  emptyRecord,
  JOURNAL,
  Journal,
  type Recorded,
  readRecord,
  refuseFailed,
  saveRecord,
} from './journal.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { notPlayed, type Order, type Outcome } from './orders.ts';
import { PLANTED } from './planted/results.ts';
import { playAll } from './processes.ts';
import { type Planted, reliability } from './reliability.ts';
import { WEIGHED_EVERY } from './weigh.ts';

const SAVED_EVERY_MS = 60_000;

try {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
  } else if (options.report) {
    await writeReport();
  } else {
    await simulate(options);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function simulate(options: Options): Promise<void> {
  const known = options.continues ? await knownRecord() : emptyRecord(options.from);
  const end = known.first + options.seeds;
  const synthesized = options.assembly ?? JSON.stringify(await synthesize());
  const began = performance.now();
  const endsAt = began + options.minutes * 60_000;
  const journal = new Journal(known);
  const now = () => journal.recorded((performance.now() - began) / 1000);
  let next = known.next;
  let failed = 0;
  let stopping = false;
  const record = (outcome: Outcome) => {
    journal.add(outcome);
    if (outcome.report !== undefined) {
      fail(outcome.report);
    }
  };
  const fail = (report: string) => {
    failed++;
    console.log(`\n${report}`);
    stopping ||= !options.keepsGoing;
  };
  /** Workers ignore it. */
  process.once('SIGINT', () => {
    stopping = true;
    console.error('Stopping after the seeds that are being played. Press Ctrl-C again to end at once.');
    process.once('SIGINT', () => process.exit(130));
  });
  const progress = setInterval(
    () => console.error(progressOf(known, now(), { end, endsAt })),
    process.stderr.isTTY ? 1_000 : 30_000,
  );
  let saved = Promise.resolve();
  const save = () => {
    saved = saved.then(() => saveRecord(now()));
    return saved;
  };
  const saving = options.continues ? setInterval(save, SAVED_EVERY_MS) : undefined;
  await playAll(
    {
      args: [synthesized, String(options.trace)],
      next: (): Order | undefined => {
        if (stopping || next >= end || performance.now() > endsAt) {
          return undefined;
        }
        const seed = next++;
        return { seed, switches: options.switches, shrinks: options.shrinks, weighs: seed % WEIGHED_EVERY === 0 };
      },
      onOutcome: record,
      onDeath: (seed, how) => {
        const outcome = notPlayed(seed, `the process that played it ended with ${how}`);
        // A seed that was not played is not recorded: the next run with --continue plays it again.
        return options.continues ? fail(`${outcome.report}`) : record(outcome);
      },
    },
    options.jobs,
  );
  clearInterval(progress);
  clearInterval(saving);
  const proven = now();
  if (options.continues) {
    await save();
  }
  conclude(known, proven, { isSingle: options.single, failed });
}

async function knownRecord(): Promise<Recorded> {
  const old = await readRecord();
  const { record, isNew } = continuedRecord(old, await committedCode());
  if (isNew) {
    console.log(`${old === undefined ? '' : `The record in ${JOURNAL} is about other code. `}Starting a new record.`);
  }
  return record;
}

/** Each worker reads the files when it starts. */
async function synthesize(): Promise<Synthesized> {
  const directory = await mkdtemp(join(tmpdir(), 'tillflow-simulation-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return assemble(directory, () => {});
}

function progressOf(known: Recorded, proven: Recorded, { end, endsAt }: { end: number; endsAt: number }): string {
  const played = proven.next - known.next;
  const rate = played / (proven.seconds - known.seconds);
  const secondsLeft = Math.min((end - proven.next) / rate, Math.max(0, (endsAt - performance.now()) / 1000));
  const faults = [...proven.counts]
    .filter(([what]) => /^(cloud|platform)/.test(what))
    .reduce((sum, [, times]) => sum + times, 0);
  const all = proven.next - proven.first;
  return [
    `${played} seeds`,
    ...(proven.code === undefined ? [] : [`${all} recorded in all${Number.isFinite(end) ? ` of ${end - 1}` : ''}`]),
    `${rate.toFixed(1)} a second`,
    `${faults} faults struck`,
    `${proven.failed.length} failed`,
    ...(Number.isFinite(secondsLeft) ? [`${Math.ceil(secondsLeft)} s left`] : []),
  ].join(', ');
}

function conclude(
  known: Recorded,
  proven: Recorded,
  { isSingle, failed }: { isSingle: boolean; failed: number },
): void {
  const { first, next, machine, items } = proven;
  const played = next - known.next;
  const all = next - first;
  const seconds = proven.seconds - known.seconds;
  const broken = new Set(proven.failed.flatMap((one) => one.broken));
  const fresh = newInLastTenth(proven);
  console.log(
    [
      `${played} seeds from ${known.next} on, in ${seconds.toFixed(0)} s: ${(played / seconds).toFixed(1)} a second, ` +
        `${Math.round((proven.turns - known.turns) / seconds)} turns a second.`,
      ...(proven.code === undefined
        ? []
        : [`${all} seeds are recorded in ${JOURNAL}, of commit ${proven.code.commit}.`]),
      `Paths: ${machine.size} of executions and ${items.size} of items; ` +
        `${fresh.machine} and ${fresh.items} of them were new in the last 10 % of the seeds.`,
      proven.failed.length === 0
        ? `Held: ${Object.keys(INVARIANTS).join(', ')}.`
        : `Broken: ${[...broken].join(', ')} by the seeds ${proven.failed.map(({ seed }) => seed).join(', ')}. ` +
          'Play one again with npm run simulate -- --seed S --trace.',
    ].join('\n'),
  );
  if (all === 0) {
    console.log('No seed was played.');
    process.exitCode = 2;
    return;
  }
  const missing = neverSeen(proven.counts, all);
  if (missing.length > 0 && !isSingle) {
    console.log(`Never happened: ${missing.join(', ')}.`);
  }
  process.exitCode = failed > 0 || (missing.length > 0 && all >= SEES_ALL) ? 1 : 0;
}

async function writeReport(): Promise<void> {
  const record = await readRecord();
  if (record === undefined) {
    throw new Error(`There is no ${JOURNAL} to report. Record seeds with npm run simulate -- --continue --seeds N.`);
  }
  refuseFailed(record);
  const seeds = record.next - record.first;
  const missing = neverSeen(record.counts, seeds);
  if (missing.length > 0 && seeds >= SEES_ALL) {
    throw new Error(`Never happened in ${seeds} seeds: ${missing.join(', ')}.`);
  }
  const planted = await readFile(PLANTED, 'utf8').then(
    (text) => JSON.parse(text) as Planted[],
    () => [],
  );
  await writeFile('docs/reliability.md', reliability(record, planted));
  console.log(`Wrote docs/reliability.md from ${seeds} seeds.`);
}
