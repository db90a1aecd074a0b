import { describe, expect, it } from 'vitest';
import { capturePlanOf, immediateCapture } from '../../../../shared/payments/capture-plan.ts';
import type { Capture, Charge } from '../../../../shared/payments/items/charge.ts';
import { CHARGE_ID } from '../../../fakes/world.ts';

const captureBefore = '2026-11-26T10:00:00.000Z';
const pending: Capture = { captureId: 'one', amount: 3000, isvAmount: 0, status: 'pending', requestedAt: '' };
const refused: Capture = { ...pending, status: 'refused' };

function planOf(charge: object) {
  return capturePlanOf({ status: 'authorized', captureBefore, captures: [], ...charge } as unknown as Charge);
}

describe('the next step after a charge was made', () => {
  it.each<[string, object, 'none' | 'immediate' | 'manual']>([
    ['nothing when nothing is held', { status: 'charged', captureBefore: undefined }, 'none'],
    ['nothing when the hold is over', { status: 'expired' }, 'none'],
    ['nothing during a review', { status: 'needs_review', captures: [pending] }, 'none'],
    ['a capture when it was requested with the charge', { capture: 'immediate', captures: [pending] }, 'immediate'],
    ['a capture when one was requested before the execution was replaced', { captures: [pending] }, 'immediate'],
    ['waiting after the capture with the charge was refused', { capture: 'immediate', captures: [refused] }, 'manual'],
    ['a capture when another one was requested', { captures: [refused, pending] }, 'immediate'],
    ['waiting for the end when it was found late', { captures: [pending], foundLate: {} }, 'manual'],
  ])('is %s', (_, charge, capture) => {
    expect(planOf(charge)).toEqual({ capture, captureBefore: capture === 'none' ? null : captureBefore });
  });
});

describe('a capture with the charge', () => {
  it.each<[string, object, number, number]>([
    ['takes the whole amount, with the ISV amount', {}, 4000, 500],
    ['keeps the ISV amount when the whole amount is named', { captureAmount: 4000 }, 4000, 500],
    ['takes the ISV amount that was named', { captureAmount: 3000, captureIsvAmount: 375 }, 3000, 375],
    ['takes no ISV amount when none was named', { captureIsvAmount: 0 }, 4000, 0],
    ['has no ISV amount when none was authorized', { captureAmount: 3000, isvAmount: 0 }, 3000, 0],
  ])('%s', (_, change, amount, isvAmount) => {
    const charge = { chargeId: CHARGE_ID, amount: 4000, isvAmount: 500, ...change } as unknown as Charge;

    expect(immediateCapture(charge, '2026-11-21T10:00:00.000Z')).toMatchObject({
      amount,
      isvAmount,
      status: 'pending',
    });
  });
});
