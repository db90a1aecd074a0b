/**
 * How often messages about one subject may make us read the platform: five times at once, then once a minute. So genuine
 * ones are acted on within seconds, and whoever forges ten thousand causes five looks, and one more each minute.
 *
 * Kept as one time: each look moves it on by a minute, from now if it is past, and it may be five minutes ahead at most.
 */
import { iso, MINUTE_MS } from '../payments/time.ts';

const A_LOOK_MS = MINUTE_MS;
const AT_ONCE = 5;

/** With one more look spent; undefined when none is left now. */
export function spent(spentUntil: string | undefined, now: number): string | undefined {
  const after = Math.max(now, Date.parse(spentUntil ?? '') || 0) + A_LOOK_MS;
  return after <= now + AT_ONCE * A_LOOK_MS ? iso(after) : undefined;
}

/** With a look given back that did not read the platform. */
export function givenBack(spentUntil: string): string {
  return iso(Date.parse(spentUntil) - A_LOOK_MS);
}
