/** The representation of a sale, with its additional charge, its card, the totals and the timeline. */
import { failureOf } from '../../payments/failures.ts';
import type { Card, CardOnSale } from '../../payments/items/card.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { Sale, Tokenization } from '../../payments/items/sale.ts';
import { chargeMoney, saleMoney, salePaid, terminalEnded, wasTaken } from '../../payments/lifecycle.ts';
import { terminalHeldUntil } from '../../payments/terminal-lease.ts';
import type { Shown } from '../schemas/fields.ts';
import type * as schemas from '../schemas/sale.ts';
import { cardStatus } from './card.ts';
import { additionalCharge } from './charge.ts';
import { failureRepresentation } from './failure.ts';

/** A sale with its charge and its card. */
export interface SaleView {
  readonly sale: Sale;
  readonly charge?: Charge | undefined;
  /** Present if the card of the sale was stored. */
  readonly card?: Card | undefined;
}

export function saleRepresentation(view: SaleView, now: number): Shown<typeof schemas.sale> {
  const { sale, charge, card } = view;
  const { saleId, status, merchantId, terminalId, cashRegisterId, amount, currency, merchantTrns, transactionId } =
    sale;
  return {
    saleId,
    status,
    final: saleFinal(view),
    merchantId,
    terminalId,
    cashRegisterId,
    amount,
    currency,
    merchantTrns,
    transactionId,
    abortRequestedAt: sale.abortRequestedAt,
    terminalHeldUntil: terminalHeldUntil(sale),
    refundedAmount: sale.refundedAmount ?? 0,
    refunds: [],
    totals: totals(sale, charge),
    receipt: sale.receipt,
    tokenization: tokenization(sale),
    card: card && sale.card && cardOnSale(sale, sale.card, cardStatus(card, now)),
    additionalCharge: charge && additionalCharge(charge),
    failure: failureRepresentation(failureOf(sale, 'SALE_PAID_LATE')),
    laterSales: sale.foundLate?.laterSales,
    createdAt: askedAt(sale),
    updatedAt: [sale, charge].reduce((latest, item) => (item && item.updatedAt > latest ? item.updatedAt : latest), ''),
    timeline: [...sale.timeline, ...(charge?.timeline ?? [])].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
  };
}

/** Whether nothing more happens by itself: at the terminal, with the card, or with the additional charge. */
function saleFinal({ sale, charge }: SaleView): boolean {
  const cardDecided = !salePaid(sale.status) || sale.tokenization.status !== 'pending';
  const chargeDecided = charge === undefined ? sale.chargeId === undefined : additionalCharge(charge).final;
  return terminalEnded(sale.status) && sale.reconciledUntil === undefined && cardDecided && chargeDecided;
}

/** The amounts that the payer paid and that are held. A sale or charge in review counts with its status before the review. */
function totals(sale: Sale, charge: Charge | undefined): Shown<typeof schemas.totals> {
  const terminal = wasTaken(saleMoney(beforeReview(sale))) ? sale.amount : 0;
  const money = charge && chargeMoney(beforeReview(charge));
  const charged = charge && money && wasTaken(money) ? charge.capturedAmount || charge.amount : 0;
  const authorized = money === 'held' ? (charge?.authorizedAmount ?? 0) : 0;
  const refunded = (sale.refundedAmount ?? 0) + (charge?.refundedAmount ?? 0);
  return { terminal, charged, authorized, refunded, net: terminal + charged - refunded };
}

function beforeReview<S extends string>(item: { readonly status: S; readonly statusBeforeReview?: S }): S {
  return item.status === 'needs_review' ? (item.statusBeforeReview ?? item.status) : item.status;
}

function cardOnSale(
  { customerReference }: Sale,
  { cardId, expirationMonth, expirationYear, maskedNumber }: CardOnSale,
  status: ReturnType<typeof cardStatus>,
): Shown<typeof schemas.saleCard> {
  return { cardId, status, expirationMonth, expirationYear, maskedNumber, customerReference };
}

/** A sale that ended unpaid stores no card: `pending` is shown as `none`. */
function tokenization({ status, tokenization }: Sale): Tokenization {
  const givenUp = tokenization.status === 'pending' && terminalEnded(status) && !salePaid(status);
  return givenUp ? { status: 'none' } : tokenization;
}

/** The same time as in the first answer. The store's own time is a moment later. */
function askedAt(sale: Sale): string {
  return sale.timeline[0]?.at ?? sale.createdAt;
}
