/**
 * Creates the one-time charge token. The first token stored by a conditional write is the only one that is ever sent.
 *
 * Safe to run twice: a charge token moves no money, and only the stored one is used. Its value is written to the tokens
 * table first, its reference to the charge after; a sealed or ended charge accepts none.
 */

import * as z from 'zod/mini';
import { FaultError, RejectedError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { cardEndsAt } from '../../../shared/payments/card-expiry.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import { type FailureCode, failureCodeOf } from '../../../shared/payments/failures.ts';
import type { Charge } from '../../../shared/payments/items/charge.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import { chargeEnded } from '../../../shared/payments/lifecycle.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { appended, callEntry, entry } from '../../../shared/payments/timeline.ts';
import { chargeEndedUnsent, chargeTransition } from '../../../shared/payments/transitions.ts';
import { isChargeable, unpaidReason } from '../../../shared/reconciliation/sale/end.ts';
import type { Tokens } from '../../../shared/tokens/store.ts';
import { platformReason } from '../../../shared/viva/outcomes.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';

const input = z.strictObject({ chargeId: z.uuid() });
const output = z.strictObject({ authenticate: z.boolean() });

/** The lifetime of a charge token at the platform (docs/viva.md, "Native checkout"), and of the issuer's form with it. */
const CHARGE_TOKEN_TTL_SECONDS = 600;

export interface CreateChargeTokenDeps {
  readonly payments: Payments;
  readonly tokens: Tokens;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
  readonly newId: () => string;
}

export const createChargeToken: Step<typeof input, typeof output, CreateChargeTokenDeps> = {
  name: 'create-charge-token',
  input,
  output,
  run: async ({ chargeId }, deps, { remainingMs }) => {
    const { payments, tokens, vivaFor, now, newId } = deps;
    const charge = await existing(payments, 'charge', chargeId);
    if (charge.ctokRef !== undefined || chargeEnded(charge.status)) {
      return resultOf(charge);
    }
    const sale = charge.saleId === undefined ? undefined : await existing(payments, 'sale', charge.saleId);
    await checkSale(charge, sale, deps);
    const cardId = charge.cardId ?? sale?.card?.cardId;
    const card = cardId === undefined ? undefined : await tokens.get('ct', cardId);
    if (cardId === undefined || card?.token === undefined) {
      throw await endCharge(charge, 'failed', 'CARD_NOT_STORED', deps);
    }
    if (cardEndsAt(card.expirationYear, card.expirationMonth) <= now()) {
      throw await endCharge(charge, 'failed', 'CARD_EXPIRED', deps);
    }
    const holderName = charge.holderName ?? card.holderName ?? charge.customer?.fullname;
    if (holderName === undefined) {
      throw await endCharge(charge, 'failed', 'HOLDER_NAME_NEEDED', deps);
    }

    const viva = vivaFor(await accountOf(payments, charge), remainingMs);
    const ctokCreatedAt = now();
    const { amount, currency, moto } = charge;
    const { expirationMonth, expirationYear } = card;
    const { chargeToken, form, call } = await viva
      .createChargeToken({ amount, currency, moto, cardToken: card.token, holderName, expirationMonth, expirationYear })
      .catch(async (error: unknown) => {
        throw await recordFailure(error, charge, deps);
      });

    const ctokRef = newId();
    const expiresAt = Math.floor(ctokCreatedAt / 1000) + CHARGE_TOKEN_TTL_SECONDS;
    await tokens.put('ctok', ctokRef, { token: chargeToken }, expiresAt, 0);
    if (form !== undefined) {
      await tokens.put('form', ctokRef, { html: form }, expiresAt, 0);
    }
    const fenced = await payments.change('charge', chargeId, (item) => {
      if (item.ctokRef !== undefined || item.sealed === true || chargeEnded(item.status)) {
        return undefined;
      }
      const made = callEntry(ctokCreatedAt, 'charge_token.created', call, { authentication: form !== undefined });
      const fence = { ctokRef, ctokCreatedAt: iso(ctokCreatedAt), cardId };
      return form === undefined
        ? { ...fence, timeline: appended(item.timeline, made) }
        : chargeTransition(item, 'requires_authentication', fence, made);
    });
    return resultOf(fenced);
  },
};

function resultOf(charge: Charge): { authenticate: boolean } {
  if (charge.status === 'needs_review' || (chargeEnded(charge.status) && charge.transactionId === undefined)) {
    throw new RejectedError(charge.failure?.code ?? 'CHARGE_ENDED', `the charge ended ${charge.status}`);
  }
  if (charge.ctokRef === undefined) {
    throw new FaultError('CHARGE_SEALED', 'the charge no longer accepts a charge token');
  }
  return { authenticate: charge.status === 'requires_authentication' };
}

/** An abort of the sale cancels its additional charge, and a refunded sale charges nothing more. */
async function checkSale(charge: Charge, sale: Sale | undefined, deps: CreateChargeTokenDeps): Promise<void> {
  if (sale?.abortRequestedAt !== undefined) {
    throw await endCharge(charge, 'cancelled', 'CHARGE_WITHDRAWN', deps);
  }
  if (sale !== undefined && !isChargeable(sale)) {
    throw await endCharge(charge, 'cancelled', unpaidReason(sale), deps);
  }
}

async function endCharge(
  charge: Charge,
  to: 'cancelled' | 'failed',
  code: FailureCode,
  { payments, now }: CreateChargeTokenDeps,
): Promise<RejectedError> {
  await payments.change('charge', charge.chargeId, (item) =>
    chargeEndedUnsent(item, to, { code }, entry(now(), `charge.${to}`, { code })),
  );
  return new RejectedError(code, 'the charge was not started');
}

async function recordFailure(
  error: unknown,
  charge: Charge,
  { payments, now }: CreateChargeTokenDeps,
): Promise<unknown> {
  if (error instanceof RejectedError || error instanceof FaultError) {
    const code = failureCodeOf(error, 'ACCOUNT_NOT_READY');
    const platform = platformReason(error);
    await payments.change('charge', charge.chargeId, (item) =>
      chargeEndedUnsent(
        item,
        'failed',
        { code, platform },
        entry(now(), 'charge_token.refused', { code, ...platform }),
      ),
    );
  }
  return error;
}
