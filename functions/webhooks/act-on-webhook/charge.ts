/**
 * Webhooks about a charge, its capture and its void, whose references all name the charge. While one of these calls is
 * being sent, its webhooks wait for the outcome of the call. Afterwards a known change costs nothing, and anything else
 * is searched in the platform's records until it is found or can no longer appear.
 */

import type { Charge } from '../../../shared/payments/items/charge.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import { chargeEnded, chargeMoney } from '../../../shared/payments/lifecycle.ts';
import { MINUTE_MS } from '../../../shared/payments/time.ts';
import { isOutcomeUnknown, reconcileCharge } from '../../../shared/reconciliation/charge/reconcile.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { type HandleDeps, type Handled, mayAppear, resultOf, untouched } from './handled.ts';

/** No answer arrives later than this. */
const ANSWER_MS = MINUTE_MS;

export async function handleCharge(charge: Charge, webhooks: readonly Webhook[], deps: HandleDeps): Promise<Handled> {
  const unexplained = webhooks.filter((webhook) => mayBeNews(charge, webhook));
  if (unexplained.length === 0) {
    return untouched(charge);
  }
  if (isInFlight(charge, deps.now())) {
    return { state: 'new', outcome: 'being sent', news: false, isFree: true, held: unexplained };
  }
  const after = await reconcileCharge(charge.chargeId, deps);
  await deps.publish('charge', charge.chargeId);
  const handled = resultOf(charge, after);
  const held = unexplained.filter((webhook) => mayBeNews(after, webhook) && mayAppear([webhook], deps.now()));
  return handled.news ? handled : { ...handled, state: 'new', held };
}

function mayBeNews(charge: Charge, { eventTypeId, transactionId }: Webhook): boolean {
  if (charge.sentAt === undefined) {
    return false; // nothing can have been charged
  }
  const isKnown = transactionId !== undefined && transactionsOf(charge).includes(transactionId);
  switch (eventTypeId) {
    case webhookTypes.paymentCreated:
      return !isKnown;
    case webhookTypes.reversalCreated:
      return !isKnown && chargeMoney(charge.status) !== 'given_back';
    default:
      return isOpen(charge) || charge.captures.some(({ status }) => status === 'unknown');
  }
}

/** It was sent, and its outcome is not recorded yet. */
function isOpen(charge: Charge): boolean {
  return isOutcomeUnknown(charge) && (charge.status === 'needs_review' || !chargeEnded(charge.status));
}

function transactionsOf({ transactionId, captures }: Charge): readonly string[] {
  return [transactionId, ...captures.map((capture) => capture.transactionId)].flatMap((id) => id?.toLowerCase() ?? []);
}

/** Sent, and not answered yet. */
function isInFlight(charge: Charge, now: number): boolean {
  const { status, captures, sentAt, voidSentAt } = charge;
  const sent = [
    isOpen(charge) ? sentAt : undefined,
    status === 'authorized' ? voidSentAt : undefined,
    ...captures.map((capture) => (capture.status === 'pending' ? capture.sentAt : undefined)),
  ];
  return sent.some((at) => at !== undefined && Date.parse(at) + ANSWER_MS > now);
}
