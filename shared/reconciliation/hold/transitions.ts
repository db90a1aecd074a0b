/** Transitions of a hold: the status of its charge together with its captures. All functions are pure. */

import type { FailureCode, PlatformReason } from '../../payments/failures.ts';
import type { Capture, Charge } from '../../payments/items/charge.ts';
import type { TimelineEntry } from '../../payments/items/common.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { appended } from '../../payments/timeline.ts';
import { chargeTransition } from '../../payments/transitions.ts';
import { isOpenCapture } from './records.ts';

const DUE_AFTER_MS = 5 * MINUTE_MS;

/** Set with every claim to send: if the attempt dies, the reconciler continues after 5 minutes. */
export function dueSoon(at: number): { readonly reading: undefined; readonly dueAt: string } {
  return { reading: undefined, dueAt: iso(at + DUE_AFTER_MS) };
}

/** Whether the hold is to be voided: its time is over, or it was found late. */
export function isOver({ captureBefore = '', foundLate }: Charge, at: number): boolean {
  return foundLate !== undefined || Date.parse(captureBefore) <= at;
}

/** Whether the capture may still be sent. A day after its request nobody expects it any more. */
export function mayBeSent({ requestedAt }: Capture, at: number): boolean {
  return at < Date.parse(requestedAt) + DAY_MS;
}

/** The hold was captured. `made`: our capture, if it is ours. `amount`: minor units. */
export function captured(
  charge: Charge,
  amount: number,
  entry: TimelineEntry,
  made?: Capture,
): Patch<'charge'> | undefined {
  const captures = charge.captures.map((one): Capture => {
    if (one.captureId === made?.captureId) {
      const { failure: _, ...rest } = made;
      return { ...rest, status: 'done' };
    }
    return isOpenCapture(one) ? { ...one, status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } } : one;
  });
  return chargeTransition(charge, 'captured', { capturedAmount: amount, captures, taskToken: undefined }, entry);
}

/**
 * The hold was released. `expired` with CAPTURE_WINDOW_ENDED if its time was over, with HOLD_RELEASED if it was found late.
 * `cancelled` if somebody else released it.
 */
export function released(charge: Charge, entry: TimelineEntry): Patch<'charge'> | undefined {
  const captures = charge.captures.map(
    (one): Capture => (isOpenCapture(one) ? { ...one, status: 'refused', failure: { code: 'HOLD_RELEASED' } } : one),
  );
  const isOurs = charge.voidSentAt !== undefined || isOver(charge, Date.parse(entry.at));
  const isAtItsTime = isOurs && charge.foundLate === undefined;
  const code = isAtItsTime ? 'CAPTURE_WINDOW_ENDED' : 'HOLD_RELEASED';
  const to = isOurs ? 'expired' : 'cancelled';
  return chargeTransition(charge, to, { failure: { code }, captures, taskToken: undefined }, entry);
}

/** The hold was neither captured nor released, so it stands. A review ends. */
export function standsAgain(charge: Charge, patch: Patch<'charge'>, entry: TimelineEntry): Patch<'charge'> | undefined {
  const again = { ...patch, dueAt: entry.at };
  return charge.status === 'authorized'
    ? { ...again, reading: undefined, timeline: appended(charge.timeline, entry) }
    : chargeTransition(charge, 'authorized', again, entry);
}

/** The platform refused the void. The charge goes into review: a person must release the hold at the platform. */
export function voidRefused(charge: Charge, platform: PlatformReason, entry: TimelineEntry): Patch<'charge'> {
  const refused = {
    failure: { code: 'VOID_REFUSED', platform },
    voidSentAt: undefined,
    ambiguousVoidRefusal: undefined,
  } as const;
  return (
    chargeTransition(charge, 'needs_review', refused, entry) ?? {
      ...refused,
      reading: undefined,
      timeline: appended(charge.timeline, entry),
    }
  );
}

/** The outcome is not known, so the charge goes into review. A pending capture becomes `unknown`. */
export function needsReview(charge: Charge, code: FailureCode, entry: TimelineEntry): Patch<'charge'> | undefined {
  const captures = charge.captures.map(unknown);
  return chargeTransition(charge, 'needs_review', { failure: { code }, captures, taskToken: undefined }, entry);
}

export function replaced({ captures }: Charge, changed: Capture): readonly Capture[] {
  return captures.map((one) => (one.captureId === changed.captureId ? changed : one));
}

function unknown(capture: Capture): Capture {
  return capture.status === 'pending'
    ? { ...capture, status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } }
    : capture;
}
