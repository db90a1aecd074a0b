/**
 * Sends the pending capture of a charge.
 *
 * Safe to run twice: only the attempt that wins the conditional write of `sentAt` sends. On some accounts the same call
 * charges the card again if the hold was captured before (docs/viva.md, "Captures and voids"). So it is sent again only
 * after proof that it was not made: it never left, or the platform's records say so (see reconciliation/hold/judgement.ts).
 */

import { FaultError, FlowError, RejectedError, TransientError } from '../../flow/errors.ts';
import { openCapture } from '../../payments/capture-plan.ts';
import { accountOf } from '../../payments/existing.ts';
import type { Capture, Charge } from '../../payments/items/charge.ts';
import { actReference } from '../../payments/references.ts';
import type { Patch } from '../../payments/store.ts';
import { iso } from '../../payments/time.ts';
import { appended, appendedOnce, callEntry, entry } from '../../payments/timeline.ts';
import { ambiguousRefusalOf, platformReason } from '../../viva/outcomes.ts';
import type { Call } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { captured, dueSoon, mayBeSent, replaced } from './transitions.ts';

/**
 * Resolves to the charge after that: captured, or still authorized because the capture was refused or another attempt sends
 * it. Throws an UnknownOutcomeError, a TransientError or a FaultError for any other answer.
 */
export async function sendCapture(charge: Charge, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, vivaFor, remainingMs, now } = deps;
  const { chargeId, merchantTrns, transactionId = '' } = charge;
  const account = await accountOf(payments, charge);
  const claimed = await claim(chargeId, deps);
  if (claimed.sent === undefined) {
    return claimed.charge;
  }
  const { captureId, amount, isvAmount } = claimed.sent;
  const request = {
    transactionId,
    amount,
    isvAmount,
    merchantTrns: actReference(merchantTrns, charge.chargeId, captureId),
  };
  let answer: { readonly transactionId: string; readonly call: Call };
  try {
    answer = await vivaFor(account, remainingMs).capture(request);
  } catch (error) {
    return recordFailure(error, chargeId, claimed.sent, deps);
  }
  const made = { ...claimed.sent, transactionId: answer.transactionId };
  const done = callEntry(now(), 'capture.done', answer.call, { amount });
  return payments.change('charge', chargeId, (item) => captured(item, amount, done, made));
}

/** Claims the right to send. `sent` is the capture to send, undefined if this attempt must not send. */
async function claim(
  chargeId: string,
  { payments, now }: ReconciliationDeps,
): Promise<{ readonly charge: Charge; readonly sent: Capture | undefined }> {
  const { item: charge, won } = await payments.claim('charge', chargeId, (item) => {
    const capture = openCapture(item);
    const isFree = item.status === 'authorized' && item.voidSentAt === undefined && capture?.sentAt === undefined;
    if (capture === undefined || !isFree) {
      return undefined;
    }
    if (!mayBeSent(capture, now())) {
      return abandoned(item, capture, now());
    }
    return { captures: replaced(item, { ...capture, sentAt: iso(now()) }), ...dueSoon(now()) };
  });
  return { charge, sent: won ? openCapture(charge) : undefined }; // an abandoned capture is not open any more
}

function abandoned(charge: Charge, capture: Capture, at: number): Patch<'charge'> {
  const failure = { code: 'CAPTURE_NOT_MADE' } as const;
  const abandonment = entry(at, 'capture.given_up', { captureId: capture.captureId });
  const captures = replaced(charge, { ...capture, status: 'refused', failure });
  return { captures, failure, timeline: appended(charge.timeline, abandonment) };
}

/** Stores what a failed attempt proves. Throws the error again unless it is a refusal. */
async function recordFailure(
  error: unknown,
  chargeId: string,
  sent: Capture,
  deps: ReconciliationDeps,
): Promise<Charge> {
  const charge = await deps.payments.change('charge', chargeId, (item) => failed(item, sent, error, deps.now()));
  if (!(error instanceof RejectedError)) {
    throw error;
  }
  return charge;
}

function failed(charge: Charge, sent: Capture, error: unknown, at: number): Patch<'charge'> | undefined {
  const current = charge.captures.find(({ captureId }) => captureId === sent.captureId);
  if (current?.status !== 'pending' || current.sentAt !== sent.sentAt) {
    return undefined; // another attempt has stored a result
  }
  const platform = error instanceof FlowError ? platformReason(error) : {};
  if (error instanceof TransientError || error instanceof FaultError) {
    const { sentAt: _, ...unsent } = current;
    return {
      captures: replaced(charge, unsent),
      timeline: appendedOnce(charge.timeline, entry(at, 'capture.not_sent', { code: error.code })),
    };
  }
  if (error instanceof RejectedError) {
    const failure = { code: 'CAPTURE_REFUSED', platform } as const;
    return {
      failure,
      captures: replaced(charge, { ...current, status: 'refused', failure }),
      timeline: appended(charge.timeline, entry(at, 'capture.refused', { ...platform })),
    };
  }
  const ambiguousRefusal = ambiguousRefusalOf(error);
  return {
    ...(ambiguousRefusal && { captures: replaced(charge, { ...current, ambiguousRefusal }) }),
    timeline: appended(charge.timeline, entry(at, 'capture.unanswered', { ...platform })),
  };
}
