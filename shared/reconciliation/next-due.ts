/**
 * When an item is reconciled next if nothing wakes it earlier. Pure functions of the item and the time. `now` is in
 * milliseconds since the epoch.
 */

import type { Charge } from '../payments/items/charge.ts';
import type { Sale } from '../payments/items/sale.ts';
import type { Items } from '../payments/items.ts';
import { chargeEnded, salePaid, saleReportedUnpaid, terminalEnded } from '../payments/lifecycle.ts';
import type { PublishedKind } from '../payments/outbox.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../payments/time.ts';
import { nextRead } from './rf-order/schedule.ts';

const RECONCILE_AGAIN_MS = 5 * MINUTE_MS;
const UNCONFIRMED_MS = 2 * MINUTE_MS;
/** The execution has captured or voided the hold by then. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/**
 * After the request of a sale that we reported as unpaid. Its payment is searched in the platform's records twice:
 * soon, and after everything late must have arrived.
 */
const CHECK_REFUSED_AFTER_MS = [8 * MINUTE_MS, 20 * MINUTE_MS];

/** Undefined if the item need not be reconciled any more. */
export function nextDueAt<K extends PublishedKind>(kind: K, item: Items[K], now: number): string | undefined {
  return nextDue[kind](item, now);
}

const nextDue: { readonly [K in PublishedKind]: (item: Items[K], now: number) => string | undefined } = {
  sale: (sale, now) => isoOf(nextSaleDue(sale, now)),
  charge: (charge, now) => isoOf(nextChargeDue(charge, now)),
  'rf-order': (order, now) => (order.status === 'creating' ? iso(now + RECONCILE_AGAIN_MS) : nextRead(order, now)),
};

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : iso(at);
}

/** Whether an execution has something to do for the sale. */
export function saleNeedsFlow(sale: Sale): boolean {
  return salePaid(sale.status)
    ? sale.tokenization.status === 'pending'
    : !terminalEnded(sale.status) && !isUnconfirmed(sale);
}

/** Whether the terminal does not answer and no payment was found yet. */
function isUnconfirmed({ status, transactionId }: Sale): boolean {
  return status === 'unconfirmed' && transactionId === undefined;
}

/** Whether a due sale is reconciled with the platform's records. */
export function saleNeedsReading(sale: Sale, now: number): boolean {
  const { requestedAt, reading } = sale;
  const isRefusedCheck =
    saleReportedUnpaid(sale.status) && requestedAt !== undefined && firstCheckOf(requestedAt) <= now;
  return isUnconfirmed(sale) || mayResolveItself(sale, now) || reading !== undefined || isRefusedCheck;
}

export function chargeNeedsReading(charge: Charge, now: number): boolean {
  return mayResolveItself(charge, now) || charge.reading !== undefined;
}

/** Whether the item is in review and the review may still end by itself. */
export function mayResolveItself({ reconciledUntil }: Pick<Sale, 'reconciledUntil'>, now: number): boolean {
  return reconciledUntil !== undefined && now < Date.parse(reconciledUntil);
}

function nextSaleDue(sale: Sale, now: number): number | undefined {
  if (isUnconfirmed(sale)) {
    return now + UNCONFIRMED_MS;
  }
  if (saleNeedsFlow(sale) || sale.reading !== undefined) {
    return now + RECONCILE_AGAIN_MS;
  }
  return nextReviewDue(sale, now) ?? nextCheck(sale, now);
}

function nextChargeDue(charge: Charge, now: number): number | undefined {
  if (charge.captures.some(({ status }) => status === 'pending')) {
    return now + RECONCILE_AGAIN_MS;
  }
  if (charge.status === 'authorized' && charge.reading === undefined) {
    return Math.max(Date.parse(charge.captureBefore ?? '') + CAPTURE_GRACE_MS, now + RECONCILE_AGAIN_MS);
  }
  const isOpen = !chargeEnded(charge.status) || charge.reading !== undefined;
  return isOpen ? now + RECONCILE_AGAIN_MS : nextReviewDue(charge, now);
}

/** Every 5 minutes in the first hour of a review, then every hour, and once when its day is over. */
function nextReviewDue(item: Pick<Sale, 'reconciledUntil'>, now: number): number | undefined {
  if (!mayResolveItself(item, now)) {
    return undefined;
  }
  const until = Date.parse(item.reconciledUntil ?? '');
  const isFirstHour = now < until - DAY_MS + HOUR_MS;
  return isFirstHour ? now + RECONCILE_AGAIN_MS : Math.min(until, now + HOUR_MS);
}

function nextCheck({ status, requestedAt }: Sale, now: number): number | undefined {
  return saleReportedUnpaid(status) && requestedAt !== undefined
    ? CHECK_REFUSED_AFTER_MS.map((afterMs) => Date.parse(requestedAt) + afterMs).find((at) => at > now)
    : undefined;
}

function firstCheckOf(requestedAt: string): number {
  return Date.parse(requestedAt) + Math.min(...CHECK_REFUSED_AFTER_MS);
}
