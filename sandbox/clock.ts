/**
 * The clock of the sandbox: platform, cloud and the functions' workers all take their time from it.
 *
 * It runs at the speed of real time, plus an offset that `advance` increases. All later work is scheduled here, so that
 * advancing by five days runs everything due in those days, in order, within milliseconds. Between two timers `advance`
 * waits until nothing is in flight. Work that is tracked with `track` counts as in flight; what waits inside `sleep` is
 * held by the clock and does not.
 */
export interface Timer {
  cancel(): void;
}

interface Entry {
  readonly dueMs: number;
  readonly order: number;
  readonly work: () => void;
}

const MAX_REAL_TIMEOUT_MS = 2 ** 31 - 1;
/** Real time without anything in flight after which the sandbox is idle: long enough for a loopback round trip to start. */
const QUIET_MS = 4;
/** The number of checks in that time, because a busy machine may let the time pass without running anything. */
const QUIET_LOOKS = 4;
/** The longest real time that `advance` waits for work in flight between two timers: longer than any function's own work. */
const IN_FLIGHT_LIMIT_MS = 10_000;

export class Clock {
  #offsetMs = 0;
  #order = 0;
  #inFlight = 0;
  #held = 0;
  #advancing: Promise<unknown> = Promise.resolve();
  /** Where the current `advance` ends; undefined outside of one. */
  #targetMs: number | undefined;
  #fired = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #entries = new Set<Entry>();
  readonly #realNow: () => number;
  /** Called with the new offset whenever it changes, for clocks in workers. */
  readonly #listeners = new Set<(offsetMs: number) => void>();

  /** `realNow` is captured before anything patches `Date`. */
  constructor(realNow: () => number = Date.now.bind(Date)) {
    this.#realNow = realNow;
  }

  /** Milliseconds since the epoch, in virtual time. */
  now(): number {
    return this.#realNow() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The virtual time that the current `advance` has left; 0 outside of one. */
  get leftToAdvanceMs(): number {
    return this.#targetMs === undefined ? 0 : Math.max(0, this.#targetMs - this.now());
  }

  onOffset(listener: (offsetMs: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs `work` once, `delayMs` of virtual time from now. */
  schedule(delayMs: number, work: () => void): Timer {
    const entry: Entry = { dueMs: this.now() + Math.max(0, delayMs), order: this.#order++, work };
    this.#entries.add(entry);
    this.#arm();
    return {
      cancel: () => {
        this.#entries.delete(entry);
        this.#arm();
      },
    };
  }

  /** Resolves after `delayMs` of virtual time. The wait is held by the clock, and is not in flight; `signal` ends it early. */
  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) {
      return;
    }
    this.#held++;
    try {
      await new Promise<void>((resolve) => {
        const timer = this.schedule(delayMs, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
        const abort = () => {
          timer.cancel();
          resolve();
        };
        signal?.addEventListener('abort', abort, { once: true });
      });
    } finally {
      this.#held--;
    }
  }

  /** Counts `work` as in flight until it ends: `advance` does not pass it. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await work;
    } finally {
      this.#inFlight--;
    }
  }

  /** Advances virtual time to `toMs` and runs what is due on the way, in order. Resolves to the number of timers that ran. */
  advance(toMs: number): Promise<number> {
    const run = this.#advancing.then(() => this.#advanceNow(toMs));
    this.#advancing = run.catch(() => undefined);
    return run;
  }

  /** Drops every timer, for a clean stop. */
  stop(): void {
    this.#entries.clear();
    clearTimeout(this.#timer);
  }

  async #advanceNow(toMs: number): Promise<number> {
    this.#targetMs = toMs;
    this.#fired = 0;
    try {
      await this.#quiet();
      for (let next = this.#next(); next !== undefined && next.dueMs <= toMs; next = this.#next()) {
        this.#moveTo(next.dueMs);
        this.#runDue();
        await this.#quiet();
      }
      this.#moveTo(toMs);
      return this.#fired;
    } finally {
      this.#targetMs = undefined;
      this.#arm();
    }
  }

  /** Resolves once nothing has been in flight for a moment, or at the time limit, so that hanging work cannot stop the clock. */
  async #quiet(): Promise<void> {
    const limit = this.#realNow() + IN_FLIGHT_LIMIT_MS;
    let quietSince = this.#realNow();
    let looks = 0;
    while ((this.#realNow() - quietSince < QUIET_MS || looks < QUIET_LOOKS) && this.#realNow() < limit) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      looks++;
      if (this.#inFlight > this.#held) {
        quietSince = this.#realNow();
        looks = 0;
      }
    }
  }

  #moveTo(toMs: number): void {
    const ahead = toMs - this.now();
    if (ahead > 0) {
      this.#offsetMs += ahead;
      for (const listener of this.#listeners) {
        listener(this.#offsetMs);
      }
    }
  }

  #next(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (
        first === undefined ||
        entry.dueMs < first.dueMs ||
        (entry.dueMs === first.dueMs && entry.order < first.order)
      ) {
        first = entry;
      }
    }
    return first;
  }

  #runDue(): void {
    for (let next = this.#next(); next !== undefined && next.dueMs <= this.now(); next = this.#next()) {
      this.#entries.delete(next);
      this.#fired++;
      next.work();
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#next();
    if (next === undefined || this.#targetMs !== undefined) {
      return;
    }
    this.#timer = setTimeout(
      () => {
        this.#runDue();
        this.#arm();
      },
      Math.min(Math.max(0, next.dueMs - this.now()), MAX_REAL_TIMEOUT_MS),
    );
    this.#timer.unref();
  }
}
