/**
 * Messages about a charge, and about its capture and its void, whose references name the charge, too. While one of these is
 * being sent its messages wait for the outcome, which the call itself brings. Afterwards what is known already costs nothing,
 * and anything else is looked for in the platform's records until it was found or cannot appear any more.
 */

import type { Charge, Message } from '../../../shared/payments/items.ts';
import { chargeEnded, chargeMoney } from '../../../shared/payments/lifecycle.ts';
import { MINUTE_MS } from '../../../shared/payments/time.ts';
import { isOutcomeUnknown } from '../../../shared/reconciliation/charge/reconcile.ts';
import { eventTypes } from '../../../shared/webhooks/message.ts';
import { type Handled, mayAppear, resultOf, type SubjectDeps, untouched } from './handled.ts';

/** No answer comes later. */
const ANSWER_MS = MINUTE_MS;

export async function handleCharge(
  charge: Charge,
  messages: readonly Message[],
  deps: Pick<SubjectDeps, 'reconcileCharge' | 'now'>,
  remainingMs: () => number,
): Promise<Handled> {
  const hints = messages.filter((message) => mayBeNews(charge, message));
  if (hints.length === 0) {
    return untouched(charge);
  }
  if (isInFlight(charge, deps.now())) {
    return { state: 'new', outcome: 'being sent', news: false, isFree: true, held: hints };
  }
  const after = await deps.reconcileCharge(charge.chargeId, remainingMs);
  const handled = resultOf(charge, after);
  const held = hints.filter((message) => mayBeNews(after, message) && mayAppear([message], deps.now()));
  return handled.news ? handled : { ...handled, state: 'new', held };
}

function mayBeNews(charge: Charge, { eventTypeId, transactionId }: Message): boolean {
  if (charge.sentAt === undefined) {
    return false; // nothing can have been made of it
  }
  const isKnown = transactionId !== undefined && transactionsOf(charge).includes(transactionId);
  switch (eventTypeId) {
    case eventTypes.paymentCreated:
      return !isKnown;
    case eventTypes.reversalCreated:
      return !isKnown && chargeMoney(charge.status) !== 'given_back';
    default:
      return isOpen(charge) || charge.captures.some(({ status }) => status === 'unknown');
  }
}

/** It was sent, and nothing says yet what became of it. */
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
