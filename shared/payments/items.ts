/**
 * The items of the `payments` table: what tillflow knows of a sale, a charge, a card, an account and a terminal.
 *
 * Times are ISO 8601 strings in UTC, amounts integer minor units, order codes and ids strings. No token stands here: the
 * values live in the `tokens` table, under the ids found here. New attributes are added as optional ones, and writers
 * keep what they do not know, so that two versions of the code can work on one item during a deployment.
 */
import type { CardBody } from '../api/schemas/card.ts';
import type { ChargeFields } from '../api/schemas/charge.ts';
import type { RfOrderBody } from '../api/schemas/rf-order.ts';
import type { SaleBody } from '../api/schemas/sale.ts';
import type { Failure, PlatformReason } from './failures.ts';
import type { ChargeStatus, RfOrderStatus, SaleStatus } from './lifecycle.ts';

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
  /** 1 for a new item, one more with every write that changes what is shown. */
  readonly revision: number;
}

/** What one reading of the platform said that would end an item; a second one has to agree (see reconciliation/records/second-reading.ts). */
export interface Reading {
  /** In a word: `refused`, `absent`, `amount 1600`. */
  readonly seen: string;
  readonly at: string;
}

/** What the platform may still tell about a payment. */
export interface Reconcilable {
  readonly reading?: Reading;
  /** Of a review: until then the platform is read about it, and it may end without a person. */
  readonly reconciledUntil?: string;
  /** Found made after it was told as over: nothing more is charged for it, and a person is told. */
  readonly foundLate?: FoundLate;
}

export interface FoundLate {
  readonly at: string;
  /** Later sales of the same terminal and amount: the storefront may have sold again. */
  readonly laterSales: readonly string[];
}

/** What may need another look by itself, and what others are told about it. */
export interface Scheduled {
  /** When the reconciler looks at the item next; absent when nothing can hang. Sorted as text, so always in full ISO form. */
  readonly dueAt?: string;
  /** Changes not published yet, in order; appended by the write that makes the change. */
  readonly outbox?: readonly OutboxEvent[];
}

/** A change that others are told of: stable id, because it may be published more than once. */
export interface OutboxEvent {
  readonly eventId: string;
  /** `tillflow.{sale|charge|rf-order}.<status>.v1` */
  readonly type: string;
  readonly at: string;
  readonly status: string;
}

/** The request that made an item: a repeat with the same key and body gets `answer` again, byte for byte. */
export interface Origin {
  readonly requestHash: string;
  readonly answer: string;
}

/** What was asked for, as it is kept. */
export type SaleAsked = Readonly<Omit<SaleBody, 'additionalCharge'>>;

export interface Sale extends StoredItem, Scheduled, Reconcilable, SaleAsked {
  readonly saleId: string;
  readonly chargeId?: string;

  readonly status: SaleStatus;
  readonly statusBeforeReview?: SaleStatus;
  readonly failure?: Failure;
  /** The sale is not sent to the terminal after this: the payer may have left. */
  readonly sendBefore: string;
  /**
   * Set by the one attempt that may send the request, before it leaves; taken back only with proof that nothing was
   * started. While it stands the sale may be on the terminal's screen, and nothing is sent.
   */
  readonly requestedAt?: string;
  /** How many attempts have claimed to send, the last of which `requestedAt` belongs to. */
  readonly sendAttempts?: number;
  /** When the platform first showed the session: from here on a 404 is not believed. */
  readonly sessionSeenAt?: string;
  /** When the terminal is asked to stop if it has no outcome. */
  readonly deadlineAt?: string;
  readonly abortRequestedAt?: string;
  /** When the terminal was first asked to stop, and when last. */
  readonly abortSentAt?: string;
  readonly abortTriedAt?: string;
  /** When the platform said that the terminal stops, or that the session is over. */
  readonly terminalStoppedAt?: string;
  readonly transactionId?: string;
  /** Given back so far, by whomever; 0 where absent. */
  readonly refundedAmount?: number;
  readonly receipt?: Receipt;
  readonly tokenization: Tokenization;
  readonly card?: CardOnSale;
  /** Of the AwaitTerminal attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  /** How often a dead execution was replaced; part of the name of the next one. */
  readonly restarts?: number;
  readonly origin: Origin;
  readonly timeline: readonly TimelineEntry[];
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
export interface Card extends StoredItem, Pick<Scheduled, 'dueAt'>, Readonly<CardBody> {
  readonly cardId: string;
  readonly status: 'pending' | 'active' | 'refused' | 'deleted';
  readonly aliasOf?: string;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly failure?: Failure;
  /** Only of a request: what the retrieved transaction said about its card. */
  readonly card?: CardOnSale;
  readonly executionArn?: string;
  /** How often a dead execution was replaced; part of the name of the next one. */
  readonly restarts?: number;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export type Customer = Readonly<NonNullable<ChargeFields['customer']>>;

/** What was asked for, as it is kept. */
export type ChargeAsked = Readonly<ChargeFields>;

export interface Charge extends StoredItem, Scheduled, Reconcilable, ChargeAsked {
  readonly chargeId: string;
  readonly merchantId: string;
  /** Of an additional charge: the sale it belongs to. */
  readonly saleId?: string;
  /** Known from the start for a charge of a stored card, else once the sale's card is stored. */
  readonly cardId?: string;
  readonly currency: string;

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
  /** Given back so far of what was taken, by whomever; 0 where absent. */
  readonly refundedAmount?: number;
  /** The hold is given back after this. */
  readonly captureBefore?: string;
  readonly captures: readonly Capture[];
  readonly refunds: readonly Refund[];
  /** Set by the one attempt that may give the hold back; taken back only with proof that it was not. Nothing is captured meanwhile. */
  readonly voidSentAt?: string;
  /** As `saidNo` of a capture. */
  readonly voidSaidNo?: PlatformReason;
  /** Of the AwaitAuthentication or AwaitCapture attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  /** How often a dead execution was replaced; part of the name of the next one. */
  readonly restarts?: number;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export interface Capture {
  readonly captureId: string;
  readonly amount: number;
  readonly isvAmount: number;
  readonly status: 'pending' | 'done' | 'refused' | 'unknown';
  readonly requestedAt: string;
  /** Set by the one attempt that may send it; taken back only with proof that it was not made. */
  readonly sentAt?: string;
  /** The platform said no, in words that an earlier arrival would explain as well: a refusal once it is proven not made. */
  readonly saidNo?: PlatformReason;
  readonly transactionId?: string;
  readonly failure?: Failure;
  readonly origin?: Origin;
}

export interface Refund {
  readonly refundId: string;
  readonly amount: number;
  readonly status: 'pending' | 'done' | 'refused' | 'unknown';
}

/** Settings of a merchant's account that are no secret (docs/operations.md, "Add an account"). */
export interface Account extends StoredItem, Pick<Scheduled, 'dueAt'> {
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
  /** The last day whose list was read for what no message told (see reconciliation/daily-lists.ts). */
  readonly daysReadUntil?: string;
  /** How far ahead movements of the account have spent their looks at the platform (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
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

/** What was asked for, as it is kept. */
export type RfOrderAsked = Readonly<RfOrderBody>;

/** An order to be paid by bank transfer, and its RF Payment Code. */
export interface RfOrder extends StoredItem, Scheduled, Pick<Reconcilable, 'reconciledUntil'>, RfOrderAsked {
  readonly rfOrderId: string;

  readonly status: RfOrderStatus;
  readonly statusBeforeReview?: RfOrderStatus;
  readonly failure?: Failure;
  /** Who creates the order now, and until when others keep away. */
  readonly workingUntil?: string;
  /** The only order of this item whose code may ever be shown; 16 digits. */
  readonly orderCode?: string;
  /** Shown only after its check digits were verified. */
  readonly rfCode?: string;
  readonly expiresAt?: string;
  readonly cancelRequestedAt?: string;
  /** When it came to its end, as far as that is known; the platform is read on for a while. */
  readonly endedAt?: string;
  /** What was not given back. */
  readonly amountPaid: number;
  readonly payments: readonly RfPayment[];
  /** What the platform keeps of all payments, minor units, as its records say. */
  readonly commission?: number;
  readonly late: boolean;
  readonly overpaid: boolean;
  /** What readings said that is not in the books, by what it is about (see reconciliation/rf-order/books.ts). */
  readonly readings?: RfReadings;
  /** The platform's other orders of our reference, proven by their transactions (see reconciliation/rf-order/other-orders.ts). */
  readonly otherCodes?: readonly string[];
  readonly origin: RfOrderOrigin;
  readonly timeline: readonly TimelineEntry[];
}

/** As `Origin`, but the first answer is not known before the platform answered, or took too long to. */
export interface RfOrderOrigin {
  readonly requestHash: string;
  readonly answer?: string;
  readonly answeredWith?: number;
  /** Of the item as it was answered; none where the answer was a problem. */
  readonly etag?: string;
}

export interface RfPayment {
  readonly transactionId: string;
  readonly amount: number;
  readonly at: string;
  /** What gave it back, whole or in part. */
  readonly returns?: readonly RfReturn[];
  /** Their sum. */
  readonly returned?: number;
  /** Nothing of it is left. */
  readonly reversed?: boolean;
  /** The platform's order that took it, where that is not the order's own: the platform had made two. */
  readonly orderCode?: string;
  /** What the platform keeps of it, minor units, once its record says so. */
  readonly commission?: number;
}

export interface RfReturn {
  readonly transactionId: string;
  readonly amount: number;
}

export type RfReadings = Readonly<Record<string, RfReading>>;

export interface RfReading extends Reading {
  /** The first reading that did not say what the books say. */
  readonly since: string;
  /** What no further reading explained: a person is told, and it may still be explained. */
  readonly doubt?: Failure['code'];
}

/** Whose an order code is: what the platform names its order by leads to our RF order. */
export interface OrderPointer extends StoredItem {
  readonly merchantId: string;
  readonly rfOrderId: string;
}

/**
 * What the platform told us about one subject, deduplicated: the queue of the webhooks. Ids only, no payload: it is a
 * hint, and everything is read from the platform anyway.
 */
export interface Inbox extends StoredItem, Scheduled {
  /** Our own id, an order code, a transaction id, or the message's own id where it names nothing. */
  readonly subject: string;
  /** Of the first message: the merchant id or `isv` of the path it came by. */
  readonly merchantId: string;
  /** The latest ones. */
  readonly messages: readonly Message[];
  /** Who acts on the messages now keeps others away until then. */
  readonly actingUntil?: string;
  /** How far ahead its messages have spent their looks at the platform (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
}

export interface Message {
  readonly messageId: string;
  /** The merchant id or `isv` of the path it came by. */
  readonly recipient: string;
  readonly eventTypeId: number;
  readonly receivedAt: string;
  /** When an operator last made it wait again. */
  readonly replayedAt?: string;
  readonly sourceIp: string;
  readonly transactionId?: string;
  readonly orderCode?: string;
  readonly sessionId?: string;
  /** As the message says; of one that came by the ISV's path, the only word about whose it is. */
  readonly merchantId?: string;
  /** ISO 4217 letters. */
  readonly currency?: string;
  readonly state: 'new' | 'parked' | 'acted' | 'ignored' | 'needs_review';
  /** Looks that were begun because of it. */
  readonly attempts: number;
  /** What it led to, in a word or two. */
  readonly outcome?: string;
}

/** One event on its way to an account's callback address. */
export interface Delivery extends StoredItem, Scheduled {
  readonly merchantId: string;
  readonly event: OutboxEvent;
  /** Kind and id of the item the event is about. */
  readonly about: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly lastStatus?: string;
}

/** A payment at the platform that a person has to look at although nothing of ours is open. */
export interface Finding extends StoredItem {
  readonly merchantId: string;
  readonly transactionId: string;
  /** Of ours, at the end of its reference. */
  readonly id: string;
  /**
   * `UNKNOWN_PAYMENT`: no item of ours explains it. `PAID_TWICE`: beside another payment of the same sale. `FOUND_LATE`:
   * it went through after the storefront was told that it had not.
   */
  readonly reason: 'UNKNOWN_PAYMENT' | 'PAID_TWICE' | 'FOUND_LATE';
  readonly state: 'open' | 'done';
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly bookedAt?: string;
  /** With `FOUND_LATE`: paid sales of the same terminal and amount that came after it. */
  readonly laterSales?: readonly string[];
}

export interface Items {
  readonly sale: Sale;
  readonly charge: Charge;
  readonly card: Card;
  readonly account: Account;
  readonly 'terminal-lease': TerminalLease;
  readonly 'rf-order': RfOrder;
  /** By order code. */
  readonly 'order-pointer': OrderPointer;
  /** By subject. */
  readonly inbox: Inbox;
  readonly delivery: Delivery;
  /** By transaction id. */
  readonly finding: Finding;
}

export type Kind = keyof Items;
