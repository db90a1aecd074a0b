/**
 * Decides what a reading of the platform means for a hold. Pure.
 *
 * A capture or a void of ours that is found was made: one reading proves it. That it was not made needs two readings some
 * minutes apart, after everything late must have arrived. Then it may be sent again. If a day of readings has proven
 * neither, the charge goes into review.
 */

import type { Capture, Charge } from '../../payments/items/charge.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { noted } from '../records/second-reading.ts';
import type { HoldQuestion, HoldSeen } from './records.ts';
import { captured, needsReview, released, replaced, standsAgain, voidRefused } from './transitions.ts';

/** After sending: 15 minutes for a late commit, 2 until the lists show it, and 3 for clocks that differ (docs/viva.md, "Delays"). */
const NOT_MADE_AFTER_MS = 20 * MINUTE_MS;

type Sent = Exclude<HoldQuestion, { of: 'review' }>;

/** The patch that the reading leads to; undefined if nothing changes. `at`: milliseconds since the epoch. */
export function judgedHold(
  charge: Charge,
  question: HoldQuestion,
  seen: HoldSeen,
  at: number,
): Patch<'charge'> | undefined {
  if (seen.is === 'captured') {
    const { amount, transactionId } = seen.record;
    const found = entry(at, 'capture.found', { amount, transactionId });
    return captured(charge, amount, found, { ...seen.capture, transactionId });
  }
  if (seen.is === 'released' && question.of === 'void') {
    return released(charge, entry(at, 'void.found'));
  }
  const conclusion = isEarly(question, seen, at) ? undefined : concluded(charge, question, seen, at);
  if (conclusion === undefined) {
    return unknownForADay(charge, question, at) ?? (charge.reading && { reading: undefined });
  }
  const word = seen.is === 'taken' ? `taken ${seen.amount}` : `hold ${seen.is}`;
  const { reading, agrees } = noted(charge.reading, word, at);
  return agrees ? conclusion : reading === charge.reading ? undefined : { reading };
}

/** Whether the platform may still process what was sent, or not show it yet. */
export function mayComeLate(question: HoldQuestion, at: number): boolean {
  return 'sentAt' in question && at < Date.parse(question.sentAt) + NOT_MADE_AFTER_MS;
}

/** Whether the reading proves nothing because something may come late. */
function isEarly(question: HoldQuestion, { is }: HoldSeen, at: number): boolean {
  return (is === 'standing' || is === 'hidden') && mayComeLate(question, at);
}

/** The patch that two readings that agree lead to. */
function concluded(charge: Charge, question: HoldQuestion, seen: HoldSeen, at: number): Patch<'charge'> | undefined {
  switch (seen.is) {
    case 'taken':
      return question.of === 'capture'
        ? needsReview(charge, 'AMOUNT_MISMATCH', entry(at, 'capture.mismatch', { amount: seen.amount }))
        : captured(charge, seen.amount, entry(at, 'capture.elsewhere', { amount: seen.amount }));
    case 'hidden':
      return question.of === 'capture' ? notShown(charge, question.capture, at) : undefined;
    case 'released':
      return released(charge, entry(at, 'hold.released'));
    case 'standing':
      return question.of === 'review' ? undefined : notMade(charge, question, at);
    case 'captured': // one reading proves it, see judgedHold
    case 'unclear':
      return undefined;
  }
}

/** The hold is captured and no capture is shown. It is ours, unless the platform's refusal said that another came before. */
function notShown(charge: Charge, capture: Capture, at: number): Patch<'charge'> | undefined {
  const { amount, ambiguousRefusal } = capture;
  return ambiguousRefusal === undefined
    ? captured(charge, amount, entry(at, 'capture.found', { amount }), capture)
    : undefined;
}

function notMade(charge: Charge, question: Sent, at: number): Patch<'charge'> | undefined {
  return question.of === 'capture' ? captureNotMade(charge, question.capture, at) : voidNotMade(charge, at);
}

/** The capture is sent again, unless the platform refused it or the charge is in review. */
function captureNotMade(charge: Charge, capture: Capture, at: number): Patch<'charge'> | undefined {
  const absence = entry(at, 'capture.not_made', { captureId: capture.captureId });
  const again = charge.status === 'authorized' && capture.ambiguousRefusal === undefined;
  const { sentAt: _, ...unsent } = capture;
  const failure = capture.ambiguousRefusal
    ? ({ code: 'CAPTURE_REFUSED', platform: capture.ambiguousRefusal } as const)
    : ({ code: 'CAPTURE_NOT_MADE' } as const);
  const captures = replaced(charge, again ? unsent : { ...capture, status: 'refused', failure });
  return standsAgain(charge, { captures, ...(!again && { failure }) }, absence);
}

/** The void is sent again, unless the platform refused it or has not made it for a day. */
function voidNotMade(charge: Charge, at: number): Patch<'charge'> | undefined {
  const absence = entry(at, 'void.not_made');
  const sinceADay = at >= Date.parse(charge.captureBefore ?? '') + DAY_MS;
  return charge.ambiguousVoidRefusal !== undefined || sinceADay
    ? voidRefused(charge, charge.ambiguousVoidRefusal ?? {}, absence)
    : standsAgain(charge, { voidSentAt: undefined }, absence);
}

/** Whether a day of readings has not proven what became of what was sent. */
export function isUnknownForADay(question: HoldQuestion, at: number): boolean {
  return 'sentAt' in question && at >= Date.parse(question.sentAt) + DAY_MS;
}

function unknownForADay(charge: Charge, question: HoldQuestion, at: number): Patch<'charge'> | undefined {
  if (!isUnknownForADay(question, at)) {
    return undefined;
  }
  return question.of === 'capture'
    ? needsReview(charge, 'CAPTURE_UNKNOWN', entry(at, 'capture.unknown'))
    : needsReview(charge, 'VOID_UNKNOWN', entry(at, 'void.unknown'));
}
