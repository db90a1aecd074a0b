/** When an item that nothing else wakes needs another look, in the order of what can hang. */
import type { AnnouncedItem } from '../cloud-event.ts';
import type { Charge, Sale } from '../items.ts';
import { chargeEnded, salePaid, terminalEnded } from '../lifecycle.ts';
import { isOutcomeUnknown } from '../settlement/charge.ts';
import { nextRead } from '../settlement/rf-schedule.ts';

const MINUTE_MS = 60_000;
const LOOK_AGAIN_MS = 5 * MINUTE_MS;
const UNCONFIRMED_MS = 2 * MINUTE_MS;
/** The flow gives the hold back by then. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/** A charge that nobody could settle for this long is left to the person who was told of it. */
const UNKNOWN_FOR_MS = 24 * 60 * MINUTE_MS;

export function nextLook(item: AnnouncedItem, now: number): string | undefined {
  if ('rfOrderId' in item) {
    return item.status === 'creating' ? iso(now + LOOK_AGAIN_MS) : nextRead(item, now);
  }
  const at = 'terminalId' in item ? nextSaleLook(item, now) : nextChargeLook(item, now);
  return at === undefined ? undefined : iso(at);
}

/** The flow has something to do for it. */
export function saleNeedsFlow(sale: Sale): boolean {
  return salePaid(sale.status)
    ? sale.tokenization.status === 'pending'
    : !terminalEnded(sale.status) && !isUnconfirmed(sale);
}

/** The terminal does not answer, and no payment was found yet. */
export function isUnconfirmed({ status, transactionId }: Sale): boolean {
  return status === 'unconfirmed' && transactionId === undefined;
}

/** It may still turn out to have been charged. */
export function isOpenQuestion(charge: Charge, now: number): boolean {
  const waits = charge.status === 'needs_review' && isOutcomeUnknown(charge);
  return waits && now < Date.parse(charge.sentAt ?? '') + UNKNOWN_FOR_MS;
}

function nextSaleLook(sale: Sale, now: number): number | undefined {
  if (isUnconfirmed(sale)) {
    return now + UNCONFIRMED_MS;
  }
  return saleNeedsFlow(sale) ? now + LOOK_AGAIN_MS : undefined;
}

function nextChargeLook(charge: Charge, now: number): number | undefined {
  if (charge.captures.some(({ status }) => status === 'pending')) {
    return now + LOOK_AGAIN_MS;
  }
  if (charge.status === 'authorized') {
    return Math.max(Date.parse(charge.captureBefore ?? '') + CAPTURE_GRACE_MS, now + LOOK_AGAIN_MS);
  }
  return !chargeEnded(charge.status) || isOpenQuestion(charge, now) ? now + LOOK_AGAIN_MS : undefined;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
