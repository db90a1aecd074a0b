/**
 * What the records prove about a hold: a pure function.
 *
 * A capture or a void that is found was made. To conclude that it was not made takes two readings some minutes apart,
 * after nothing can arrive late any more. Then it may be sent again. If a day of reading proves neither, a person
 * decides.
 */

import type { Capture, Charge } from '../../payments/items.ts';
import type { Patch } from '../../payments/store.ts';
import { DAY_MS, MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { noted } from '../records/second-reading.ts';
import type { HoldQuestion, HoldSeen } from './records.ts';
import { captured, forAPerson, released, replaced, standsAgain, voidRefused } from './transitions.ts';

/** From sending it: 15 minutes for a late commit, 2 until the lists show it, 3 for the clocks. */
const NOT_MADE_AFTER_MS = 20 * MINUTE_MS;

type Sent = Exclude<HoldQuestion, { of: 'review' }>;

/** The patch that what was seen leads to; undefined where it leads to none. */
export function judgedHold(
  charge: Charge,
  question: HoldQuestion,
  seen: HoldSeen,
  at: number,
): Patch<'charge'> | undefined {
  if (seen.is === 'captured') {
    const { amount, transactionId } = seen.record;
    const told = entry(at, 'capture.found', { amount, transactionId });
    return captured(charge, amount, told, { ...seen.capture, transactionId });
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

/** Whether what was sent may still be processed, or shown. */
export function mayComeLate(question: HoldQuestion, at: number): boolean {
  return 'sentAt' in question && at < Date.parse(question.sentAt) + NOT_MADE_AFTER_MS;
}

/** Such a reading says nothing. */
function isEarly(question: HoldQuestion, { is }: HoldSeen, at: number): boolean {
  return (is === 'standing' || is === 'hidden') && mayComeLate(question, at);
}

/** What a second reading that agrees proves. */
function concluded(charge: Charge, question: HoldQuestion, seen: HoldSeen, at: number): Patch<'charge'> | undefined {
  switch (seen.is) {
    case 'taken':
      return question.of === 'capture'
        ? forAPerson(charge, 'AMOUNT_MISMATCH', entry(at, 'capture.mismatch', { amount: seen.amount }))
        : captured(charge, seen.amount, entry(at, 'capture.elsewhere', { amount: seen.amount }));
    case 'hidden':
      return question.of === 'capture' ? notShown(charge, question.capture, at) : undefined;
    case 'released':
      return released(charge, entry(at, 'hold.released'));
    case 'standing':
      return question.of === 'review' ? undefined : notMade(charge, question, at);
    default:
      return undefined;
  }
}

/** Nobody but us captures, unless the platform said that it was done before. */
function notShown(charge: Charge, capture: Capture, at: number): Patch<'charge'> | undefined {
  const { amount, saidNo } = capture;
  return saidNo === undefined ? captured(charge, amount, entry(at, 'capture.found', { amount }), capture) : undefined;
}

function notMade(charge: Charge, question: Sent, at: number): Patch<'charge'> | undefined {
  return question.of === 'capture' ? captureNotMade(charge, question.capture, at) : voidNotMade(charge, at);
}

/** It is sent again, unless the platform refused it or it is already in review. */
function captureNotMade(charge: Charge, capture: Capture, at: number): Patch<'charge'> | undefined {
  const told = entry(at, 'capture.not_made', { captureId: capture.captureId });
  const again = charge.status === 'authorized' && capture.saidNo === undefined;
  const { sentAt: _, ...unsent } = capture;
  const failure = capture.saidNo
    ? ({ code: 'CAPTURE_REFUSED', platform: capture.saidNo } as const)
    : ({ code: 'CAPTURE_NOT_MADE' } as const);
  const captures = replaced(charge, again ? unsent : { ...capture, status: 'refused', failure });
  return standsAgain(charge, { captures, ...(!again && { failure }) }, told);
}

/** It is sent again, unless the platform refused it or did not do it for a day. */
function voidNotMade(charge: Charge, at: number): Patch<'charge'> | undefined {
  const told = entry(at, 'void.not_made');
  const sinceADay = at >= Date.parse(charge.captureBefore ?? '') + DAY_MS;
  return charge.voidSaidNo !== undefined || sinceADay
    ? voidRefused(charge, charge.voidSaidNo ?? {}, told)
    : standsAgain(charge, { voidSentAt: undefined }, told);
}

/** For so long no reading decided. */
export function isUnknownForADay(question: HoldQuestion, at: number): boolean {
  return 'sentAt' in question && at >= Date.parse(question.sentAt) + DAY_MS;
}

function unknownForADay(charge: Charge, question: HoldQuestion, at: number): Patch<'charge'> | undefined {
  if (!isUnknownForADay(question, at)) {
    return undefined;
  }
  return question.of === 'capture'
    ? forAPerson(charge, 'CAPTURE_UNKNOWN', entry(at, 'capture.unknown'))
    : forAPerson(charge, 'VOID_UNKNOWN', entry(at, 'void.unknown'));
}
