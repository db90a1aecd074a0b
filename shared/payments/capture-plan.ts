/**
 * The capture plan of a charge: no capture, an immediate capture, or a manual capture before the hold ends. All functions
 * are pure. Amounts are minor units.
 */
import * as z from 'zod/mini';
import type { Capture, Charge } from './items/charge.ts';
import { derivedId } from './references.ts';

/** The part of the plan that the state machine needs. */
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

/** The capture that was requested and has no result yet. A hold that was found late is never captured. */
export function openCapture({ captures, foundLate }: Charge): Capture | undefined {
  return foundLate === undefined ? captures.find(({ status }) => status === 'pending') : undefined;
}

/** The first capture of a charge with `capture: "immediate"`. */
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
 * The ISV's share of a capture that names none. A capture of the whole amount keeps the whole share. Undefined for a
 * partial capture of a charge with a share: only the ISV knows it.
 */
export function keptShare(
  { amount, isvAmount }: { readonly amount: number; readonly isvAmount: number },
  captured: number,
): number | undefined {
  return captured >= amount || isvAmount === 0 ? isvAmount : undefined;
}
