/** What comes after a charge was made: nothing, a capture at once, or a capture somebody asks for before the hold ends. */
import * as z from 'zod/mini';
import type { Capture, Charge } from './items.ts';
import { derivedId } from './references.ts';

/** What the state machine needs of it. */
export const capturePlan = z.strictObject({
  capture: z.enum(['none', 'immediate', 'manual']),
  captureBefore: z.nullable(z.iso.datetime()),
});

export function capturePlanOf(charge: Charge): z.infer<typeof capturePlan> {
  const { status, captureBefore } = charge;
  return status === 'authorized' && captureBefore !== undefined
    ? { capture: openCapture(charge) === undefined ? 'manual' : 'immediate', captureBefore }
    : { capture: 'none', captureBefore: null };
}

/** What was asked for and is not over. Nothing is captured of a hold that was found after it was told as over. */
export function openCapture({ captures, foundLate }: Charge): Capture | undefined {
  return foundLate === undefined ? captures.find(({ status }) => status === 'pending') : undefined;
}

/** The capture that a charge with `capture` "immediate" begins with. */
export function immediateCapture(charge: Charge, requestedAt: string): Capture {
  const amount = charge.captureAmount ?? charge.amount;
  return {
    captureId: derivedId(charge.chargeId, 'capture'),
    amount,
    isvAmount: charge.captureIsvAmount ?? keptShare(charge, amount) ?? 0,
    status: 'pending',
    requestedAt,
  };
}

/**
 * The ISV's share of a capture that names none: all that was authorized with all of the amount. Of a part only the ISV
 * knows its own: undefined.
 */
export function keptShare(
  { amount, isvAmount }: { readonly amount: number; readonly isvAmount: number },
  captured: number,
): number | undefined {
  return captured >= amount || isvAmount === 0 ? isvAmount : undefined;
}
