/**
 * Reads the transaction of a payment; only this makes a sale `paid`. Amount, currency and merchant must be ours; a
 * mismatch stops the execution for review.
 *
 * It also stores what a later charge needs of the card: its expiry month in the item, and the holder's name with the
 * card token in the tokens table. Safe to run twice: it reads, and writes the same again.
 */

import * as z from 'zod/mini';
import { RejectedError, TransientError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { cardEndsAt } from '../../../shared/payments/card-expiry.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import type { FailureCode } from '../../../shared/payments/failures.ts';
import type { Card, CardOnSale } from '../../../shared/payments/items/card.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import { saleMoney, salePaid, terminalEnded } from '../../../shared/payments/lifecycle.ts';
import { cardIdOf } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { DAY_MS } from '../../../shared/payments/time.ts';
import { appended, callEntry, entry } from '../../../shared/payments/timeline.ts';
import { saleTransition } from '../../../shared/payments/transitions.ts';
import { givenBack } from '../../../shared/reconciliation/records/given-back.ts';
import { isTaken, type Proof, provePayment } from '../../../shared/reconciliation/records/proof.ts';
import { withChildren } from '../../../shared/reconciliation/records/search.ts';
import { expectedPayment, judged } from '../../../shared/reconciliation/sale/judgement.ts';
import { changeToken, type Tokens } from '../../../shared/tokens/store.ts';
import type { Call, TransactionRecord, VivaFor } from '../../../shared/viva/viva.ts';

const input = z.union([z.strictObject({ saleId: z.uuid() }), z.strictObject({ cardId: z.string() })]);
const output = z.strictObject({ tokenize: z.boolean() });

/** Transaction types whose card can be stored: card charge, with instalments, pre-authorization and its capture. */
const CARD_TYPES: readonly (number | undefined)[] = [0, 1, 5, 6];
/** Longer than any execution needs to store the card. */
const UNSTORED_TTL_MS = DAY_MS;

export interface RetrieveTransactionDeps {
  readonly payments: Payments;
  readonly tokens: Tokens;
  readonly vivaFor: VivaFor;
  readonly stackId: string;
  readonly now: () => number;
}

export const retrieveTransaction: Step<typeof input, typeof output, RetrieveTransactionDeps> = {
  name: 'retrieve-transaction',
  input,
  output,
  run: async (subject, deps, { remainingMs }) =>
    'saleId' in subject
      ? confirmSale(await existing(deps.payments, 'sale', subject.saleId), deps, remainingMs)
      : readCard(await existing(deps.payments, 'card', subject.cardId), deps, remainingMs),
};

async function confirmSale(sale: Sale, deps: RetrieveTransactionDeps, remainingMs: () => number) {
  const { payments, vivaFor, now } = deps;
  const isPaid = salePaid(sale.status);
  if (isPaid && sale.tokenization.status === 'refused') {
    throw new RejectedError(sale.tokenization.code ?? 'CARD_NOT_TOKENIZABLE', 'the card of this payment is not stored');
  }
  // A sale that was found paid after its end has no card yet.
  if (isPaid && (sale.tokenization.status !== 'pending' || sale.card !== undefined)) {
    return { tokenize: sale.tokenization.status !== 'none' };
  }
  if ((terminalEnded(sale.status) && !isPaid) || sale.transactionId === undefined) {
    throw new RejectedError(sale.failure?.code ?? 'SALE_ENDED', `the sale ended ${sale.status}`);
  }
  const viva = vivaFor(await accountOf(payments, sale), remainingMs);
  const { record, call } = await viva.readTransaction(sale.transactionId);
  const proof = provePayment(expectedPayment(sale, sale.transactionId), await withChildren(record, viva));
  if (proof.of !== 'payment') {
    throw await recordUnproven(sale, proof, deps);
  }
  const back = givenBack(sale, proof, sale.amount, now());
  if (back.of !== 'part') {
    throw await recordRefund(sale, proof, deps);
  }
  const card = sale.tokenize ? await keepCard(sale, record, deps) : undefined;
  const tokenization = tokenizationOf(sale, card);
  const confirmed = callEntry(now(), 'transaction.confirmed', call);
  await payments.change('sale', sale.saleId, (item) =>
    salePaid(item.status)
      ? item.tokenization.status === 'pending'
        ? { card, tokenization, timeline: appended(item.timeline, confirmed) }
        : undefined
      : saleTransition(
          item,
          'paid',
          { card, tokenization, refundedAmount: back.amount, reading: back.reading },
          confirmed,
        ),
  );
  if (tokenization.status === 'refused') {
    throw new RejectedError(tokenization.code, 'the card of this payment cannot be stored');
  }
  return { tokenize: sale.tokenize };
}

/** A payment that does not match goes to review; an unfinished one may still finish. */
async function recordUnproven(sale: Sale, proof: Exclude<Proof, { of: 'payment' }>, deps: RetrieveTransactionDeps) {
  if (proof.of !== 'mismatch') {
    const statusId = proof.of === 'nothing' ? 'nothing' : proof.record.statusId;
    return new TransientError('TRANSACTION_NOT_FINISHED', `the transaction has status ${statusId}`);
  }
  await deps.payments.change('sale', sale.saleId, (item) => judged(item, { proof }, deps.now()));
  return new RejectedError(proof.code, 'the transaction does not match the sale');
}

/** Or perhaps not: then it is read again, here and by the reconciler. */
async function recordRefund(sale: Sale, proof: Proof, { payments, now }: RetrieveTransactionDeps) {
  const { status } = await payments.change('sale', sale.saleId, (item) => judged(item, { proof }, now()));
  return saleMoney(status) === 'given_back'
    ? new RejectedError('SALE_REVERSED', 'the payment was refunded')
    : new TransientError('REFUND_UNCONFIRMED', 'the payment may have been refunded');
}

function tokenizationOf({ tokenize }: Sale, card: CardOnSale | undefined) {
  if (!tokenize) {
    return { status: 'none' } as const;
  }
  return card === undefined
    ? ({ status: 'refused', code: 'CARD_NOT_TOKENIZABLE' } as const)
    : ({ status: 'pending' } as const);
}

async function readCard(request: Card, deps: RetrieveTransactionDeps, remainingMs: () => number) {
  const { payments, vivaFor } = deps;
  if (request.status !== 'pending' || request.card !== undefined) {
    return { tokenize: true };
  }
  const viva = vivaFor(await accountOf(payments, request), remainingMs);
  const { record, call } = await viva.readTransaction(request.transactionId);
  if (record.merchantId?.toLowerCase() !== request.merchantId) {
    throw await refuse(request, 'TRANSACTION_NOT_FOUND', call, deps);
  }
  if (record.statusId === 'A') {
    throw new TransientError('TRANSACTION_NOT_FINISHED', 'the transaction has not finished yet');
  }
  if (!isTaken(record) || record.statusId === 'X') {
    throw await refuse(request, 'TRANSACTION_NOT_PAID', call, deps);
  }
  const card = CARD_TYPES.includes(record.transactionTypeId) ? await keepCard(request, record, deps) : undefined;
  if (card === undefined) {
    throw await refuse(request, 'CARD_NOT_TOKENIZABLE', call, deps);
  }
  await payments.change('card', request.cardId, (item) => ({
    card,
    timeline: appended(item.timeline, callEntry(deps.now(), 'transaction.confirmed', call)),
  }));
  return { tokenize: true };
}

async function refuse(request: Card, code: FailureCode, call: Call, { payments, now }: RetrieveTransactionDeps) {
  await payments.change('card', request.cardId, (item) =>
    item.status === 'pending'
      ? {
          status: 'refused' as const,
          failure: { code },
          timeline: appended(
            item.timeline,
            callEntry(now(), 'card.refused', call),
            entry(now(), 'card.ended', { code }),
          ),
        }
      : undefined,
  );
  return new RejectedError(code, 'the card of this transaction cannot be stored');
}

/** Undefined when the card cannot be stored: a phone wallet, or a card without an expiry or past it. */
async function keepCard(
  { merchantId }: { readonly merchantId: string },
  record: TransactionRecord,
  { tokens, stackId, now }: RetrieveTransactionDeps,
): Promise<CardOnSale | undefined> {
  const { expirationMonth, expirationYear } = record;
  if (record.digitalWalletId !== undefined || expirationMonth === undefined || expirationYear === undefined) {
    return undefined;
  }
  const endsAt = cardEndsAt(expirationYear, expirationMonth);
  if (endsAt <= now()) {
    return undefined;
  }
  const cardId = cardIdOf(stackId, merchantId, record.cardUniqueReference ?? record.transactionId);
  await changeToken(tokens, 'ct', cardId, async (kept) => {
    const renewed = kept?.expirationMonth !== expirationMonth || kept.expirationYear !== expirationYear;
    const holderName = record.holderName ?? kept?.holderName;
    const token = renewed ? undefined : kept.token;
    return {
      value: { expirationMonth, expirationYear, ...(holderName && { holderName }), ...(token && { token }) },
      // The holder's name is not kept when no card is stored.
      expiresAt: Math.floor((token === undefined ? now() + UNSTORED_TTL_MS : endsAt) / 1000),
    };
  });
  return {
    cardId,
    expirationMonth,
    expirationYear,
    ...(record.maskedNumber && { maskedNumber: record.maskedNumber.slice(-4).padStart(5, '…') }),
  };
}
