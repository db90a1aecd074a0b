/** Whether a charge can be captured now, and how the capture is reserved in it. */
import type { Keyed } from '../../../shared/idempotency.ts';
import type { Capture, Charge } from '../../../shared/items.ts';
import type { Patch } from '../../../shared/payments.ts';
import { Problem } from '../../../shared/problem.ts';
import { chargeRepresentation } from '../../../shared/representation/charge.ts';
import type { CaptureBody } from '../../../shared/requests/capture.ts';
import { appended, entry } from '../../../shared/timeline.ts';

const LOST_WAKE_UP_MS = 60_000;

export function reserved(charge: Charge, body: CaptureBody, { id, requestHash }: Keyed, at: number): Patch<'charge'> {
  checkCapturable(charge, body, at);
  const requestedAt = new Date(at).toISOString();
  const capture: Capture = { captureId: id, ...body, status: 'pending', requestedAt };
  const timeline = appended(charge.timeline, entry(at, 'capture.requested', { captureId: id, amount: body.amount }));
  const shown = { ...charge, captures: [...charge.captures, capture], timeline, updatedAt: requestedAt };
  const origin = { requestHash, answer: JSON.stringify(chargeRepresentation(shown)) };
  // The wake-up that follows may be lost: then the reconciler finds it.
  const dueAt = new Date(at + LOST_WAKE_UP_MS).toISOString();
  return { captures: [...charge.captures, { ...capture, origin }], timeline, dueAt };
}

/** A capture that was refused leaves the hold as it was, so it does not count. */
function checkCapturable(charge: Charge, { amount }: CaptureBody, at: number): void {
  if (charge.captures.some(({ status }) => status !== 'refused')) {
    throw new Problem('CAPTURE_EXISTS', 'There is one capture per authorization, under another idempotency key.');
  }
  const open = charge.status === 'authorized' && charge.preauth && charge.voidSentAt === undefined;
  if (!open || (charge.captureBefore !== undefined && Date.parse(charge.captureBefore) <= at)) {
    throw new Problem('CHARGE_NOT_CAPTURABLE', 'Only a standing authorization can be captured.');
  }
  if (amount > charge.authorizedAmount) {
    throw new Problem('CAPTURE_TOO_LARGE', 'A capture takes at most the authorized amount.', {
      errors: [{ pointer: '/amount', detail: 'must be at most the authorized amount' }],
    });
  }
}
