import { describe, expect, it } from 'vitest';
import type { Capture, Charge } from '../../../../../shared/payments/items/charge.ts';
import type { Reading } from '../../../../../shared/payments/items/common.ts';
import { isUnknownForADay, judgedHold, mayComeLate } from '../../../../../shared/reconciliation/hold/judgement.ts';
import type { HoldQuestion, HoldSeen } from '../../../../../shared/reconciliation/hold/records.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { CHARGE_ID } from '../../../../fakes/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SENT = Date.parse('2026-11-21T10:00:00.000Z');
const sentAt = new Date(SENT).toISOString();
const capture: Capture = {
  captureId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30',
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: sentAt,
  sentAt,
};
const ofCapture: HoldQuestion = { of: 'capture', capture, sentAt };
const ofVoid: HoldQuestion = { of: 'void', sentAt };
const ofReview: HoldQuestion = { of: 'review' };

function hold(change: Partial<Charge> = {}): Charge {
  return {
    chargeId: CHARGE_ID,
    status: 'authorized',
    transactionId: TRANSACTION_ID,
    captureBefore: new Date(SENT + 5 * DAY_MS).toISOString(),
    captures: [capture],
    revision: 1,
    timeline: [],
    ...change,
  } as unknown as Charge;
}

const reading = (seen: string, minutes: number): Reading => ({
  seen,
  at: new Date(SENT + minutes * MINUTE_MS).toISOString(),
});
/** Judges a reading so many minutes after the request. */
const judged = (minutes: number, question: HoldQuestion, is: HoldSeen['is'], charge = hold()) =>
  judgedHold(
    charge,
    question,
    (is === 'taken' ? { is, amount: 2999 } : { is }) as HoldSeen,
    SENT + minutes * MINUTE_MS,
  );

describe('a reading that proves nothing', () => {
  it.each<[string, number, HoldQuestion, HoldSeen['is']]>([
    ['early, the hold stands', 19, ofCapture, 'standing'],
    ['early, its capture is not listed', 19, ofCapture, 'hidden'],
    ['early, the void is not listed', 19, ofVoid, 'standing'],
    ['unclear', 30, ofCapture, 'unclear'],
    ['under review, the hold stands', 30, ofReview, 'standing'],
    ['of a void, a capture is not listed', 30, ofVoid, 'hidden'],
  ])('removes what an earlier reading had recorded, and changes nothing else: %s', (_, minutes, question, is) => {
    expect(judged(minutes, question, is)).toBeUndefined();
    expect(judged(minutes, question, is, hold({ reading: reading('hold standing', 1) }))).toEqual({
      reading: undefined,
    });
  });

  it('does not prove a capture that the platform refused', () => {
    const refused: HoldQuestion = { of: 'capture', capture: { ...capture, ambiguousRefusal: { code: '403' } }, sentAt };

    expect(judged(30, refused, 'hidden', hold({ reading: reading('hold hidden', 25) }))).toEqual({
      reading: undefined,
    });
  });

  it('that proves nothing for a day causes a review, and not a moment earlier', () => {
    const day = DAY_MS / MINUTE_MS;

    expect(judged(day - 1, ofCapture, 'unclear')).toBeUndefined();
    expect(judged(day, ofCapture, 'unclear')).toMatchObject({
      status: 'needs_review',
      failure: { code: 'CAPTURE_UNKNOWN' },
      captures: [{ status: 'unknown' }],
    });
    expect(judged(day, ofVoid, 'unclear')).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_UNKNOWN' } });
    expect(judged(day, ofReview, 'unclear')).toBeUndefined();
  });
});

describe('a reading that would end a hold', () => {
  it.each<[string, HoldQuestion, HoldSeen['is'], string]>([
    ['the hold stands', ofCapture, 'standing', 'hold standing'],
    ['the hold was captured', ofCapture, 'hidden', 'hold hidden'],
    ['another amount was taken', ofCapture, 'taken', 'taken 2999'],
    ['the hold was released', ofCapture, 'released', 'hold released'],
  ])('is recorded once, and counts when another one agrees four minutes later: %s', (_, question, is, word) => {
    const noted = reading(word, 30);

    expect(judged(30, question, is)).toEqual({ reading: noted });
    expect(judged(33, question, is, hold({ reading: noted }))).toBeUndefined();
    expect(judged(34, question, is, hold({ reading: noted }))).not.toEqual({ reading: noted });
    expect(judged(34, question, is, hold({ reading: reading('something else', 30) }))).toEqual({
      reading: reading(word, 34),
    });
  });

  it('resends a capture that was not made, but none that is under review or refused', () => {
    const noted = { reading: reading('hold standing', 30) };
    const { sentAt: _, ...unsent } = capture;
    const ambiguousRefusal = { ...capture, ambiguousRefusal: { code: '403' } };

    expect(judged(34, ofCapture, 'standing', hold(noted))).toMatchObject({ captures: [unsent] });
    expect(judged(34, ofCapture, 'standing', hold(noted))?.captures?.[0]).not.toHaveProperty('sentAt');
    expect(
      judged(34, ofCapture, 'standing', hold({ ...noted, status: 'needs_review', statusBeforeReview: 'authorized' })),
    ).toMatchObject({
      status: 'authorized',
      failure: { code: 'CAPTURE_NOT_MADE' },
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } }],
    });
    expect(
      judged(
        34,
        { of: 'capture', capture: ambiguousRefusal, sentAt },
        'standing',
        hold({ ...noted, captures: [ambiguousRefusal] }),
      ),
    ).toMatchObject({
      failure: { code: 'CAPTURE_REFUSED', platform: { code: '403' } },
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_REFUSED' } }],
    });
  });

  it('resends a void that was not made, until a day after its time', () => {
    const over = new Date(SENT).toISOString();
    const given = (minutes: number, change: Partial<Charge> = {}) =>
      judged(minutes, ofVoid, 'standing', {
        ...hold({ captures: [], captureBefore: over, voidSentAt: sentAt, ...change }),
        reading: reading('hold standing', minutes - 5),
      });

    expect(given(60)).toMatchObject({ voidSentAt: undefined });
    expect(given(60)?.status).toBeUndefined();
    expect(given(60, { ambiguousVoidRefusal: { code: '403' } })).toMatchObject({
      status: 'needs_review',
      failure: { code: 'VOID_REFUSED', platform: { code: '403' } },
      voidSentAt: undefined,
      ambiguousVoidRefusal: undefined,
    });
    expect(given(24 * 60 - 1)?.status).toBeUndefined();
    expect(given(24 * 60)).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_REFUSED', platform: {} } });
  });

  it('accepts a capture made elsewhere while a void was pending', () => {
    const noted = { reading: reading('taken 2999', 30), captures: [] };

    expect(judged(34, ofVoid, 'taken', hold(noted))).toMatchObject({ status: 'captured', capturedAmount: 2999 });
    expect(judged(34, ofCapture, 'taken', hold({ ...noted, captures: [capture] }))).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
      captures: [{ status: 'unknown' }],
    });
  });
});

it('a capture that is found does not change the result of an earlier one', () => {
  const refused = {
    ...capture,
    captureId: 'earlier',
    status: 'refused',
    failure: { code: 'CAPTURE_REFUSED' },
  } as const;
  const noted = { reading: reading('taken 2999', 30), captures: [refused] };

  expect(judged(34, ofVoid, 'taken', hold(noted))?.captures).toEqual([refused]);
});

describe('a request that was sent', () => {
  it('may arrive late for 20 minutes, and is unknown until a day after it was sent', () => {
    for (const question of [ofCapture, ofVoid]) {
      expect(mayComeLate(question, SENT + 20 * MINUTE_MS - 1)).toBe(true);
      expect(mayComeLate(question, SENT + 20 * MINUTE_MS)).toBe(false);
      expect(isUnknownForADay(question, SENT + DAY_MS - 1)).toBe(false);
      expect(isUnknownForADay(question, SENT + DAY_MS)).toBe(true);
    }
  });

  it('does not exist while only a review is open', () => {
    expect(mayComeLate(ofReview, SENT)).toBe(false);
    expect(isUnknownForADay(ofReview, SENT + 9 * DAY_MS)).toBe(false);
  });
});
