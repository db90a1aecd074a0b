/**
 * When the platform is read about an RF order next, though no webhook came. Closely in the first day, then spread over
 * the time the order can be paid, and ever more seldom after its end: money may come late, or be taken back. All within a
 * budget, which looks that messages cause do not touch: their inbox bounds them.
 */
import type { RfOrder } from '../items.ts';
import { rfOrderEnded } from '../lifecycle.ts';

/** Of one order. */
export const MAX_READS = 60;
/** The others are for whoever cancels it. */
export const MAX_SCHEDULED_READS = 54;
/** An order is not called expired before: clocks differ, and lists lag behind. */
const EXPIRY_GRACE_MS = 2 * 60_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Waits before the first reads; the next ones are an hour each. */
const FIRST_MINUTES = [5, 5, 10, 10, 20, 20, 40, 40];
/** Between two reads of an order that never ends. */
const LONGEST_WAIT_MS = 7 * 24 * HOUR_MS;
/** The missing rest of a payment may take a bank as long as the payment did. */
const REST_MS = 3 * 24 * HOUR_MS;
const READS_OF_FIRST_DAY = 28;
const READS_BEFORE_END = 46;

/** Undefined when it is not read any more by itself. */
export function nextRead(order: RfOrder, now: number): string | undefined {
  if (order.rfCode === undefined || order.reads >= MAX_SCHEDULED_READS) {
    return undefined;
  }
  const end = endOf(order);
  if (end === undefined) {
    return iso(now + openWait(order, now));
  }
  return iso(now < end ? Math.min(end, now + openWait(order, now, end)) : now + Math.max(HOUR_MS, now - end));
}

/** Whether nobody is expected to pay it any more. */
export function isPastExpiry({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + EXPIRY_GRACE_MS <= now;
}

/** Whether what is missing of it will not come any more. */
export function isPastRest({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + REST_MS <= now;
}

function endOf({ status, endedAt, expiresAt }: RfOrder): number | undefined {
  if (rfOrderEnded(status) && endedAt !== undefined) {
    return Date.parse(endedAt);
  }
  return expiresAt === undefined ? undefined : Date.parse(expiresAt) + EXPIRY_GRACE_MS;
}

function openWait({ reads, createdAt }: RfOrder, now: number, end?: number): number {
  const first = FIRST_MINUTES[reads];
  if (first !== undefined) {
    return first * MINUTE_MS;
  }
  if (reads < READS_OF_FIRST_DAY) {
    return HOUR_MS;
  }
  const spread =
    end === undefined
      ? Math.min(LONGEST_WAIT_MS, (now - Date.parse(createdAt)) / 2)
      : (end - now) / Math.max(1, READS_BEFORE_END - reads);
  return Math.max(HOUR_MS, spread);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
