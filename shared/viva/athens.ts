/** Greek time. The platform writes it with or without an offset, and lists transactions by the days in Athens. */
import { HOUR_MS, iso } from '../payments/time.ts';

/** Created when first needed, because it costs 8 ms of a cold start. */
let format: Intl.DateTimeFormat | undefined;
const ZONED = /(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 in UTC. Undefined if the text is not a time. */
export function instantOf(text: string): string | undefined {
  const zoned = ZONED.test(text);
  const asUtc = Date.parse(zoned ? text : `${text}Z`);
  if (Number.isNaN(asUtc)) {
    return undefined;
  }
  // The offset an hour earlier or later differs only while clocks are changed.
  return iso(zoned ? asUtc : asUtc - offsetMs(asUtc - offsetMs(asUtc)));
}

/** As `2026-11-21`. */
export function athensDay(at: number): string {
  return iso(at + offsetMs(at)).slice(0, 'YYYY-MM-DD'.length);
}

/** Athens is two or three whole hours ahead of UTC. */
function offsetMs(at: number): number {
  format ??= new Intl.DateTimeFormat('en', { timeZone: 'Europe/Athens', timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return Number(name?.slice('GMT+'.length, 'GMT+02'.length)) * HOUR_MS;
}
