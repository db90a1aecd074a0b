/** The body of `POST /charges/{chargeId}/capture`. */
import * as z from 'zod/mini';
import type { Violation } from '../problem.ts';
import { amount } from './fields.ts';

export const captureBody = z.strictObject({ amount: amount(), isvAmount: z.exactOptional(amount(0)) });

export type CaptureBody = z.output<typeof captureBody>;

export function captureRules({ amount, isvAmount = 0 }: CaptureBody): Violation[] {
  return isvAmount > amount ? [{ pointer: '/isvAmount', detail: 'must be at most amount' }] : [];
}
