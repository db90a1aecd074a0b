import { describe, expect, it } from 'vitest';
import { capturePlanOf, immediateCapture } from '../../../../shared/payments/capture-plan.ts';
import type { Capture, Charge } from '../../../../shared/payments/items.ts';
import { CHARGE_ID } from '../../../fakes/world.ts';

const captureBefore = '2026-11-26T10:00:00.000Z';
const pending: Capture = { captureId: 'one', amount: 3000, isvAmount: 0, status: 'pending', requestedAt: '' };
const refused: Capture = { ...pending, status: 'refused' };

function planOf(charge: object) {
  return capturePlanOf({ status: 'authorized', captureBefore, captures: [], ...charge } as unknown as Charge);
}

describe('what comes after a charge was made', () => {
  it.each<[string, object, 'none' | 'immediate' | 'manual']>([
    ['nothing, where nothing is held', { status: 'charged', captureBefore: undefined }, 'none'],
    ['nothing, where the hold is over', { status: 'expired' }, 'none'],
    ['nothing, where a person was asked', { status: 'needs_review', captures: [pending] }, 'none'],
    ['a capture, where one was asked for at once', { capture: 'immediate', captures: [pending] }, 'immediate'],
    ['a capture, where one was asked for before the flow began again', { captures: [pending] }, 'immediate'],
    ['waiting, where the capture at once was refused', { capture: 'immediate', captures: [refused] }, 'manual'],
    ['a capture, where another one was asked for', { captures: [refused, pending] }, 'immediate'],
    ['waiting for the end, where it was found late', { captures: [pending], foundLate: {} }, 'manual'],
  ])('is %s', (_, charge, capture) => {
    expect(planOf(charge)).toEqual({ capture, captureBefore: capture === 'none' ? null : captureBefore });
  });
});

describe('a capture at once', () => {
  it.each<[string, object, number, number]>([
    ['takes all, and keeps the ISV’s share', {}, 4000, 500],
    ['keeps it, too, where all is named as its amount', { captureAmount: 4000 }, 4000, 500],
    ['takes the share that was named', { captureAmount: 3000, captureIsvAmount: 375 }, 3000, 375],
    ['takes none where none was named', { captureIsvAmount: 0 }, 4000, 0],
    ['has none where none was authorized', { captureAmount: 3000, isvAmount: 0 }, 3000, 0],
  ])('%s', (_, change, amount, isvAmount) => {
    const charge = { chargeId: CHARGE_ID, amount: 4000, isvAmount: 500, ...change } as unknown as Charge;

    expect(immediateCapture(charge, '2026-11-21T10:00:00.000Z')).toMatchObject({
      amount,
      isvAmount,
      status: 'pending',
    });
  });
});
