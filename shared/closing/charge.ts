/** Ends a charge whose part of the flow stopped: never as "not charged" unless nothing was ever sent. */
import type { FailureCode } from '../failures.ts';
import type { Capture, Charge } from '../items.ts';
import { chargeEnded } from '../lifecycle.ts';
import { chargeEndedUnsent, chargeMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import { entry } from '../timeline.ts';
import type { ClosingDeps, Stopped } from './stopped.ts';

export async function closeCharge(chargeId: string, where: Stopped, { payments, now }: ClosingDeps): Promise<void> {
  await payments.change('charge', chargeId, (charge) => ended(charge, where, now()));
}

function ended(charge: Charge, { state, error }: Stopped, at: number): Patch<'charge'> | undefined {
  if (chargeEnded(charge.status)) {
    return undefined;
  }
  const stopped = entry(at, 'flow.stopped', { state, error });
  const unsent =
    state === 'AwaitAuthentication'
      ? chargeEndedUnsent(charge, 'expired', { code: 'AUTHENTICATION_EXPIRED' }, stopped)
      : chargeEndedUnsent(charge, 'failed', { code: 'CHARGE_NOT_SENT' }, stopped);
  return (
    unsent ??
    chargeMoved(
      charge,
      'needs_review',
      {
        failure: charge.failure ?? { code: reviewCode(charge) },
        captures: charge.captures.map(unresolved),
        taskToken: undefined,
      },
      stopped,
    )
  );
}

function unresolved(capture: Capture): Capture {
  if (capture.status !== 'pending') {
    return capture;
  }
  return capture.sentAt === undefined
    ? { ...capture, status: 'refused', failure: { code: 'CAPTURE_REFUSED' } }
    : { ...capture, status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } };
}

function reviewCode(charge: Charge): FailureCode {
  if (charge.status !== 'authorized') {
    return 'OUTCOME_UNKNOWN';
  }
  if (charge.voidSentAt !== undefined) {
    return 'VOID_UNKNOWN';
  }
  return charge.captures.some((capture) => capture.status === 'pending' && capture.sentAt !== undefined)
    ? 'CAPTURE_UNKNOWN'
    : 'INTERNAL_FAULT';
}
