/**
 * Turns the paid transaction into a stored card. The card token goes into the tokens table only; the execution carries
 * the card's id. Safe to run twice: a second card token is harmless, the first stored one is kept, and none is
 * requested for a card that has one.
 */
import * as z from 'zod/mini';
import { FaultError, RejectedError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { cardEndsAt } from '../../../shared/payments/card-expiry.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import { failureCodeOf } from '../../../shared/payments/failures.ts';
import type { Card, CardOnSale } from '../../../shared/payments/items/card.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { appended, callEntry, entry } from '../../../shared/payments/timeline.ts';
import { saleTransition } from '../../../shared/payments/transitions.ts';
import { changeToken, type Tokens } from '../../../shared/tokens/store.ts';
import { platformReason } from '../../../shared/viva/outcomes.ts';
import type { Call, VivaFor } from '../../../shared/viva/viva.ts';

const input = z.union([z.strictObject({ saleId: z.uuid() }), z.strictObject({ cardId: z.string() })]);
const output = z.strictObject({});

export interface CreateCardTokenDeps {
  readonly payments: Payments;
  readonly tokens: Tokens;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
}

/** The fields that a sale and a card request share and from which the card is made. */
type Source = (Sale | Card) & { readonly transactionId?: string };

export const createCardToken: Step<typeof input, typeof output, CreateCardTokenDeps> = {
  name: 'create-card-token',
  input,
  output,
  run: async (subject, deps, { remainingMs }) => {
    const { payments, vivaFor, now } = deps;
    const source: Source =
      'saleId' in subject
        ? await existing(payments, 'sale', subject.saleId)
        : await existing(payments, 'card', subject.cardId);
    if ('tokenization' in source ? source.tokenization.status === 'stored' : source.aliasOf !== undefined) {
      return {};
    }
    const { card, transactionId } = source;
    if (card === undefined || transactionId === undefined) {
      throw new FaultError('CARD_NOT_READ', 'the transaction has to be read first');
    }
    const viva = vivaFor(await accountOf(payments, source), remainingMs);
    try {
      const call = await keepToken(card, () => viva.createCardToken(transactionId), deps);
      await storeCard(source, card, transactionId, payments);
      await endSource(source, card, call, deps);
    } catch (error) {
      if (error instanceof RejectedError) {
        await refuse(source, error, payments, now());
      }
      throw error;
    }
    return {};
  },
};

async function keepToken(
  { cardId, expirationMonth, expirationYear }: CardOnSale,
  create: () => Promise<{ cardToken: string; call: Call }>,
  { tokens }: CreateCardTokenDeps,
): Promise<Call | undefined> {
  let created: { cardToken: string; call: Call } | undefined;
  await changeToken(tokens, 'ct', cardId, async (kept = { expirationMonth, expirationYear }) => {
    if (kept.token !== undefined) {
      return undefined;
    }
    created ??= await create();
    return {
      value: { ...kept, token: created.cardToken },
      expiresAt: Math.floor(cardEndsAt(expirationYear, expirationMonth) / 1000),
    };
  });
  return created?.call;
}

/** Writes the card under its own id: new, or active again with what is known now. */
async function storeCard(source: Source, card: CardOnSale, transactionId: string, payments: Payments): Promise<void> {
  const { customerReference, consent } = source;
  const known = {
    ...card,
    merchantId: source.merchantId,
    transactionId,
    status: 'active' as const,
    ...(customerReference && { customerReference }),
    ...(consent && { consent }),
  };
  if (!(await payments.create('card', card.cardId, { ...known, timeline: [] }))) {
    await payments.change('card', card.cardId, (item) =>
      item.status === 'active' && item.expirationYear === card.expirationYear && item.transactionId === transactionId
        ? undefined
        : { ...known, tokenLeft: undefined },
    );
  }
}

async function endSource(
  source: Source,
  { cardId }: CardOnSale,
  call: Call | undefined,
  { payments, now }: CreateCardTokenDeps,
): Promise<void> {
  const stored = call
    ? callEntry(now(), 'card.stored', call, { cardId })
    : entry(now(), 'card.already_stored', { cardId });
  if ('tokenization' in source) {
    await payments.change('sale', source.saleId, (item) =>
      saleTransition(item, 'tokenized', { tokenization: { status: 'stored' } }, stored),
    );
    return;
  }
  await payments.change('card', source.cardId, (item) => ({
    status: 'active' as const,
    aliasOf: cardId,
    timeline: appended(item.timeline, stored),
  }));
}

async function refuse(source: Source, error: RejectedError, payments: Payments, at: number): Promise<void> {
  const code = failureCodeOf(error, 'CARD_NOT_TOKENIZABLE');
  const refused = entry(at, 'card.refused', { code, ...platformReason(error) });
  if ('tokenization' in source) {
    await payments.change('sale', source.saleId, (item) => ({
      tokenization: { status: 'refused' as const, code },
      timeline: appended(item.timeline, refused),
    }));
    return;
  }
  await payments.change('card', source.cardId, (item) => ({
    status: 'refused' as const,
    failure: { code, platform: platformReason(error) },
    timeline: appended(item.timeline, refused),
  }));
}
