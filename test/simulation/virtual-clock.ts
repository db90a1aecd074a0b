/**
 * The clock of a simulated world. Time stands still while code runs and jumps to the next timer when nothing else can run,
 * so a world is as fast as its code and the same seed gives the same order.
 */
import { Clock, type Timer } from '../../sandbox/clock.ts';

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  /** Undefined once it was cancelled. */
  work: (() => void) | undefined;
}

/** Far more than a scenario needs: one that does not end is reported instead of played for ever. */
const MAX_TURNS = 500_000;

/** The event loop's own: the globals are virtual in a simulation. */
const nextTurn = globalThis.setImmediate;

export class VirtualClock extends Clock {
  /** Timers that ran. */
  turns = 0;
  /** When somebody outside acts next, if that is before the time to which the clock is advanced. */
  quietUntilMs: (() => number | undefined) | undefined;
  #nowMs: number;
  #order = 0;
  #targetMs: number | undefined;
  #stepping: Promise<unknown> = Promise.resolve();
  /** A binary heap by time, then by order. */
  readonly #heap: Entry[] = [];

  constructor(startMs: number) {
    super(() => startMs);
    this.#nowMs = startMs;
  }

  override now(): number {
    return this.#nowMs;
  }

  override get leftToAdvanceMs(): number {
    const untilMs = this.quietUntilMs?.() ?? this.#targetMs;
    return this.#targetMs === undefined || untilMs === undefined ? 0 : Math.max(0, untilMs - this.#nowMs);
  }

  override schedule(delayMs: number, work: () => void): Timer {
    const entry: Entry = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, work };
    push(this.#heap, entry);
    return {
      cancel: () => {
        entry.work = undefined;
      },
    };
  }

  override async advance(toMs: number): Promise<number> {
    const before = this.turns;
    this.#targetMs = toMs;
    while (await this.#step(toMs)) {
      // each step runs one timer
    }
    this.#nowMs = Math.max(this.#nowMs, toMs);
    this.#targetMs = undefined;
    return this.turns - before;
  }

  /** Lets time pass until the work has ended. Throws if nothing is left that could end it. */
  async until<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    await this.#drained();
    while (!over) {
      // While somebody advances the time to a target, it does not pass that.
      const stepped = await this.#step(this.#targetMs ?? Number.POSITIVE_INFINITY);
      if (!stepped && !over && this.#targetMs === undefined) {
        throw new Error('nothing is scheduled, and the work has not ended');
      }
    }
    return work;
  }

  override stop(): void {
    this.#heap.length = 0;
  }

  /** Runs the next timer, unless it is later than that. One step at a time, whoever asks. */
  #step(toMs: number): Promise<boolean> {
    const step = this.#stepping.then(() => this.#stepNow(toMs));
    this.#stepping = step;
    return step;
  }

  async #stepNow(toMs: number): Promise<boolean> {
    let next = this.#heap[0];
    while (next !== undefined && next.work === undefined) {
      pop(this.#heap);
      next = this.#heap[0];
    }
    if (next === undefined || next.dueMs > toMs) {
      await this.#drained();
      return this.#heap[0] !== undefined && this.#heap[0].dueMs <= toMs;
    }
    pop(this.#heap);
    this.#nowMs = Math.max(this.#nowMs, next.dueMs);
    if (++this.turns > MAX_TURNS) {
      throw new Error(`the scenario has not ended after ${MAX_TURNS} timers`);
    }
    next.work?.();
    await this.#drained();
    return true;
  }

  /** Resolves when no code can run before the next timer: nothing here waits for real input or output. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      nextTurn(resolve);
    });
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(entry, heap[parent]!)) {
      break;
    }
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) {
    return;
  }
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) {
      break;
    }
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) {
      child++;
    }
    if (!isBefore(heap[child]!, last)) {
      break;
    }
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
