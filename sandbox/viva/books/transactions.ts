/** The platform's transactions, paid or failed, as it stores them. `transaction-views.ts` says how it shows them. */
import { athensDay } from '../athens.ts';
import type { Card } from './cards.ts';

/** F finished, C captured (the pre-authorization), E failed, R refunded, X voided. */
export type StatusId = 'F' | 'C' | 'E' | 'R' | 'X';

export const TRANSACTION_TYPE = {
  capture: 0,
  preauth: 1,
  refund: 4,
  charge: 5,
  chargeWithInstallments: 6,
  void: 7,
  bankTransfer: 15,
} as const;

/** Time from a payment until its commission is calculated and the account moves. */
export const BOOKS_MS = 300;

export interface Transaction {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly typeId: number;
  readonly parentId: string | null;
  statusId: StatusId;
  readonly atMs: number;
  readonly amount: number;
  readonly isvAmount: number;
  readonly tipAmount: number;
  /** The platform's share. It is calculated a moment after the payment, and then shown. */
  readonly commission: number;
  readonly currencyCode: string;
  readonly orderCode: string;
  readonly sourceCode: string;
  readonly terminalId: string | null;
  readonly sessionId: string | null;
  readonly merchantTrns: string;
  readonly customerTrns: string;
  readonly customer: { readonly email?: string; readonly phone?: string; readonly fullname?: string };
  readonly installments: number;
  readonly allowsRecurring: boolean;
  readonly card: Card | null;
  readonly authorizationId: string | null;
  readonly retrievalReferenceNumber: string;
  readonly referenceNumber: number;
  /** The issuer's reason if it failed, else 0. */
  readonly eventId: number;
  /** Of a pre-authorization. */
  capturedAmount: number;
  /** What was given back, by void, refund or reversal. */
  returnedAmount: number;
}

export class Transactions {
  readonly #byId = new Map<string, Transaction>();

  add(transaction: Transaction): void {
    this.#byId.set(transaction.transactionId, transaction);
  }

  find(merchantId: string, transactionId: string): Transaction | undefined {
    const transaction = this.#byId.get(transactionId.toLowerCase());
    return transaction?.merchantId === merchantId ? transaction : undefined;
  }

  ownerOf(transactionId: string): string | undefined {
    return this.#byId.get(transactionId.toLowerCase())?.merchantId;
  }

  /** The matching transactions of one merchant, oldest first. Days are days in Athens. */
  list(merchantId: string, fits: (transaction: Transaction) => boolean): Transaction[] {
    return [...this.#byId.values()].filter((one) => one.merchantId === merchantId && fits(one));
  }
}

export function isOfDay(transaction: Transaction, day: string): boolean {
  return athensDay(transaction.atMs) === day;
}
