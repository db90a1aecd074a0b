/**
 * The sleeps and request timeouts of one execution environment, on the sandbox's clock.
 *
 * Between two events the environment is frozen, as on Lambda: remaining timers wait until the next event. The clock
 * holds a sleep of tracked work. Work for an outside caller is not tracked: once the clock has woken it, it counts as
 * in flight until it sleeps again or ends, so that time does not pass it.
 */
import type { Clock, Timer } from '../../clock.ts';

interface Waiting {
  readonly dueMs: number;
  readonly sleeping: boolean;
  /** Undefined while frozen. */
  running: Timer | undefined;
}

export class InstanceTimers {
  readonly #clock: Clock;
  readonly #onFired: (timerId: number) => void;
  readonly #waiting = new Map<number, Waiting>();
  #frozen = true;
  #tracked = false;
  /** Ends the time in which untracked work counts as in flight. */
  #doze: (() => void) | undefined;

  constructor(clock: Clock, onFired: (timerId: number) => void) {
    this.#clock = clock;
    this.#onFired = onFired;
  }

  start(timerId: number, delayMs: number, sleeping: boolean): void {
    const waiting: Waiting = { dueMs: this.#clock.now() + delayMs, sleeping, running: undefined };
    this.#waiting.set(timerId, waiting);
    if (!this.#frozen) {
      waiting.running = this.#run(timerId, waiting);
    }
    if (sleeping) {
      this.#doze?.();
    }
  }

  cancel(timerId: number): void {
    this.#waiting.get(timerId)?.running?.cancel();
    this.#waiting.delete(timerId);
  }

  /** An event begins. */
  thaw(tracked: boolean): void {
    this.#frozen = false;
    this.#tracked = tracked;
    for (const [timerId, waiting] of this.#waiting) {
      waiting.running = this.#run(timerId, waiting);
    }
  }

  /** The event has ended. */
  freeze(): void {
    this.#frozen = true;
    this.#doze?.();
    for (const waiting of this.#waiting.values()) {
      waiting.running?.cancel();
      waiting.running = undefined;
    }
  }

  #run(timerId: number, { dueMs, sleeping }: Waiting): Timer {
    const delayMs = dueMs - this.#clock.now();
    if (!this.#tracked) {
      return this.#clock.schedule(delayMs, () => {
        this.#wake();
        this.#fire(timerId);
      });
    }
    if (!sleeping) {
      return this.#clock.schedule(delayMs, () => this.#fire(timerId));
    }
    const cancelled = new AbortController();
    void this.#clock.sleep(delayMs, cancelled.signal).then(() => cancelled.signal.aborted || this.#fire(timerId));
    return { cancel: () => cancelled.abort() };
  }

  #fire(timerId: number): void {
    this.#waiting.delete(timerId);
    this.#onFired(timerId);
  }

  #wake(): void {
    this.#doze?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#doze = resolve;
    void this.#clock.track(promise);
  }
}
