/**
 * The record of the seeds that were played. It always covers all seeds from the first to the one before `next`, so that a
 * run can be stopped at any time and continued. A file keeps it, together with the code that it is about.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Code } from './code.ts';
import type { Outcome } from './orders.ts';

export const JOURNAL = 'coverage/simulation.json';

export interface Recorded {
  /** Undefined: the record is not kept. */
  readonly code?: Code;
  readonly first: number;
  readonly next: number;
  readonly seconds: number;
  readonly turns: number;
  /** How often what happened, as run.ts and weigh.ts count it. */
  readonly counts: ReadonlyMap<string, number>;
  /** By the hash of each path: the seed that took it first. */
  readonly machine: ReadonlyMap<string, number>;
  readonly items: ReadonlyMap<string, number>;
  readonly failed: readonly { readonly seed: number; readonly broken: readonly string[] }[];
}

export function emptyRecord(first: number, code?: Code): Recorded {
  const paths = { machine: new Map(), items: new Map() };
  return { ...(code && { code }), first, next: first, seconds: 0, turns: 0, counts: new Map(), ...paths, failed: [] };
}

/** What `--continue` starts with. Throws when the record has a failed seed. */
export function continuedRecord(known: Recorded | undefined, code: Code): { record: Recorded; isNew: boolean } {
  if (known?.code?.hash !== code.hash) {
    return { record: emptyRecord(1, code), isNew: true };
  }
  refuseFailed(known);
  return { record: { ...known, code }, isNew: false };
}

export function refuseFailed({ failed }: Recorded): void {
  const [first] = failed;
  if (first !== undefined) {
    throw new Error(
      `Seed ${first.seed} broke ${first.broken.join(', ')} in the recorded run. Play it with npm run simulate -- ` +
        `--seed ${first.seed}, and fix and commit the code. To forget the record, remove ${JOURNAL}.`,
    );
  }
}

/** Adds outcomes in the order of their seeds. An outcome that comes too early waits for those before it. */
export class Journal {
  readonly #counts: Map<string, number>;
  readonly #machine: Map<string, number>;
  readonly #items: Map<string, number>;
  readonly #failed: Recorded['failed'][number][];
  readonly #waiting = new Map<number, Outcome>();
  readonly #known: Recorded;
  #next: number;
  #turns: number;

  constructor(known: Recorded) {
    this.#known = known;
    this.#counts = new Map(known.counts);
    this.#machine = new Map(known.machine);
    this.#items = new Map(known.items);
    this.#failed = [...known.failed];
    this.#next = known.next;
    this.#turns = known.turns;
  }

  add(outcome: Outcome): void {
    this.#waiting.set(outcome.seed, outcome);
    for (let one = this.#take(); one !== undefined; one = this.#take()) {
      this.#next++;
      this.#turns += one.turns;
      for (const [what, times] of one.counts) {
        this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
      }
      addNew(this.#machine, one.paths.machine, one.seed);
      addNew(this.#items, one.paths.items, one.seed);
      if (one.broken.length > 0) {
        this.#failed.push({ seed: one.seed, broken: one.broken });
      }
    }
  }

  /** `seconds`: how long this run has taken. */
  recorded(seconds: number): Recorded {
    return {
      ...this.#known,
      next: this.#next,
      seconds: this.#known.seconds + seconds,
      turns: this.#turns,
      counts: this.#counts,
      machine: this.#machine,
      items: this.#items,
      failed: this.#failed,
    };
  }

  #take(): Outcome | undefined {
    const outcome = this.#waiting.get(this.#next);
    this.#waiting.delete(this.#next);
    return outcome;
  }
}

export function readRecord(): Recorded | undefined {
  return existsSync(JOURNAL) ? fromText(readFileSync(JOURNAL, 'utf8')) : undefined;
}

/** The file is replaced as a whole: a run that is killed leaves the last record. */
export function saveRecord(record: Recorded): void {
  mkdirSync(dirname(JOURNAL), { recursive: true });
  writeFileSync(`${JOURNAL}.new`, toText(record));
  renameSync(`${JOURNAL}.new`, JOURNAL);
}

export function toText(record: Recorded): string {
  return JSON.stringify(record, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value));
}

export function fromText(text: string): Recorded {
  const { counts, machine, items, ...rest } = JSON.parse(text);
  const [ofCounts, ofMachine, ofItems] = [counts, machine, items].map(
    (one: Readonly<Record<string, number>>) => new Map(Object.entries(one)),
  );
  return { ...rest, counts: ofCounts, machine: ofMachine, items: ofItems };
}

function addNew(known: Map<string, number>, hashes: readonly string[], seed: number): void {
  for (const hash of hashes) {
    if (!known.has(hash)) {
      known.set(hash, seed);
    }
  }
}
