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
import { committedCode } from './code.ts';
import { neverSeen, SEES_ALL } from './coverage.ts';
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
import { progressLine, summary } from './summary.ts';
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
  const beganMs = performance.now();
  const endsAtMs = beganMs + options.minutes * 60_000;
  const journal = new Journal(known);
  const now = () => journal.recorded((performance.now() - beganMs) / 1000);
  let next = known.next;
  let stopping = false;
  const nextOrder = (): Order | undefined => {
    if (stopping || next >= end || performance.now() > endsAtMs) {
      return undefined;
    }
    const seed = next++;
    return { seed, switches: options.switches, shrinks: options.shrinks, weighs: seed % WEIGHED_EVERY === 0 };
  };
  const fail = (report: string) => {
    console.log(`\n${report}`);
    process.exitCode = 1;
    stopping ||= !options.keepsGoing;
  };
  const record = (outcome: Outcome) => {
    journal.add(outcome);
    if (outcome.report !== undefined) {
      fail(outcome.report);
    }
  };
  const recordDeath = (seed: number, how: string) => {
    const what = `the process that played it ended with ${how}`;
    if (options.continues) {
      fail(`seed ${seed}: ${what}. The record ends before this seed; the next run with --continue plays it again.`);
    } else {
      record(notPlayed(seed, what));
    }
  };
  onCtrlC(() => {
    stopping = true;
  });
  const progress = setInterval(
    () => console.error(progressLine(known, now(), end, (endsAtMs - performance.now()) / 1000)),
    process.stderr.isTTY ? 1_000 : 30_000,
  );
  const saving = options.continues ? setInterval(() => saveRecord(now()), SAVED_EVERY_MS) : undefined;
  const args = [synthesized, String(options.trace)];
  await playAll({ args, next: nextOrder, onOutcome: record, onDeath: recordDeath }, options.jobs);
  clearInterval(progress);
  clearInterval(saving);
  const proven = now();
  if (options.continues) {
    saveRecord(proven);
  }
  console.log(summary(known, proven));
  checkCoverage(proven, options.single);
}

/** The first Ctrl-C stops, the second one ends the process. Workers ignore both. */
function onCtrlC(stop: () => void): void {
  process.once('SIGINT', () => {
    stop();
    console.error('Stopping after the seeds that are being played. Press Ctrl-C again to end at once.');
    process.once('SIGINT', () => process.exit(130));
  });
}

async function knownRecord(): Promise<Recorded> {
  const old = readRecord();
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

function checkCoverage({ first, next, counts }: Recorded, isSingle: boolean): void {
  const seeds = next - first;
  if (seeds === 0) {
    console.log('No seed was played.');
    process.exitCode = 2;
    return;
  }
  const missing = neverSeen(counts, seeds);
  if (missing.length > 0 && !isSingle) {
    console.log(`Never happened: ${missing.join(', ')}.`);
    process.exitCode = seeds >= SEES_ALL ? 1 : process.exitCode;
  }
}

async function writeReport(): Promise<void> {
  const record = readRecord();
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
