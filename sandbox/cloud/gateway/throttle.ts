/** Token buckets in virtual time, one for each method: a limit for all methods limits each of them, not their sum. */
import type { Method, MethodSetting } from './api.ts';
import type { Route } from './routes.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** The account's default when a setting names only one of the two. */
const ACCOUNT_RATE_PER_SECOND = 10_000;
const ACCOUNT_BURST = 5000;

export class Throttle {
  readonly #settings: readonly MethodSetting[];
  readonly #now: () => number;
  readonly #buckets = new Map<Method, Bucket>();

  constructor(settings: readonly MethodSetting[], now: () => number) {
    this.#settings = settings
      .filter((setting) => (setting.ThrottlingRateLimit ?? setting.ThrottlingBurstLimit) !== undefined)
      .toSorted((a, b) => wildcards(a) - wildcards(b));
    this.#now = now;
  }

  /** Takes a token of the route's bucket; false when there is none. */
  admits({ method, resourcePath }: Route): boolean {
    const setting = this.#settings.find(
      ({ ResourcePath, HttpMethod }) =>
        ['*', resourcePath].includes(ResourcePath) && ['*', method.HttpMethod].includes(HttpMethod),
    );
    if (setting === undefined) {
      return true;
    }
    const { ThrottlingRateLimit: rate = ACCOUNT_RATE_PER_SECOND, ThrottlingBurstLimit: burst = ACCOUNT_BURST } =
      setting;
    const now = this.#now();
    const bucket = this.#buckets.get(method) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * rate);
    bucket.filledAt = now;
    this.#buckets.set(method, bucket);
    if (bucket.tokens < 1) {
      return false;
    }
    bucket.tokens--;
    return true;
  }

  clear(): void {
    this.#buckets.clear();
  }
}

function wildcards({ ResourcePath, HttpMethod }: MethodSetting): number {
  return (ResourcePath === '*' ? 2 : 0) + (HttpMethod === '*' ? 1 : 0);
}
