/**
 * Which errors a retrier or catcher handles, and when the next attempt is made. There is one counter per retrier and
 * visit of the state.
 */
import type { Retrier } from './definition.ts';
import { statesError } from './errors.ts';

/** Whether a list of `ErrorEquals` matches the error. Some errors are not matched by wildcards. */
export function matches(errorEquals: readonly string[], error: string): boolean {
  switch (error) {
    case statesError.runtime:
      return false;
    case statesError.dataLimitExceeded:
      return errorEquals.includes(error);
    case statesError.heartbeatTimeout:
      return [error, statesError.timeout, statesError.all].some((name) => errorEquals.includes(name));
    case statesError.timeout:
      return [error, statesError.all].some((name) => errorEquals.includes(name));
    default:
      return [error, statesError.taskFailed, statesError.all].some((name) => errorEquals.includes(name));
  }
}

export class RetryCounters {
  readonly #retriers: readonly Retrier[];
  readonly #random: () => number;
  readonly #used = new Map<Retrier, number>();

  constructor(retriers: readonly Retrier[], random: () => number) {
    this.#retriers = retriers;
    this.#random = random;
  }

  /** The retries so far in this visit: `$states.context.State.RetryCount`. */
  get total(): number {
    return this.#used.values().reduce((sum, count) => sum + count, 0);
  }

  /** Returns the seconds until the next attempt and counts it; undefined if the first matching retrier has none left. */
  next(error: string): number | undefined {
    const retrier = this.#retriers.find(({ ErrorEquals }) => matches(ErrorEquals, error));
    const used = retrier === undefined ? 0 : (this.#used.get(retrier) ?? 0);
    if (retrier === undefined || used >= retrier.MaxAttempts) {
      return undefined;
    }
    this.#used.set(retrier, used + 1);
    const { IntervalSeconds, BackoffRate, MaxDelaySeconds = Number.POSITIVE_INFINITY, JitterStrategy } = retrier;
    const delay = Math.min(IntervalSeconds * BackoffRate ** used, MaxDelaySeconds);
    return JitterStrategy === 'FULL' ? delay * this.#random() : delay;
  }
}
