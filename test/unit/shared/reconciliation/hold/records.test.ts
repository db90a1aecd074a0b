import { describe, expect, it } from 'vitest';
import type { Capture, Charge } from '../../../../../shared/payments/items.ts';
import {
  type HoldQuestion,
  holdQuestion,
  holdSeen,
  isSameQuestion,
} from '../../../../../shared/reconciliation/hold/records.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { TRANSACTION_ID } from '../../../../fakes/platform.ts';
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

describe('a hold', () => {
  it.each<[string, readonly TransactionRecord[], string]>([
    ['stands while it reads F', [hold], 'standing'],
    ['stands whatever became of another one', [{ ...hold, transactionId: other, statusId: 'X' }, hold], 'standing'],
    ['is not known while it is not read', [], 'unclear'],
    ['is not known by another merchant’s record', [{ ...hold, merchantId: other }], 'unclear'],
    ['is not known by a record of another amount', [{ ...hold, amount: 4100 }], 'unclear'],
    ['is not known by a record in another currency', [{ ...hold, currency: 'USD' }], 'unclear'],
    ['is not known by a record of another payment', [{ ...hold, merchantTrns: other }], 'unclear'],
    ['is not known by a record that is no hold', [{ ...hold, transactionTypeId: 5 }], 'unclear'],
    ['is not known while it reads E', [{ ...hold, statusId: 'E' }], 'unclear'],
    ['is not known while it reads A', [{ ...hold, statusId: 'A' }], 'unclear'],
    ['is not known when a part of it was given back', [hold, { ...release, amount: 100 }], 'unclear'],
    ['was given back when it reads X', [{ ...hold, statusId: 'X' }], 'released'],
    ['was given back when a void of all of it is there', [hold, release], 'released'],
    ['was not given back by a void that failed', [hold, { ...release, statusId: 'E' }], 'standing'],
    ['was captured when it reads C, though no capture is shown', [captured], 'hidden'],
    ['was captured as we asked', [captured, child], 'captured'],
    ['was captured, whatever it reads itself', [hold, child], 'captured'],
    ['was captured, though that was given back since', [captured, { ...child, statusId: 'X' }], 'captured'],
    ['was captured under its own reference', [captured, { ...child, merchantTrns: CHARGE_ID }], 'captured'],
    ['was taken by somebody else', [captured, { ...child, merchantTrns: other }], 'taken'],
    ['was taken in another amount', [captured, { ...child, amount: 2999 }], 'taken'],
    ['was taken twice', [captured, child, { ...child, transactionId: 'second' }], 'taken'],
    [
      'is not known while a capture of it reads E, which may still become F',
      [hold, { ...child, statusId: 'E' }],
      'unclear',
    ],
    ['is not known while a capture of it has not finished', [hold, { ...child, statusId: 'A' }], 'unclear'],
    ['was not captured by another merchant', [hold, { ...child, merchantId: other }], 'standing'],
    ['was not captured in another currency', [hold, { ...child, currency: 'USD' }], 'standing'],
    ['was not captured by a child of another hold', [hold, { ...child, parentId: other }], 'standing'],
    ['was not captured by another kind of child', [hold, { ...child, transactionTypeId: 5 }], 'standing'],
  ])('%s', (_, records, is) => {
    expect(holdSeen(charge, records).is).toBe(is);
    expect(holdSeen(charge, records.toReversed()).is).toBe(is);
  });

  it('was taken in all that its captures took', () => {
    const second = { ...child, transactionId: 'second', amount: 500 };

    expect(holdSeen(charge, [captured, child, second])).toEqual({ is: 'taken', amount: 3500 });
  });

  it('under its own reference was not captured by us when nothing of ours was sent', () => {
    const { sentAt: _, ...unsent } = capture;
    const idle = { ...charge, captures: [unsent] };

    expect(holdSeen(idle, [captured, { ...child, merchantTrns: CHARGE_ID }]).is).toBe('taken');
  });
});

describe('what is not known of a hold', () => {
  const review = { status: 'needs_review', statusBeforeReview: 'authorized' };
  const unsent = { ...capture, sentAt: undefined };
  const voidSentAt = '2026-11-21T10:00:01.000Z';

  it.each<[string, object, string | undefined]>([
    ['is nothing while nothing was sent', { captures: [unsent] }, undefined],
    ['is nothing after a refusal', { captures: [{ ...capture, status: 'refused' }] }, undefined],
    ['is the capture that was sent', {}, 'capture'],
    ['is the capture that went to a person', { ...review, captures: [{ ...capture, status: 'unknown' }] }, 'capture'],
    ['is the void that was sent', { captures: [], voidSentAt }, 'void'],
    ['is why a person was asked', { ...review, captures: [] }, 'review'],
    ['is not what the charge itself came to', { ...review, statusBeforeReview: 'processing' }, undefined],
    ['is nothing without a transaction', { transactionId: undefined }, undefined],
    ['is nothing once it ended', { status: 'captured' }, undefined],
  ])('%s', (_, change, of) => {
    expect(holdQuestion({ ...charge, ...change } as unknown as Charge)?.of).toBe(of);
  });
});

describe('what was asked before a reading, and is asked after it,', () => {
  const sentAt = '2026-11-21T10:00:01.000Z';
  const ofCapture: HoldQuestion = { of: 'capture', capture, sentAt };
  const ofVoid: HoldQuestion = { of: 'void', sentAt };

  it.each<[string, HoldQuestion | undefined, HoldQuestion, boolean]>([
    ['is the same while nothing was sent or answered', { ...ofCapture }, ofCapture, true],
    ['is the same review', { of: 'review' }, { of: 'review' }, true],
    ['is the same void', { ...ofVoid }, ofVoid, true],
    ['is another one once it was answered', undefined, ofCapture, false],
    ['is another one once a review has nothing to ask', undefined, { of: 'review' }, false],
    [
      'is another one once the capture was sent again',
      { ...ofCapture, sentAt: '2026-11-21T10:30:00.000Z' },
      ofCapture,
      false,
    ],
    [
      'is another one once another capture was sent',
      { ...ofCapture, capture: { ...capture, captureId: other } },
      ofCapture,
      false,
    ],
    ['is another one once the void was sent again', { ...ofVoid, sentAt: '2026-11-21T10:30:00.000Z' }, ofVoid, false],
    ['is another one once a void was sent instead', ofVoid, ofCapture, false],
  ])('%s', (_, after, before, isSame) => {
    expect(isSameQuestion(after, before)).toBe(isSame);
  });
});
