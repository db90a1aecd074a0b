/**
 * When an RF order is read next without a webhook. It depends on the clock alone, so that no read uses up another.
 *
 * | while | reads |
 * |---|---|
 * | it can be paid | after 5, 10 and 15 minutes, then as far apart as half its age, at most an hour; from the second day on every 6 hours |
 * | it can be paid and never expires | from the second day on as far apart as a quarter of its age, at most 30 days |
 * | it ended, paid or not: money may come late, or be taken back | 5 minutes after the end, then as far apart as the time since, at most 2 days, for 30 days |
 * | a reading is not confirmed | 4 minutes after it; as long as none confirms it, as far apart as the time since the first |
 *
 * A reconciliation is one read, or two for an order of any amount that nobody paid yet. An order of five days that
 * nobody pays costs 76 reads at most, one of any amount 122. An order that never expires is reconciled 65 times in its
 * first year and 13 times in each further one. A payment, a return and a commission cost one more each. What comes
 * later than 30 days after the end is found in the lists of the merchant's days.
 */

import type { RfOrder, RfReading } from '../../payments/items.ts';
import { rfOrderEnded } from '../../payments/lifecycle.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { APART_MS } from '../records/second-reading.ts';

/** An order is not called expired before: clocks differ, and lists lag behind. */
const EXPIRY_GRACE_MS = 2 * MINUTE_MS;
/** The missing rest of a payment may take a bank as long as the payment did. */
const REST_MS = 3 * DAY_MS;
const SHORTEST_WAIT_MS = 5 * MINUTE_MS;
const WATCHED_AFTER_END_MS = 30 * DAY_MS;

/** Undefined when it is not read any more by itself. */
export function nextRead(order: RfOrder, now: number): string | undefined {
  const { reconciledUntil, readings = {} } = order;
  const next = Math.min(
    regularRead(order, now) ?? Number.POSITIVE_INFINITY,
    reconciledUntil === undefined ? Number.POSITIVE_INFINITY : Math.max(now, Date.parse(reconciledUntil)),
    ...Object.values(readings).map((reading) => secondRead(reading, now)),
  );
  return Number.isFinite(next) ? iso(next) : undefined;
}

/** Whether nobody is expected to pay it any more. */
export function isPastExpiry({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + EXPIRY_GRACE_MS <= now;
}

/** Whether what is missing of it will not come any more. */
export function isPastRest({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + REST_MS <= now;
}

/** When a second reading can agree; as long as none does, later each time. */
function secondRead({ at, since }: RfReading, now: number): number {
  const after = (time: number) => time + Math.max(APART_MS, time - Date.parse(since));
  const next = after(Date.parse(at));
  return next > now ? next : after(now);
}

function regularRead(order: RfOrder, now: number): number | undefined {
  const { status, endedAt, createdAt } = order;
  if (!rfOrderEnded(status)) {
    const next = now + openWait(order, now - Date.parse(createdAt));
    const end = endOf(order);
    return end === undefined || end <= now ? next : Math.min(next, end);
  }
  const since = now - Date.parse(endedAt ?? createdAt);
  const left = WATCHED_AFTER_END_MS - since;
  return mayBePaid(order) && left > 0 ? now + Math.min(left, within(since, SHORTEST_WAIT_MS, 2 * DAY_MS)) : undefined;
}

/** When it is to be judged, paid or not. */
function endOf({ status, expiresAt }: RfOrder): number | undefined {
  const grace = status === 'partially_paid' ? REST_MS : EXPIRY_GRACE_MS;
  return expiresAt === undefined ? undefined : Date.parse(expiresAt) + grace;
}

function openWait({ expiresAt }: RfOrder, age: number): number {
  if (age < DAY_MS) {
    return within(age / 2, SHORTEST_WAIT_MS, HOUR_MS);
  }
  return expiresAt === undefined ? within(age / 4, 6 * HOUR_MS, 30 * DAY_MS) : 6 * HOUR_MS;
}

/** Whether its code was given to anybody, by us or in the platform's own message to the payer. */
function mayBePaid({ rfCode, orderCode, notifyCustomer, otherCodes = [] }: RfOrder): boolean {
  return rfCode !== undefined || otherCodes.length > 0 || (notifyCustomer && orderCode !== undefined);
}

function within(ms: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, ms));
}
