/** The representation of a stored card, or of the request to store one. */
import { cardEndsAt } from '../../payments/card-expiry.ts';
import type { Card } from '../../payments/items/card.ts';
import type { card as cardSchema } from '../schemas/card.ts';
import type { Shown } from '../schemas/fields.ts';
import { failureRepresentation } from './failure.ts';

export function cardRepresentation(card: Card, now: number): Shown<typeof cardSchema> {
  const { cardId, merchantId, transactionId, customerReference, consent, failure } = card;
  const { expirationMonth, expirationYear, maskedNumber } = card;
  return {
    cardId,
    status: cardStatus(card, now),
    final: card.status !== 'pending',
    merchantId,
    transactionId,
    expirationMonth,
    expirationYear,
    maskedNumber,
    customerReference,
    consent,
    failure: failureRepresentation(failure),
    createdAt: card.timeline[0]?.at ?? card.createdAt, // the same time as in the first answer
    updatedAt: card.updatedAt,
  };
}

/** The stored status, or `expired` after the card's month. The expiry itself is not stored. */
export function cardStatus(card: Card, now: number): Card['status'] | 'expired' {
  const { status, expirationYear, expirationMonth } = card;
  const expires = status === 'active' && expirationYear !== undefined && expirationMonth !== undefined;
  return expires && cardEndsAt(expirationYear, expirationMonth) <= now ? 'expired' : status;
}
