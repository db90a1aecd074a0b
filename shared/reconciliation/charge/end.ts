/**
 * Ends a charge after its execution stopped. It becomes `failed` or `expired` only if nothing was ever sent, otherwise
 * it goes into review. Safe to run twice: an ended charge stays as it is.
 */

import { type ChargeState, type EndDeps, type Stopped, unsentEndAt } from '../../flow/stopped.ts';
import type { Charge } from '../../payments/items/charge.ts';
import { chargeEnded } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { appendedOnce, entry } from '../../payments/timeline.ts';
import { chargeEndedUnsent, chargeTransition } from '../../payments/transitions.ts';

export async function endCharge(
  chargeId: string,
  where: Stopped<ChargeState>,
  { payments, now }: EndDeps,
): Promise<void> {
  await payments.change('charge', chargeId, (charge) => ended(charge, where, now()));
}

function ended(charge: Charge, { state, error }: Stopped<ChargeState>, at: number): Patch<'charge'> | undefined {
  if (chargeEnded(charge.status)) {
    return undefined;
  }
  const stopped = entry(at, 'flow.stopped', { state, error });
  if (charge.status === 'authorized') {
    // The hold stands. The reconciler sends an open capture and voids the hold after its time.
    return { dueAt: stopped.at, timeline: appendedOnce(charge.timeline, stopped) };
  }
  const { to, code } = unsentEndAt(state);
  const unsent = chargeEndedUnsent(charge, to, { code }, stopped);
  const review = { failure: charge.failure ?? { code: 'OUTCOME_UNKNOWN' }, taskToken: undefined } as const;
  return unsent ?? chargeTransition(charge, 'needs_review', review, stopped);
}
