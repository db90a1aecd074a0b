/**
 * Voids a hold that was not captured in time, or that was found after its charge was reported as not made.
 *
 * Safe to run twice: only the attempt that wins the conditional write of `voidSentAt` sends, and none while a capture is
 * open. The void is sent again only after proof that it was not made. After a refusal the charge goes into review, because
 * the hold still stands.
 */

import { FaultError, FlowError, RejectedError, TransientError } from '../../flow/errors.ts';
import { openCapture } from '../../payments/capture-plan.ts';
import { accountOf } from '../../payments/existing.ts';
import type { Charge } from '../../payments/items/charge.ts';
import { actReference, derivedId } from '../../payments/references.ts';
import type { Patch } from '../../payments/store.ts';
import { iso } from '../../payments/time.ts';
import { appended, appendedOnce, callEntry, entry } from '../../payments/timeline.ts';
import { ambiguousRefusalOf, platformReason } from '../../viva/outcomes.ts';
import type { Call } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { dueSoon, released, voidRefused } from './transitions.ts';

/**
 * Resolves to the charge after that: ended, in review, or still authorized because another attempt sends the void. Throws
 * an UnknownOutcomeError, a TransientError or a FaultError for any answer that is not a success or a refusal.
 */
export async function sendVoid(charge: Charge, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, vivaFor, remainingMs, now } = deps;
  const { chargeId, merchantTrns, transactionId = '' } = charge;
  const account = await accountOf(payments, charge);
  const voidSentAt = iso(now());
  const { item: claimed, won } = await payments.claim('charge', chargeId, (item) =>
    item.status === 'authorized' && item.voidSentAt === undefined && openCapture(item) === undefined
      ? { voidSentAt, taskToken: undefined, ...dueSoon(now()) }
      : undefined,
  );
  if (!won) {
    return claimed;
  }
  const request = {
    transactionId,
    amount: claimed.authorizedAmount,
    merchantTrns: actReference(merchantTrns, chargeId, derivedId(chargeId, 'void')),
  };
  let answer: { readonly call: Call };
  try {
    answer = await vivaFor(account, remainingMs).voidPreauth(request);
  } catch (error) {
    return recordFailure(error, chargeId, voidSentAt, deps);
  }
  const { call } = answer;
  return payments.change('charge', chargeId, (item) => released(item, callEntry(now(), 'void.done', call)));
}

/** Stores what a failed attempt proves. Throws the error again unless it is a refusal. */
async function recordFailure(
  error: unknown,
  chargeId: string,
  voidSentAt: string,
  { payments, now }: ReconciliationDeps,
): Promise<Charge> {
  const charge = await payments.change('charge', chargeId, (item) =>
    item.voidSentAt === voidSentAt && item.status === 'authorized' ? failed(item, error, now()) : undefined,
  );
  if (!(error instanceof RejectedError)) {
    throw error;
  }
  return charge;
}

function failed(charge: Charge, error: unknown, at: number): Patch<'charge'> {
  const platform = error instanceof FlowError ? platformReason(error) : {};
  if (error instanceof RejectedError) {
    return voidRefused(charge, platform, entry(at, 'void.refused', { ...platform }));
  }
  if (error instanceof TransientError || error instanceof FaultError) {
    const notSent = entry(at, 'void.not_sent', { code: error.code });
    return { voidSentAt: undefined, timeline: appendedOnce(charge.timeline, notSent) };
  }
  return {
    ambiguousVoidRefusal: ambiguousRefusalOf(error),
    timeline: appended(charge.timeline, entry(at, 'void.unanswered', { ...platform })),
  };
}
