/**
 * Sends the capture that is reserved in a charge.
 *
 * At most one attempt sends it: the one that wins the conditional write of its `sentAt`. On some accounts the same call
 * would charge the card again if the hold were already captured, so it is sent again only once it is proven that it was
 * not made: because it provably never left, or because the platform's records say so (see reconciliation/hold/judgement.ts).
 */

import { FaultError, FlowError, RejectedError, TransientError } from '../../flow/errors.ts';
import { openCapture } from '../../payments/capture-plan.ts';
import { accountOf } from '../../payments/existing.ts';
import type { Capture, Charge } from '../../payments/items.ts';
import { actReference } from '../../payments/references.ts';
import type { Patch } from '../../payments/store.ts';
import { iso } from '../../payments/time.ts';
import { appended, appendedOnce, callEntry, entry } from '../../payments/timeline.ts';
import { platformReason, saidNoBy } from '../../viva/outcomes.ts';
import type { Call } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { captured, dueSoon, mayBeSent, replaced } from './transitions.ts';

/** Resolves to the charge as it is then: captured, or standing because the capture was refused or somebody else's to send. */
export async function sendCapture(charge: Charge, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, platformFor, remainingMs, now } = deps;
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
    answer = await platformFor(account, remainingMs).capture(request);
  } catch (error) {
    return recordFailure(error, chargeId, claimed.sent, deps);
  }
  const made = { ...claimed.sent, transactionId: answer.transactionId };
  const told = callEntry(now(), 'capture.done', answer.call, { amount });
  return payments.change('charge', chargeId, (item) => captured(item, amount, told, made));
}

/** Wins the right to send: `sent` is what is to be sent. */
async function claim(
  chargeId: string,
  { payments, now }: ReconciliationDeps,
): Promise<{ readonly charge: Charge; readonly sent: Capture | undefined }> {
  let sent: Capture | undefined;
  const charge = await payments.change('charge', chargeId, (item) => {
    sent = undefined;
    const capture = openCapture(item);
    const isFree = item.status === 'authorized' && item.voidSentAt === undefined && capture?.sentAt === undefined;
    if (capture === undefined || !isFree) {
      return undefined;
    }
    if (!mayBeSent(capture, now())) {
      return givenUp(item, capture, now());
    }
    sent = { ...capture, sentAt: iso(now()) };
    return { captures: replaced(item, sent), ...dueSoon(now()) };
  });
  return { charge, sent };
}

function givenUp(charge: Charge, capture: Capture, at: number): Patch<'charge'> {
  const failure = { code: 'CAPTURE_NOT_MADE' } as const;
  const told = entry(at, 'capture.given_up', { captureId: capture.captureId });
  const captures = replaced(charge, { ...capture, status: 'refused', failure });
  return { captures, failure, timeline: appended(charge.timeline, told) };
}

/** Writes down what a failed attempt proves; throws unless it was refused. */
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
    return undefined; // another attempt knew better meanwhile
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
  const saidNo = saidNoBy(error);
  return {
    ...(saidNo && { captures: replaced(charge, { ...current, saidNo }) }),
    timeline: appended(charge.timeline, entry(at, 'capture.unanswered', { ...platform })),
  };
}
