/** The platform tells times in Athens, with an offset or without, and lists its transactions by the days there. */
import { HOUR_MS, iso } from '../payments/time.ts';

/** Made at the first need: it costs a cold start 8 ms. */
let format: Intl.DateTimeFormat | undefined;
const ZONED = /(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 in UTC; undefined when the text is no time. */
export function instantOf(text: string): string | undefined {
  const zoned = ZONED.test(text);
  const asUtc = Date.parse(zoned ? text : `${text}Z`);
  if (Number.isNaN(asUtc)) {
    return undefined;
  }
  // The offset of the hour before or after is another one only while clocks are changed.
  return iso(zoned ? asUtc : asUtc - offsetMs(asUtc - offsetMs(asUtc)));
}

/** As `2026-11-21`. */
export function athensDay(at: number): string {
  return iso(at + offsetMs(at)).slice(0, 'YYYY-MM-DD'.length);
}

/** Athens is two or three whole hours ahead. */
function offsetMs(at: number): number {
  format ??= new Intl.DateTimeFormat('en', { timeZone: 'Europe/Athens', timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return Number(name?.slice('GMT+'.length, 'GMT+02'.length)) * HOUR_MS;
}
