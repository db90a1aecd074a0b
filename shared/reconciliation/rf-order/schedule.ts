/**
 * When an RF order is due next if no webhook comes. It depends on the order and the time only, so an extra reading does not
 * replace a planned one.
 *
 * | state | due |
 * |---|---|
 * | it can be paid | after 5, 10 and 15 minutes, then at intervals of half its age, at most 1 hour; every 6 hours from the second day |
 * | it can be paid and never expires | from the second day at intervals of a quarter of its age, at most 30 days |
 * | it ended, paid or not; money may come late or be returned | 5 minutes after the end, then at intervals of the time since the end, at most 2 days, for 30 days |
 * | a reading is not confirmed | 4 minutes after it, then at intervals of the time since the first reading |
 *
 * Each time costs one call, or two for an order of any amount that nobody has paid. An order of five days that nobody pays
 * costs at most 76 calls, and 122 if it takes any amount. An order that never expires is due 65 times in its first year and
 * 13 times in each later year. A payment, a return and a commission make it due once more each. What comes later than 30
 * days after the end is found in the daily lists.
 */

import type { RfOrder, RfReading } from '../../payments/items/rf-order.ts';
import { rfOrderEnded } from '../../payments/lifecycle.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { APART_MS } from '../records/second-reading.ts';

/** After the expiry, because clocks differ and lists lag (docs/viva.md, "Delays"). */
const EXPIRY_GRACE_MS = 2 * MINUTE_MS;
/** After the expiry: a bank may need days for the transfer of the missing rest. */
const REST_MS = 3 * DAY_MS;
const SHORTEST_WAIT_MS = 5 * MINUTE_MS;
const DUE_AFTER_END_MS = 30 * DAY_MS;

/** Undefined if the order is not due again by itself. */
export function nextRead(order: RfOrder, now: number): string | undefined {
  const { reconciledUntil, readings = {} } = order;
  const next = Math.min(
    regularRead(order, now) ?? Number.POSITIVE_INFINITY,
    reconciledUntil === undefined ? Number.POSITIVE_INFINITY : Math.max(now, Date.parse(reconciledUntil)),
    ...Object.values(readings).map((reading) => secondRead(reading, now)),
  );
  return Number.isFinite(next) ? iso(next) : undefined;
}

/** Whether the order has expired, and payments in time would be shown by now. */
export function isPastExpiry({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + EXPIRY_GRACE_MS <= now;
}

/** Whether the missing rest of a partial payment is not expected any more. */
export function isRestOverdue({ expiresAt }: RfOrder, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) + REST_MS <= now;
}

/** When a second reading can agree with the noted one. The interval grows while none does. */
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
  const left = DUE_AFTER_END_MS - since;
  return mayBePaid(order) && left > 0 ? now + Math.min(left, within(since, SHORTEST_WAIT_MS, 2 * DAY_MS)) : undefined;
}

/** When the order can be judged as expired or underpaid. */
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

/** Whether anybody may know its payment code: we showed it, or the platform sent it to the payer. */
function mayBePaid({ rfCode, orderCode, notifyCustomer, otherCodes = [] }: RfOrder): boolean {
  return rfCode !== undefined || otherCodes.length > 0 || (notifyCustomer && orderCode !== undefined);
}

function within(ms: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, ms));
}
