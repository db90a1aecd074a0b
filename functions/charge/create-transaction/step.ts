/**
 * Charges the card, or holds the amount. This is the only step that sends a charge token.
 *
 * At most one attempt sends it: the one that wins the conditional write of `sentAt`. Every other attempt, such as a
 * retry or a zombie, finds `sentAt` and reports the outcome as unknown. `sentAt` is removed only with proof that
 * nothing was sent. An answer that proves the result is recorded; anything else goes to ReconcileCharge.
 */

import * as z from 'zod/mini';
import {
  FaultError,
  FlowError,
  RejectedError,
  TransientError,
  UnknownOutcomeError,
} from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { capturePlan, capturePlanOf } from '../../../shared/payments/capture-plan.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import { failureCodeOf } from '../../../shared/payments/failures.ts';
import type { Charge } from '../../../shared/payments/items/charge.ts';
import { type ChargeStatus, chargeEnded } from '../../../shared/payments/lifecycle.ts';
import { reference } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { appended, callEntry, entry } from '../../../shared/payments/timeline.ts';
import { chargeEndedUnsent, chargeTransition } from '../../../shared/payments/transitions.ts';
import { chargeMade } from '../../../shared/reconciliation/charge/judgement.ts';
import type { Tokens } from '../../../shared/tokens/store.ts';
import { platformReason } from '../../../shared/viva/outcomes.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';

const input = z.strictObject({ chargeId: z.uuid() });
/** A charge token lives 10 minutes at the platform. It is not sent when it is older than this. */
const SEND_WITHIN_MS = 8 * MINUTE_MS;

export interface CreateTransactionDeps {
  readonly payments: Payments;
  readonly tokens: Tokens;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
}

export const createTransaction: Step<typeof input, typeof capturePlan, CreateTransactionDeps> = {
  name: 'create-transaction',
  input,
  output: capturePlan,
  run: async ({ chargeId }, deps, { remainingMs }) => {
    const { payments, tokens, vivaFor, now } = deps;
    const charge = await existing(payments, 'charge', chargeId);
    const account = await accountOf(payments, charge);
    if (charge.transactionId !== undefined) {
      return capturePlanOf(charge);
    }
    if (charge.sentAt !== undefined) {
      throw sentByAnother(charge); // Even when the claim is released meanwhile, because this attempt has not checked the token.
    }
    const token = charge.ctokRef === undefined ? undefined : await tokens.get('ctok', charge.ctokRef);
    const tooOld = now() > Date.parse(charge.ctokCreatedAt ?? '') + SEND_WITHIN_MS;
    if (token === undefined || tooOld) {
      throw await giveUp(charge, deps);
    }
    const sentAt = await claim(charge, deps);
    const { call, transactionId } = await vivaFor(account, remainingMs)
      .createTransaction({
        ...charge,
        chargeToken: token.token,
        merchantTrns: reference(charge.merchantTrns, chargeId),
      })
      .catch(async (error: unknown) => {
        throw await recordFailure(error, chargeId, sentAt, deps);
      });
    const done = await payments.change('charge', chargeId, (item) =>
      chargeMade(
        item,
        account,
        transactionId,
        callEntry(now(), item.preauth ? 'charge.authorized' : 'charge.charged', call),
      ),
    );
    return capturePlanOf(done);
  },
};

/** Claims the right to send; throws when the outcome of another attempt is unknown. */
async function claim({ chargeId }: Charge, { payments, now }: CreateTransactionDeps): Promise<string> {
  const sentAt = iso(now());
  const { item: charge, won } = await payments.claim('charge', chargeId, (item) => {
    if (item.sentAt !== undefined || chargeEnded(item.status)) {
      return undefined;
    }
    const sending = entry(now(), 'charge.sending');
    const timeline = appended(item.timeline, sending);
    return chargeTransition(item, 'processing', { sentAt }, sending) ?? { sentAt, timeline };
  });
  if (!won) {
    throw sentByAnother(charge);
  }
  return sentAt;
}

/** Or the charge has already ended. */
function sentByAnother({ status, failure }: Charge): FlowError {
  return chargeEnded(status)
    ? new RejectedError(failure?.code ?? 'CHARGE_ENDED', `the charge ended ${status}`)
    : new UnknownOutcomeError('ALREADY_SENT', 'another attempt sent this charge');
}

async function giveUp({ chargeId }: Charge, { payments, now }: CreateTransactionDeps): Promise<RejectedError> {
  await payments.change('charge', chargeId, (item) =>
    chargeEndedUnsent(item, 'expired', { code: 'CHARGE_EXPIRED' }, entry(now(), 'charge.expired')),
  );
  return new RejectedError('CHARGE_EXPIRED', 'the charge token expired unused');
}

/** Records what a failed attempt proves, and returns the error for the state machine. */
async function recordFailure(
  error: unknown,
  chargeId: string,
  sentAt: string,
  { payments, now }: CreateTransactionDeps,
): Promise<unknown> {
  const platform = error instanceof FlowError ? platformReason(error) : {};
  if (error instanceof TransientError) {
    await payments.change('charge', chargeId, (item) => ({
      ...(item.sentAt === sentAt && { sentAt: undefined }),
      timeline: appended(item.timeline, entry(now(), 'charge.not_sent', { code: error.code })),
    }));
  } else if (error instanceof RejectedError || error instanceof FaultError) {
    const code = failureCodeOf(error, 'ACCOUNT_NOT_READY');
    const to: ChargeStatus = code.startsWith('CARD_') || code === 'ISSUER_UNAVAILABLE' ? 'declined' : 'failed';
    await payments.change('charge', chargeId, (item) =>
      chargeTransition(
        item,
        to,
        { failure: { code, platform }, sealed: true },
        entry(now(), `charge.${to}`, { code, ...platform }),
      ),
    );
  } else {
    await payments.change('charge', chargeId, (item) => ({
      timeline: appended(item.timeline, entry(now(), 'charge.unanswered', { ...platform })),
    }));
  }
  return error;
}
