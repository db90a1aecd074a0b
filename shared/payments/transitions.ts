/**
 * Transitions of a sale, a charge or an RF order. Each function returns one patch for one conditional write: the status,
 * the attributes that change with it, the timeline entries, and the event if the transition ends the item (see outbox.ts).
 * It returns undefined for a transition that the lifecycle does not allow, because another writer knew more. All are pure.
 */

import type { Failure } from './failures.ts';
import type { Charge } from './items/charge.ts';
import type { TimelineEntry } from './items/common.ts';
import type { RfOrder } from './items/rf-order.ts';
import type { Sale } from './items/sale.ts';
import {
  type ChargeStatus,
  chargeEnded,
  chargeMayBecome,
  type RfOrderStatus,
  rfOrderEnded,
  rfOrderMayBecome,
  type SaleStatus,
  saleMayBecome,
  terminalEnded,
} from './lifecycle.ts';
import { withEvent } from './outbox.ts';
import type { Patch } from './store.ts';
import { DAY_MS, iso } from './time.ts';
import { appended } from './timeline.ts';

const REVIEW_READ_MS = DAY_MS;

type Entries = readonly [...TimelineEntry[], TimelineEntry];

export function saleTransition(
  sale: Sale,
  to: SaleStatus,
  patch: Patch<'sale'>,
  ...entries: Entries
): Patch<'sale'> | undefined {
  if (!saleMayBecome(sale.status, to, sale.statusBeforeReview)) {
    return undefined;
  }
  return {
    failure: undefined,
    ...reviewFields(to, lastOf(entries)),
    ...patch,
    ...(terminalEnded(to) && withEvent(sale, 'sale', sale.saleId, to, lastOf(entries))),
    status: to,
    statusBeforeReview: to === 'needs_review' ? sale.status : undefined,
    timeline: appended(sale.timeline, ...entries),
  };
}

export function chargeTransition(
  charge: Charge,
  to: ChargeStatus,
  patch: Patch<'charge'>,
  ...entries: Entries
): Patch<'charge'> | undefined {
  if (!chargeMayBecome(charge.status, to, charge.statusBeforeReview)) {
    return undefined;
  }
  return {
    failure: undefined,
    ...reviewFields(to, lastOf(entries)),
    ...patch,
    ...(chargeEnded(to) && withEvent(charge, 'charge', charge.chargeId, to, lastOf(entries))),
    status: to,
    statusBeforeReview: to === 'needs_review' ? charge.status : undefined,
    timeline: appended(charge.timeline, ...entries),
  };
}

export function rfOrderTransition(
  order: RfOrder,
  to: RfOrderStatus,
  patch: Patch<'rf-order'>,
  ...entries: Entries
): Patch<'rf-order'> | undefined {
  if (!rfOrderMayBecome(order.status, to, order.statusBeforeReview)) {
    return undefined;
  }
  const hasEvent = rfOrderEnded(to) && to !== order.statusBeforeReview; // a review that changed nothing has no event
  return {
    failure: undefined,
    reconciledUntil: undefined,
    ...patch,
    ...(rfOrderEnded(to) && { endedAt: lastOf(entries) }),
    ...(hasEvent && withEvent(order, 'rf-order', order.rfOrderId, to, lastOf(entries))),
    status: to,
    statusBeforeReview: to === 'needs_review' ? order.status : undefined,
    timeline: appended(order.timeline, ...entries),
  };
}

/**
 * The patch that ends a charge that was never sent. It seals the charge, so that no late attempt can give it a charge
 * token and send it. Undefined if the charge ended already or may have been sent.
 */
export function chargeEndedUnsent(
  charge: Charge,
  to: 'cancelled' | 'expired' | 'failed',
  failure: Failure,
  entry: TimelineEntry,
): Patch<'charge'> | undefined {
  if (chargeEnded(charge.status) || charge.status === 'authorized' || charge.sentAt !== undefined) {
    return undefined;
  }
  return chargeTransition(charge, to, { failure, sealed: true, taskToken: undefined }, entry);
}

/**
 * An item in review is reconciled for a day, and the review may end by itself. A reading that waits for a second one is
 * dropped, because it was about the status before. It stays if a card was stored: the sale is as paid as before.
 */
function reviewFields(to: string, at: string) {
  const until = iso(Date.parse(at) + REVIEW_READ_MS);
  return {
    ...(to !== 'tokenized' && { reading: undefined }),
    reconciledUntil: to === 'needs_review' ? until : undefined,
  };
}

function lastOf(entries: Entries): string {
  return (entries.at(-1) ?? entries[0]).at;
}
