/**
 * Takes the next step of a hold: reads back what was sent and not answered, sends the requested capture, or voids the
 * hold after its time. The state machine calls it in Capture and Void, and the reconciler whenever the hold is due.
 *
 * Safe to run any number of times, also at the same time: a capture or a void is sent by the one attempt that claims it
 * in the item, and again only after it was proven not made.
 */
import { openCapture } from '../../payments/capture-plan.ts';
import { existing } from '../../payments/existing.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { sendCapture } from './capture.ts';
import { readBackHold } from './read-back.ts';
import { isIdle } from './records.ts';
import { isOver } from './transitions.ts';
import { sendVoid } from './void.ts';

/**
 * Resolves to the charge after that. `timeIsOver`: the time of the hold is over by the state machine's clock, which may
 * be a little ahead. Throws an UnknownOutcomeError if the outcome of what was sent is not known yet, and a
 * TransientError or a FaultError if nothing was sent.
 */
export async function advanceHold(chargeId: string, deps: ReconciliationDeps, timeIsOver = false): Promise<Charge> {
  const charge = await readBackHold(await existing(deps.payments, 'charge', chargeId), deps);
  const rest = isIdle(charge) && openCapture(charge) !== undefined ? await sendCapture(charge, deps) : charge;
  const isToRelease = isIdle(rest) && (timeIsOver || isOver(rest, deps.now()));
  return isToRelease ? sendVoid(rest, deps) : rest;
}
