/** When an item that nothing else wakes is due next. */

import type { PublishedItem } from '../events/cloud-event.ts';
import type { Charge, Sale } from '../payments/items.ts';
import { chargeEnded, salePaid, saleReportedUnpaid, terminalEnded } from '../payments/lifecycle.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../payments/time.ts';
import { nextRead } from './rf-order/schedule.ts';

const RECONCILE_AGAIN_MS = 5 * MINUTE_MS;
const UNCONFIRMED_MS = 2 * MINUTE_MS;
/** The flow gives the hold back by then. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/**
 * A sale that was reported as refused is searched for in the platform's records: soon, and when nothing can arrive
 * late.
 */
const CHECK_REFUSED_AFTER_MS = [8 * MINUTE_MS, 20 * MINUTE_MS];

export function nextDueAt(item: PublishedItem, now: number): string | undefined {
  if ('rfOrderId' in item) {
    return item.status === 'creating' ? iso(now + RECONCILE_AGAIN_MS) : nextRead(item, now);
  }
  const at = 'terminalId' in item ? nextSaleDue(item, now) : nextChargeDue(item, now);
  return at === undefined ? undefined : iso(at);
}

/** The flow has something to do for it. */
export function saleNeedsFlow(sale: Sale): boolean {
  return salePaid(sale.status)
    ? sale.tokenization.status === 'pending'
    : !terminalEnded(sale.status) && !isUnconfirmed(sale);
}

/** The terminal does not answer, and no payment was found yet. */
function isUnconfirmed({ status, transactionId }: Sale): boolean {
  return status === 'unconfirmed' && transactionId === undefined;
}

/** Whether reconciling it reads the platform. */
export function isSaleQuestion(sale: Sale, now: number): boolean {
  const { requestedAt, reading } = sale;
  const isRefusedCheck =
    saleReportedUnpaid(sale.status) && requestedAt !== undefined && firstCheckOf(requestedAt) <= now;
  return isUnconfirmed(sale) || mayResolveItself(sale, now) || reading !== undefined || isRefusedCheck;
}

export function isChargeQuestion(charge: Charge, now: number): boolean {
  return mayResolveItself(charge, now) || charge.reading !== undefined;
}

/** A review that may still end by itself. */
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

/** Often in the first hour of a review, then each hour, and once when its day is over. */
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
