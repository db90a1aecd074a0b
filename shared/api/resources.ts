/**
 * Reads the items that the API shows. A missing item, an item of another merchant and a stored refusal all give the same
 * NOT_FOUND, so a caller cannot learn which ids exist.
 */

import type { Account } from '../payments/items/account.ts';
import type { Card } from '../payments/items/card.ts';
import type { Sale } from '../payments/items/sale.ts';
import type { Items } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';
import { etagOf } from './etag.ts';
import { isRefusal } from './idempotency.ts';
import { Problem } from './problem.ts';
import { cardStatus } from './representation/card.ts';
import type { SaleView } from './representation/sale.ts';
import { type Caller, isId } from './request.ts';

export function notFound(): Problem {
  return new Problem('NOT_FOUND', 'The resource does not exist, or the access token does not allow access to it.');
}

export async function findAccount(payments: Payments, caller: Caller, merchantId: string): Promise<Account> {
  const account = caller.mayActFor(merchantId) ? await payments.get('account', merchantId) : undefined;
  if (account === undefined) {
    throw notFound();
  }
  return account;
}

export async function findItem<K extends 'sale' | 'charge' | 'card' | 'rf-order'>(
  payments: Payments,
  caller: Caller,
  kind: K,
  id: string | undefined,
): Promise<Items[K]> {
  const item = isId(id) ? await payments.get(kind, id) : undefined;
  if (item === undefined || isRefusal(item) || !caller.mayActFor(item.merchantId)) {
    throw notFound();
  }
  return item;
}

/** Throws NOT_FOUND for a deleted card. */
export async function findCard(payments: Payments, caller: Caller, cardId: string | undefined): Promise<Card> {
  const card = await followAlias(payments, caller, await findItem(payments, caller, 'card', cardId));
  if (card.status === 'deleted') {
    throw notFound();
  }
  return card;
}

/** Follows a successful request to store a card to the card, which has its own id. */
export async function followAlias(payments: Payments, caller: Caller, card: Card): Promise<Card> {
  return card.aliasOf === undefined ? card : findItem(payments, caller, 'card', card.aliasOf);
}

export async function viewOf(payments: Payments, sale: Sale): Promise<SaleView> {
  const stored = sale.tokenization.status === 'stored' ? sale.card?.cardId : undefined;
  const [charge, card] = await Promise.all([
    sale.chargeId === undefined ? undefined : payments.get('charge', sale.chargeId),
    stored === undefined ? undefined : payments.get('card', stored),
  ]);
  return { sale, charge, card };
}

export function saleEtag({ sale, charge, card }: SaleView, now: number): string {
  return etagOf(sale.revision, charge?.revision, card && cardEtagPart(card, now));
}

export function cardEtag(card: Card, now: number): string {
  return etagOf(cardEtagPart(card, now));
}

/** An expiry changes the representation without a write. */
function cardEtagPart(card: Card, now: number): string {
  return `${card.revision}${cardStatus(card, now) === 'expired' ? 'x' : ''}`;
}
