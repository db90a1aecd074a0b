/**
 * How a sale, a charge or an RF order is moved along its lifecycle: the status, what goes with it, and the timeline
 * entries, in one patch for one conditional write. A move the lattice forbids is no patch at all: somebody else knew
 * better first. A move to an end state also announces itself (see outbox.ts).
 */

import type { Failure } from './failures.ts';
import type { Charge, RfOrder, Sale, TimelineEntry } from './items.ts';
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
    ...settling(to, lastOf(entries)),
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
    ...settling(to, lastOf(entries)),
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
  const isTold = rfOrderEnded(to) && to !== order.statusBeforeReview; // a review that ends where it began tells nothing new
  return {
    failure: undefined,
    reconciledUntil: undefined,
    ...patch,
    ...(rfOrderEnded(to) && { endedAt: lastOf(entries) }),
    ...(isTold && withEvent(order, 'rf-order', order.rfOrderId, to, lastOf(entries))),
    status: to,
    statusBeforeReview: to === 'needs_review' ? order.status : undefined,
    timeline: appended(order.timeline, ...entries),
  };
}

/**
 * Ends a charge that was never sent. `failed` seals it, so that no late attempt can give it a charge token and send it;
 * the other ends are refused by the same condition, because they end the charge. Undefined when it may have been sent.
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
 * For a day the platform is read about what went to a person: it may tell. A reading that waits for a second one was of
 * the status before, but for a sale whose card is stored: it is as paid as it was.
 */
function settling(to: string, at: string) {
  const until = iso(Date.parse(at) + REVIEW_READ_MS);
  return {
    ...(to !== 'tokenized' && { reading: undefined }),
    reconciledUntil: to === 'needs_review' ? until : undefined,
  };
}

function lastOf(entries: Entries): string {
  return (entries.at(-1) ?? entries[0]).at;
}
