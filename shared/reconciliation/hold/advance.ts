/**
 * Takes the next step of a hold: reads back what was sent and not answered, sends the requested capture, or gives the
 * hold back when its time is over. The flow calls it in Capture and Void, and the reconciler when the hold is due.
 *
 * Safe to run any number of times, also at the same time: the attempt that claims a call in the item sends it. It is
 * sent again only after it was proven not made.
 */
import { openCapture } from '../../payments/capture-plan.ts';
import { existing } from '../../payments/existing.ts';
import type { Charge } from '../../payments/items.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { sendCapture } from './capture.ts';
import { readBackHold } from './read-back.ts';
import { isIdle } from './records.ts';
import { isOver } from './transitions.ts';
import { sendVoid } from './void.ts';

/**
 * Resolves to the charge as it is then. `timeIsOver`: the flow's clock says so, which may be a little ahead. Throws an
 * UnknownOutcomeError when what was sent is not known yet, and a TransientError or a FaultError when nothing was sent.
 */
export async function advanceHold(chargeId: string, deps: ReconciliationDeps, timeIsOver = false): Promise<Charge> {
  const charge = await readBackHold(await existing(deps.payments, 'charge', chargeId), deps);
  const rest = isIdle(charge) && openCapture(charge) !== undefined ? await sendCapture(charge, deps) : charge;
  const isToRelease = isIdle(rest) && (timeIsOver || isOver(rest, deps.now()));
  return isToRelease ? sendVoid(rest, deps) : rest;
}
