/**
 * How many reconciliations the webhooks about one subject may cause: five at once, then one a minute (ADR 6). So
 * genuine webhooks are acted on within seconds, and ten thousand forged ones cause five reconciliations and one more
 * each minute.
 *
 * The budget is stored as a time. Each reconciliation advances it by a minute, from now if it is in the past. It may be
 * at most five minutes ahead.
 */
import { iso, MINUTE_MS } from '../payments/time.ts';

const INTERVAL_MS = MINUTE_MS;
const AT_ONCE = 5;

/** The time after one more reconciliation. Undefined if the budget is used up. */
export function spent(spentUntil: string | undefined, now: number): string | undefined {
  const after = Math.max(now, Date.parse(spentUntil ?? '') || 0) + INTERVAL_MS;
  return after <= now + AT_ONCE * INTERVAL_MS ? iso(after) : undefined;
}

/** The time after a reconciliation that did not read the platform is taken back. */
export function unspent(spentUntil: string): string {
  return iso(Date.parse(spentUntil) - INTERVAL_MS);
}
