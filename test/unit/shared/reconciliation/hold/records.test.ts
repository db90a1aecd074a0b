import { describe, expect, it } from 'vitest';
import type { Capture, Charge } from '../../../../../shared/payments/items/charge.ts';
import {
  type HoldQuestion,
  holdQuestion,
  holdSeen,
  isSameQuestion,
} from '../../../../../shared/reconciliation/hold/records.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID } from '../../../../fakes/world.ts';

const captureId = '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30';
const capture: Capture = {
  captureId,
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
  sentAt: '2026-11-21T10:00:01.000Z',
};
const charge = {
  chargeId: CHARGE_ID,
  merchantId: MERCHANT_ID,
  amount: 4000,
  currency: 'EUR',
  status: 'authorized',
  transactionId: TRANSACTION_ID,
  captures: [capture],
} as unknown as Charge;
const hold: TransactionRecord = {
  transactionId: TRANSACTION_ID,
  amount: 4000,
  currency: 'EUR',
  merchantId: MERCHANT_ID,
  statusId: 'F',
  transactionTypeId: 1,
  merchantTrns: `room 12 ${CHARGE_ID}`,
};
const captured = { ...hold, statusId: 'C' };
const child: TransactionRecord = {
  ...hold,
  transactionId: 'child',
  parentId: TRANSACTION_ID.toUpperCase(),
  amount: 3000,
  transactionTypeId: 0,
  merchantTrns: `room 12 ${captureId}`,
};
const release: TransactionRecord = { ...hold, transactionId: 'void', parentId: TRANSACTION_ID, transactionTypeId: 7 };
const other = '00000000-0000-4000-8000-000000000000';

describe('the state of a hold in the platform’s records', () => {
  it.each<[string, readonly TransactionRecord[], string]>([
    ['stands with status F', [hold], 'standing'],
    ['stands whatever became of another hold', [{ ...hold, transactionId: other, statusId: 'X' }, hold], 'standing'],
    ['is unknown when it is not listed', [], 'unclear'],
    ['is unknown by another merchant’s record', [{ ...hold, merchantId: other }], 'unclear'],
    ['is unknown by a record of another amount', [{ ...hold, amount: 4100 }], 'unclear'],
    ['is unknown by a record in another currency', [{ ...hold, currency: 'USD' }], 'unclear'],
    ['is unknown by a record of another payment', [{ ...hold, merchantTrns: other }], 'unclear'],
    ['is unknown by a record that is not a hold', [{ ...hold, transactionTypeId: 5 }], 'unclear'],
    ['is unknown with status E', [{ ...hold, statusId: 'E' }], 'unclear'],
    ['is unknown with status A', [{ ...hold, statusId: 'A' }], 'unclear'],
    ['is unknown when a part of it was released', [hold, { ...release, amount: 100 }], 'unclear'],
    ['is released with status X', [{ ...hold, statusId: 'X' }], 'released'],
    ['is released by a void of the whole amount', [hold, release], 'released'],
    ['is not released by a failed void', [hold, { ...release, statusId: 'E' }], 'standing'],
    ['is captured with status C, although no capture is listed', [captured], 'hidden'],
    ['is captured as we requested', [captured, child], 'captured'],
    ['is captured, whatever its own status', [hold, child], 'captured'],
    ['is captured, although the capture was refunded since', [captured, { ...child, statusId: 'X' }], 'captured'],
    ['is captured under its own reference', [captured, { ...child, merchantTrns: CHARGE_ID }], 'captured'],
    ['is captured by somebody else', [captured, { ...child, merchantTrns: other }], 'taken'],
    ['is captured in another amount', [captured, { ...child, amount: 2999 }], 'taken'],
    ['is captured twice', [captured, child, { ...child, transactionId: 'second' }], 'taken'],
    [
      'is unknown while a capture has status E, which may still become F',
      [hold, { ...child, statusId: 'E' }],
      'unclear',
    ],
    ['is unknown while a capture of it is unfinished', [hold, { ...child, statusId: 'A' }], 'unclear'],
    ['is not captured by another merchant', [hold, { ...child, merchantId: other }], 'standing'],
    ['is not captured in another currency', [hold, { ...child, currency: 'USD' }], 'standing'],
    ['is not captured by a child of another hold', [hold, { ...child, parentId: other }], 'standing'],
    ['is not captured by another kind of child', [hold, { ...child, transactionTypeId: 5 }], 'standing'],
  ])('%s', (_, records, is) => {
    expect(holdSeen(charge, records).is).toBe(is);
    expect(holdSeen(charge, records.toReversed()).is).toBe(is);
  });

  it('is captured with the sum of all its captures', () => {
    const second = { ...child, transactionId: 'second', amount: 500 };

    expect(holdSeen(charge, [captured, child, second])).toEqual({ is: 'taken', amount: 3500 });
  });

  it('is not captured by us under its own reference when we sent nothing', () => {
    const { sentAt: _, ...unsent } = capture;
    const idle = { ...charge, captures: [unsent] };

    expect(holdSeen(idle, [captured, { ...child, merchantTrns: CHARGE_ID }]).is).toBe('taken');
  });
});

describe('the open question about a hold', () => {
  const review = { status: 'needs_review', statusBeforeReview: 'authorized' };
  const unsent = { ...capture, sentAt: undefined };
  const voidSentAt = '2026-11-21T10:00:01.000Z';

  it.each<[string, object, string | undefined]>([
    ['is none while nothing was sent', { captures: [unsent] }, undefined],
    ['is none after a refusal', { captures: [{ ...capture, status: 'refused' }] }, undefined],
    ['is the capture that was sent', {}, 'capture'],
    ['is the capture that is under review', { ...review, captures: [{ ...capture, status: 'unknown' }] }, 'capture'],
    ['is the void that was sent', { captures: [], voidSentAt }, 'void'],
    ['is the reason of the review', { ...review, captures: [] }, 'review'],
    ['is not the status of the charge itself', { ...review, statusBeforeReview: 'processing' }, undefined],
    ['is none without a transaction', { transactionId: undefined }, undefined],
    ['is none once the charge ended', { status: 'captured' }, undefined],
  ])('%s', (_, change, of) => {
    expect(holdQuestion({ ...charge, ...change } as unknown as Charge)?.of).toBe(of);
  });
});

describe('the open question, before and after a reading,', () => {
  const sentAt = '2026-11-21T10:00:01.000Z';
  const ofCapture: HoldQuestion = { of: 'capture', capture, sentAt };
  const ofVoid: HoldQuestion = { of: 'void', sentAt };

  it.each<[string, HoldQuestion | undefined, HoldQuestion, boolean]>([
    ['is the same while nothing was sent or answered', { ...ofCapture }, ofCapture, true],
    ['is the same review', { of: 'review' }, { of: 'review' }, true],
    ['is the same void', { ...ofVoid }, ofVoid, true],
    ['is different once it was answered', undefined, ofCapture, false],
    ['is different once a review has nothing to ask', undefined, { of: 'review' }, false],
    [
      'is different once the capture was sent again',
      { ...ofCapture, sentAt: '2026-11-21T10:30:00.000Z' },
      ofCapture,
      false,
    ],
    [
      'is different once another capture was sent',
      { ...ofCapture, capture: { ...capture, captureId: other } },
      ofCapture,
      false,
    ],
    ['is different once the void was sent again', { ...ofVoid, sentAt: '2026-11-21T10:30:00.000Z' }, ofVoid, false],
    ['is different once a void was sent instead', ofVoid, ofCapture, false],
  ])('%s', (_, after, before, isSame) => {
    expect(isSameQuestion(after, before)).toBe(isSame);
  });
});
