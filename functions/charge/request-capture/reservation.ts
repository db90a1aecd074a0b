/** Whether a charge can be captured now, and how the capture is reserved in it. */

import type { Keyed } from '../../../shared/api/idempotency.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { chargeRepresentation } from '../../../shared/api/representation/charge.ts';
import type { CaptureBody } from '../../../shared/api/schemas/charge.ts';
import { keptShare } from '../../../shared/payments/capture-plan.ts';
import type { Capture, Charge } from '../../../shared/payments/items/charge.ts';
import type { Patch } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';

const LOST_WAKE_UP_MS = MINUTE_MS;

export function reserved(charge: Charge, body: CaptureBody, { id, requestHash }: Keyed, at: number): Patch<'charge'> {
  checkCapturable(charge, body, at);
  const { amount } = body;
  const isvAmount = shareOf(charge, body);
  const requestedAt = iso(at);
  const capture: Capture = { captureId: id, amount, isvAmount, status: 'pending', requestedAt };
  const timeline = appended(charge.timeline, entry(at, 'capture.requested', { captureId: id, amount, isvAmount }));
  const shown = { ...charge, captures: [...charge.captures, capture], timeline, updatedAt: requestedAt };
  const origin = { requestHash, answer: JSON.stringify(chargeRepresentation(shown)) };
  // The wake-up that follows may be lost; then the reconciler sends the capture.
  const dueAt = iso(at + LOST_WAKE_UP_MS);
  return { captures: [...charge.captures, { ...capture, origin }], timeline, dueAt };
}

/** A refused capture left the hold unchanged, so it does not count. */
function checkCapturable(charge: Charge, { amount }: CaptureBody, at: number): void {
  if (charge.captures.some(({ status }) => status !== 'refused')) {
    throw new Problem('CAPTURE_EXISTS', 'The pre-authorization already has a capture with another idempotency key.');
  }
  const { status, preauth, voidSentAt, foundLate } = charge;
  const open = status === 'authorized' && preauth && voidSentAt === undefined && foundLate === undefined;
  if (!open || (charge.captureBefore !== undefined && Date.parse(charge.captureBefore) <= at)) {
    throw new Problem(
      'CHARGE_NOT_CAPTURABLE',
      'The charge has no open pre-authorization. Read the charge to see its status.',
    );
  }
  if (amount > charge.authorizedAmount) {
    throw new Problem('CAPTURE_TOO_LARGE', 'The amount is larger than the authorized amount. Send a smaller amount.', {
      errors: [{ pointer: '/amount', detail: 'must be at most the authorized amount' }],
    });
  }
}

/** The ISV amount of the capture. Only the ISV knows it for a part of the authorized amount. */
function shareOf(charge: Charge, { amount, isvAmount = keptShare(charge, amount) }: CaptureBody): number {
  if (isvAmount === undefined) {
    throw new Problem(
      'INVALID_REQUEST',
      'A capture of a part of the pre-authorization needs an ISV share. Send isvAmount.',
      {
        errors: [
          {
            pointer: '/isvAmount',
            detail:
              'is required: the ISV has a share of the pre-authorization, and only the ISV knows its share of a part',
          },
        ],
      },
    );
  }
  return isvAmount;
}
