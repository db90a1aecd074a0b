/** The transitions of a hold: the status of the charge, and its captures. */

import type { FailureCode, PlatformReason } from '../../payments/failures.ts';
import type { Capture, Charge, TimelineEntry } from '../../payments/items.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, iso, MINUTE_MS } from '../../payments/time.ts';
import { appended } from '../../payments/timeline.ts';
import { chargeTransition } from '../../payments/transitions.ts';

const DUE_AFTER_MS = 5 * MINUTE_MS;

/** Set with every claim to send. If the flow dies, the reconciler takes the hold then. */
export function dueSoon(at: number): { readonly reading: undefined; readonly dueAt: string } {
  return { reading: undefined, dueAt: iso(at + DUE_AFTER_MS) };
}

/** Whether the hold is to be given back. */
export function isOver({ captureBefore = '', foundLate }: Charge, at: number): boolean {
  return foundLate !== undefined || Date.parse(captureBefore) <= at;
}

/** A capture that is found later than this was not expected any more. */
export function mayBeSent({ requestedAt }: Capture, at: number): boolean {
  return at < Date.parse(requestedAt) + DAY_MS;
}

/** It was captured: as `made` says, where it is one of ours. */
export function captured(
  charge: Charge,
  amount: number,
  told: TimelineEntry,
  made?: Capture,
): Patch<'charge'> | undefined {
  const captures = charge.captures.map((one): Capture => {
    if (one.captureId === made?.captureId) {
      const { failure: _, ...rest } = made;
      return { ...rest, status: 'done' };
    }
    return isOpen(one) ? { ...one, status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } } : one;
  });
  return chargeTransition(charge, 'captured', { capturedAmount: amount, captures, taskToken: undefined }, told);
}

/** A hold that ended at its time ended as it should; any other release was somebody else's, or of a hold found late. */
export function released(charge: Charge, told: TimelineEntry): Patch<'charge'> | undefined {
  const captures = charge.captures.map(
    (one): Capture => (isOpen(one) ? { ...one, status: 'refused', failure: { code: 'HOLD_RELEASED' } } : one),
  );
  const isOurs = charge.voidSentAt !== undefined || isOver(charge, Date.parse(told.at));
  const isAtItsTime = isOurs && charge.foundLate === undefined;
  const code = isAtItsTime ? 'CAPTURE_WINDOW_ENDED' : 'HOLD_RELEASED';
  const to = isOurs ? 'expired' : 'cancelled';
  return chargeTransition(charge, to, { failure: { code }, captures, taskToken: undefined }, told);
}

/** It was neither captured nor given back: a review ends with it. */
export function standsAgain(charge: Charge, patch: Patch<'charge'>, told: TimelineEntry): Patch<'charge'> | undefined {
  const again = { ...patch, dueAt: told.at };
  return charge.status === 'authorized'
    ? { ...again, reading: undefined, timeline: appended(charge.timeline, told) }
    : chargeTransition(charge, 'authorized', again, told);
}

/** For a person, who finds out why and releases it at the platform. */
export function voidRefused(charge: Charge, platform: PlatformReason, told: TimelineEntry): Patch<'charge'> {
  const refused = {
    failure: { code: 'VOID_REFUSED', platform },
    voidSentAt: undefined,
    voidSaidNo: undefined,
  } as const;
  return (
    chargeTransition(charge, 'needs_review', refused, told) ?? {
      ...refused,
      reading: undefined,
      timeline: appended(charge.timeline, told),
    }
  );
}

/** What became of it is not known: a capture that was sent is shown so. */
export function forAPerson(charge: Charge, code: FailureCode, told: TimelineEntry): Patch<'charge'> | undefined {
  const captures = charge.captures.map(unknown);
  return chargeTransition(charge, 'needs_review', { failure: { code }, captures, taskToken: undefined }, told);
}

export function replaced({ captures }: Charge, changed: Capture): readonly Capture[] {
  return captures.map((one) => (one.captureId === changed.captureId ? changed : one));
}

function unknown(capture: Capture): Capture {
  return capture.status === 'pending'
    ? { ...capture, status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } }
    : capture;
}

function isOpen({ status }: Capture): boolean {
  return status === 'pending' || status === 'unknown';
}
