/**
 * The items of the `payments` table: what tillflow knows of a sale, a charge, a card, an account and a terminal.
 *
 * Times are ISO 8601 strings in UTC, amounts integer minor units, order codes and ids strings. No token stands here: the
 * values live in the `tokens` table, under the ids found here. New attributes are added as optional ones, and writers
 * keep what they do not know, so that two versions of the code can work on one item during a deployment.
 */
import type { Failure } from './failures.ts';
import type { ChargeStatus, SaleStatus } from './lifecycle.ts';

/** One entry of a timeline: every call, decision and wait. `detail` holds numbers, codes and ids only. */
export interface TimelineEntry {
  readonly at: string;
  readonly event: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** What every item has; the store writes all of it but `createdAt`. */
export interface StoredItem {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** 1 for a new item, one more with every write. */
  readonly revision: number;
}

/** The request that made an item: a repeat with the same key and body gets `answer` again, byte for byte. */
export interface Origin {
  readonly requestHash: string;
  readonly answer: string;
}

export interface Sale extends StoredItem {
  readonly saleId: string;
  readonly merchantId: string;
  readonly terminalId: string;
  readonly cashRegisterId: string;
  readonly amount: number;
  readonly currency: string;
  readonly merchantTrns?: string;
  readonly customerTrns?: string;
  readonly tipAmount: number;
  readonly isvAmount: number;
  readonly maxInstallments: number;
  readonly sourceCode?: string;
  /** The platform's `aade…` fields, passed through as they came. */
  readonly fiscal?: Readonly<Record<string, unknown>>;
  readonly tokenize: boolean;
  readonly customerReference?: string;
  readonly consent?: Consent;
  readonly chargeId?: string;

  readonly status: SaleStatus;
  readonly statusBeforeReview?: SaleStatus;
  readonly failure?: Failure;
  /** The sale is not sent to the terminal after this: the payer may have left. */
  readonly sendBefore: string;
  /** Set before the first request leaves for the terminal; from here on the sale may be on its screen. */
  readonly requestedAt?: string;
  /** When the terminal is asked to stop if it has no outcome. */
  readonly deadlineAt?: string;
  readonly abortRequestedAt?: string;
  readonly abortSentAt?: string;
  readonly transactionId?: string;
  readonly receipt?: Receipt;
  readonly tokenization: Tokenization;
  readonly card?: CardOnSale;
  /** Of the AwaitTerminal attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  readonly origin: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export interface Consent {
  readonly at: string;
  readonly reference: string;
}

/** For the receipt the till prints. */
export interface Receipt {
  readonly authorizationId?: string;
  readonly retrievalReferenceNumber?: string;
  readonly applicationLabel?: string;
  readonly aid?: string;
  readonly verificationMethod?: string;
}

export interface Tokenization {
  readonly status: 'none' | 'pending' | 'stored' | 'refused';
  readonly code?: Failure['code'];
}

export interface CardOnSale {
  readonly cardId: string;
  readonly expirationMonth: number;
  readonly expirationYear: number;
  readonly maskedNumber?: string;
}

/**
 * A stored card, or the request to store one (`POST /cards`): such a request becomes an alias of the card it led to,
 * because one card of one merchant has one id however often it is stored.
 */
export interface Card extends StoredItem {
  readonly cardId: string;
  readonly merchantId: string;
  readonly status: 'pending' | 'active' | 'refused' | 'deleted';
  readonly aliasOf?: string;
  readonly transactionId: string;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly customerReference?: string;
  readonly consent?: Consent;
  readonly failure?: Failure;
  /** Only of a request: what the retrieved transaction said about its card. */
  readonly card?: CardOnSale;
  readonly executionArn?: string;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export interface Customer {
  readonly email?: string;
  readonly phone?: string;
  readonly fullname?: string;
  readonly requestLang?: string;
  readonly countryCode?: string;
}

export interface Charge extends StoredItem {
  readonly chargeId: string;
  readonly merchantId: string;
  /** Of an additional charge: the sale it belongs to. */
  readonly saleId?: string;
  /** Known from the start for a charge of a stored card, else once the sale's card is stored. */
  readonly cardId?: string;
  readonly amount: number;
  readonly currency: string;
  readonly preauth: boolean;
  readonly capture?: 'manual' | 'immediate';
  readonly captureAmount?: number;
  readonly captureIsvAmount?: number;
  readonly moto: boolean;
  readonly holderName?: string;
  readonly installments: number;
  readonly allowsRecurring: boolean;
  readonly isvAmount: number;
  readonly merchantTrns?: string;
  readonly customerTrns?: string;
  readonly customer?: Customer;
  readonly saleToAcquirerData?: Readonly<Record<string, unknown>>;

  readonly status: ChargeStatus;
  readonly statusBeforeReview?: ChargeStatus;
  readonly failure?: Failure;
  /** The fence: the only charge token that may ever be sent for this charge, by reference. */
  readonly ctokRef?: string;
  /** When that charge token was made; it dies 10 minutes later. */
  readonly bornAt?: string;
  /** No charge token may be persisted any more: what has none was never charged. */
  readonly sealed?: boolean;
  /** Set by the one attempt that may send the charge token; taken back only with proof that nothing was sent. */
  readonly sentAt?: string;
  readonly transactionId?: string;
  readonly authorizedAmount: number;
  readonly capturedAmount: number;
  /** The hold is given back after this. */
  readonly captureBefore?: string;
  readonly captures: readonly Capture[];
  readonly refunds: readonly Refund[];
  /** Set by the one attempt that may give the hold back; from here on nothing is captured. */
  readonly voidSentAt?: string;
  /** Of the AwaitAuthentication or AwaitCapture attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export interface Capture {
  readonly captureId: string;
  readonly amount: number;
  readonly isvAmount: number;
  readonly status: 'pending' | 'done' | 'refused' | 'unknown';
  readonly requestedAt: string;
  /** Set by the one attempt that may send it; taken back only with proof that nothing was sent. */
  readonly sentAt?: string;
  readonly transactionId?: string;
  readonly failure?: Failure;
  readonly origin?: Origin;
}

export interface Refund {
  readonly refundId: string;
  readonly amount: number;
  readonly status: 'pending' | 'done' | 'refused' | 'unknown';
}

/** Settings of a merchant's account that are no secret (design section 6). */
export interface Account extends StoredItem {
  readonly merchantId: string;
  readonly mode: 'merchant' | 'isv';
  /** ISO 3166 alpha-2. */
  readonly country: string;
  /** ISO 4217 letters: the only currency the account trades in. */
  readonly currency: string;
  readonly industry?: string;
  readonly terminalApi: 'merchant' | 'isv';
  readonly isvCapture: 'reseller' | 'bearer';
  readonly terminals: readonly string[];
  readonly returnUrls: readonly string[];
  readonly callbackUrl?: string;
  readonly captureDays: number;
  readonly sendSessionRedirectUrl: boolean;
}

/** Who may use a terminal now. A lease whose sale ended, or never came to be, may be taken over. */
export interface TerminalLease extends StoredItem {
  readonly terminalId: string;
  readonly merchantId: string;
  /** The sale that holds the terminal. */
  readonly saleId: string;
  readonly leasedAt: string;
  readonly leasedUntil: string;
}

export interface Items {
  readonly sale: Sale;
  readonly charge: Charge;
  readonly card: Card;
  readonly account: Account;
  readonly terminal: TerminalLease;
}

export type Kind = keyof Items;
