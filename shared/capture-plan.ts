/** What comes after a charge was made: nothing, a capture at once, or a capture somebody asks for before the hold ends. */
import * as z from 'zod/mini';
import type { Charge } from './items.ts';

/** What the state machine needs of it. */
export const capturePlan = z.strictObject({
  capture: z.enum(['none', 'immediate', 'manual']),
  captureBefore: z.nullable(z.iso.datetime()),
});

export function capturePlanOf({ status, capture = 'manual', captureBefore }: Charge): z.infer<typeof capturePlan> {
  return status === 'authorized' && captureBefore !== undefined
    ? { capture, captureBefore }
    : { capture: 'none', captureBefore: null };
}
