/**
 * The items of the `payments` table: one type for each kind of item.
 *
 * Times are ISO 8601 strings in UTC. Amounts are integers in minor units. Order codes and ids are strings. No item holds a
 * token: tokens are in the `tokens` table, under the ids stored here. New attributes are optional, and a writer keeps
 * attributes that it does not know, so two versions of the code can work on one item during a deployment.
 */
import type { CardBody } from '../api/schemas/card.ts';
import type { ChargeFields } from '../api/schemas/charge.ts';
import type { RfOrderBody } from '../api/schemas/rf-order.ts';
import type { SaleBody } from '../api/schemas/sale.ts';
import type { Failure, PlatformReason } from './failures.ts';
import type { ChargeStatus, RfOrderStatus, SaleStatus } from './lifecycle.ts';

/** One entry of a timeline: a call, a decision or a wait. `detail` holds numbers, codes and ids only. */
export interface TimelineEntry {
  readonly at: string;
  readonly event: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** The attributes of every item. The store writes them. */
export interface StoredItem {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** 1 for a new item. Each write that changes what the API shows adds 1. */
  readonly revision: number;
}

/**
 * A reading that would end an item. It counts when a second reading agrees (see reconciliation/records/second-reading.ts).
 */
export interface Reading {
  /** The content of the reading, in a word or two: `refused`, `absent`, `amount 1600`. */
  readonly seen: string;
  readonly at: string;
}

/** What a later reading of the platform's records may change. */
export interface Reconcilable {
  readonly reading?: Reading;
  /** Of an item in review: it is reconciled until then, and the review may end without a person. */
  readonly reconciledUntil?: string;
  /** The payment was found after we reported it as not made. Nothing more is charged, and a person must check. */
  readonly foundLate?: FoundLate;
}

export interface FoundLate {
  readonly at: string;
  /** Ids of later sales with the same terminal and amount: the storefront may have sold again. */
  readonly laterSales: readonly string[];
}

/** When the item is reconciled next, and which of its events are not published yet. */
export interface Scheduled {
  /** When the item is reconciled next. Absent if nothing remains to be done. In full ISO form, because it is sorted as text. */
  readonly dueAt?: string;
  /** Events that are not published yet, oldest first. The write that makes the change appends its event. */
  readonly outbox?: readonly OutboxEvent[];
}

/** An event. Its id is stable, because an event may be published more than once. */
export interface OutboxEvent {
  readonly eventId: string;
  /** `tillflow.{sale|charge|rf-order}.<status>.v1` */
  readonly type: string;
  readonly at: string;
  readonly status: string;
}

/** The request that created an item. A repeat with the same key and body gets the same `answer`, byte for byte. */
export interface Origin {
  readonly requestHash: string;
  readonly answer: string;
}

/** The fields of the request, as they are stored. */
export type SaleAsked = Readonly<Omit<SaleBody, 'additionalCharge'>>;

export interface Sale extends StoredItem, Scheduled, Reconcilable, SaleAsked {
  readonly saleId: string;
  readonly chargeId?: string;

  readonly status: SaleStatus;
  readonly statusBeforeReview?: SaleStatus;
  readonly failure?: Failure;
  /** The sale is not sent to the terminal after this time, because the payer may have left. */
  readonly sendBefore: string;
  /**
   * Set by the one attempt that may send the request, before it sends. Removed only with proof that nothing was started.
   * While it is set, the sale may be on the terminal's screen, and no other attempt sends.
   */
  readonly requestedAt?: string;
  /** How many attempts have claimed the right to send. `requestedAt` belongs to the last one. */
  readonly sendAttempts?: number;
  /** When the platform first showed the session. A 404 after this does not mean that there is no session. */
  readonly sessionSeenAt?: string;
  /** When we abort the sale if there is no outcome. */
  readonly deadlineAt?: string;
  readonly abortRequestedAt?: string;
  /** When the first abort was sent. */
  readonly abortSentAt?: string;
  /** When the last abort was sent. */
  readonly abortTriedAt?: string;
  /** When the platform confirmed that the terminal stops, or that the session is over. */
  readonly terminalStoppedAt?: string;
  readonly transactionId?: string;
  /** Refunded or reversed so far, by anybody. Absent for 0. */
  readonly refundedAmount?: number;
  readonly receipt?: Receipt;
  readonly tokenization: Tokenization;
  readonly card?: CardOnSale;
  /** The task token of the AwaitTerminal attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  /** How often a dead execution was replaced. The name of the next execution contains it. */
  readonly restarts?: number;
  readonly origin: Origin;
  readonly timeline: readonly TimelineEntry[];
}

/** The data of the receipt that the till prints. */
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
 * A stored card, or a request to store one (`POST /cards`). A card has one id per merchant, however often it is stored, so
 * a successful request becomes an alias of the card (`aliasOf`).
 */
export interface Card extends StoredItem, Pick<Scheduled, 'dueAt'>, Readonly<CardBody> {
  readonly cardId: string;
  readonly status: 'pending' | 'active' | 'refused' | 'deleted';
  readonly aliasOf?: string;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly failure?: Failure;
  /** Of a request only: the card of the transaction. */
  readonly card?: CardOnSale;
  readonly executionArn?: string;
  /** How often a dead execution was replaced. The name of the next execution contains it. */
  readonly restarts?: number;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}

export type Customer = Readonly<NonNullable<ChargeFields['customer']>>;

/** The fields of the request, as they are stored. */
export type ChargeAsked = Readonly<ChargeFields>;

export interface Charge extends StoredItem, Scheduled, Reconcilable, ChargeAsked {
  readonly chargeId: string;
  readonly merchantId: string;
  /** Of an additional charge: its sale. */
  readonly saleId?: string;
  /** Set from the start for a charge of a stored card. Set when the sale's card is stored for an additional charge. */
  readonly cardId?: string;
  readonly currency: string;

  readonly status: ChargeStatus;
  readonly statusBeforeReview?: ChargeStatus;
  readonly failure?: Failure;
  /** The key of the only charge token that may ever be sent for this charge. */
  readonly ctokRef?: string;
  /** When that charge token was created. It expires 10 minutes later. */
  readonly ctokCreatedAt?: string;
  /** No charge token may be stored any more. A sealed charge without one was never charged. */
  readonly sealed?: boolean;
  /** Set by the one attempt that may send the charge token. Removed only with proof that nothing was sent. */
  readonly sentAt?: string;
  readonly transactionId?: string;
  readonly authorizedAmount: number;
  readonly capturedAmount: number;
  /** Refunded or reversed so far, by anybody. Absent for 0. */
  readonly refundedAmount?: number;
  /** The hold is voided after this time. */
  readonly captureBefore?: string;
  readonly captures: readonly Capture[];
  readonly refunds: readonly Refund[];
  /** Set by the one attempt that may send the void. Removed only with proof that it was not made. Blocks captures. */
  readonly voidSentAt?: string;
  /** As `ambiguousRefusal` of a capture. */
  readonly ambiguousVoidRefusal?: PlatformReason;
  /** The task token of the AwaitAuthentication or AwaitCapture attempt that waits now. */
  readonly taskToken?: string;
  readonly executionArn: string;
  /** How often a dead execution was replaced. The name of the next execution contains it. */
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
  /** Set by the one attempt that may send the capture. Removed only with proof that it was not made. */
  readonly sentAt?: string;
  /**
   * A refusal that may also mean that the platform made the capture on an earlier arrival of the request. It becomes the
   * failure once the capture is proven not made.
   */
  readonly ambiguousRefusal?: PlatformReason;
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
  /** The last day whose list was read (see reconciliation/daily-lists.ts). */
  readonly daysReadUntil?: string;
  /** The read budget of the account's movements is spent until then (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
}

/** The right of one sale to use a terminal. A lease may be taken over if its sale ended or was never created. */
export interface TerminalLease extends StoredItem {
  readonly terminalId: string;
  readonly merchantId: string;
  /** The sale that holds the terminal. */
  readonly saleId: string;
  readonly leasedAt: string;
  readonly leasedUntil: string;
}

/** The fields of the request, as they are stored. */
export type RfOrderAsked = Readonly<RfOrderBody>;

/** An order to be paid by bank transfer, and its RF Payment Code. */
export interface RfOrder extends StoredItem, Scheduled, Pick<Reconcilable, 'reconciledUntil'>, RfOrderAsked {
  readonly rfOrderId: string;

  readonly status: RfOrderStatus;
  readonly statusBeforeReview?: RfOrderStatus;
  readonly failure?: Failure;
  /** One attempt creates the order at the platform until then. Other attempts wait. */
  readonly workingUntil?: string;
  /** The platform's order, 16 digits. Only the payment code of this order may ever be shown. */
  readonly orderCode?: string;
  /** Set only after its check digits were verified. */
  readonly rfCode?: string;
  readonly expiresAt?: string;
  readonly cancelRequestedAt?: string;
  /** When the order ended. It is still reconciled for a while after this. */
  readonly endedAt?: string;
  /** The sum of the payments minus what was returned. */
  readonly amountPaid: number;
  readonly payments: readonly RfPayment[];
  /** The platform's commission on all payments, as its records say. */
  readonly commission?: number;
  readonly late: boolean;
  readonly overpaid: boolean;
  /** Readings that do not count yet, by their key (see reconciliation/rf-order/notes.ts). */
  readonly readings?: RfReadings;
  /** Order codes of the platform's other orders for this item (see reconciliation/rf-order/other-orders.ts). */
  readonly otherCodes?: readonly string[];
  readonly origin: RfOrderOrigin;
  readonly timeline: readonly TimelineEntry[];
}

/** As `Origin`, but the answer is known only after the platform answered or the wait for it ended. */
export interface RfOrderOrigin {
  readonly requestHash: string;
  readonly answer?: string;
  readonly answeredWith?: number;
  /** The ETag of the answer. Absent if the answer was a problem. */
  readonly etag?: string;
}

export interface RfPayment {
  readonly transactionId: string;
  readonly amount: number;
  readonly at: string;
  /** The transactions that returned all or some of it. */
  readonly returns?: readonly RfReturn[];
  /** The sum of `returns`. */
  readonly returned?: number;
  /** All of it was returned. */
  readonly reversed?: boolean;
  /** Set if the payment belongs to one of `otherCodes`: the platform had created two orders. */
  readonly orderCode?: string;
  /** The platform's commission, once its record shows it. */
  readonly commission?: number;
}

export interface RfReturn {
  readonly transactionId: string;
  readonly amount: number;
}

export type RfReadings = Readonly<Record<string, RfReading>>;

export interface RfReading extends Reading {
  /** When the first reading differed from the stored payments. */
  readonly since: string;
  /** Why the order is in review: no later reading explained the difference. A later reading may still do so. */
  readonly doubt?: Failure['code'];
}

/** Maps the platform's order code to our RF order. */
export interface OrderPointer extends StoredItem {
  readonly merchantId: string;
  readonly rfOrderId: string;
}

/**
 * The webhooks about one subject, deduplicated by message id. It holds ids only and no payload: a webhook is a hint, and
 * the platform is read before anything is written.
 */
export interface Inbox extends StoredItem, Scheduled {
  /** Our own id, an order code or a transaction id; the message's own id if it names none of these. */
  readonly subject: string;
  /** The merchant id or `isv` of the path at which the first message arrived. */
  readonly merchantId: string;
  /** The latest messages. */
  readonly messages: readonly Message[];
  /** One invocation acts on the messages until then. Others wait. */
  readonly actingUntil?: string;
  /** The read budget of the subject is spent until then (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
}

export interface Message {
  readonly messageId: string;
  /** The merchant id or `isv` of the path at which the message arrived. */
  readonly recipient: string;
  readonly eventTypeId: number;
  readonly receivedAt: string;
  /** When an operator last replayed the message. */
  readonly replayedAt?: string;
  readonly sourceIp: string;
  readonly transactionId?: string;
  readonly orderCode?: string;
  readonly sessionId?: string;
  /** The merchant id in the message. For a message at the ISV's path nothing else says whose it is. */
  readonly merchantId?: string;
  /** ISO 4217 letters. */
  readonly currency?: string;
  readonly state: 'new' | 'parked' | 'acted' | 'ignored' | 'needs_review';
  /** How often an invocation has acted on it. */
  readonly attempts: number;
  /** The outcome, in a word or two. */
  readonly outcome?: string;
}

/** An event that is posted to an account's callback address. */
export interface Delivery extends StoredItem, Scheduled {
  readonly merchantId: string;
  readonly event: OutboxEvent;
  /** Kind and id of the item the event is about. */
  readonly about: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly lastStatus?: string;
}

/** A payment at the platform that a person must check, although no item of ours is open. */
export interface Finding extends StoredItem {
  readonly merchantId: string;
  readonly transactionId: string;
  /** The id of ours at the end of its reference. */
  readonly id: string;
  /**
   * `UNKNOWN_PAYMENT`: no item of ours has this payment. `PAID_TWICE`: the same sale has another payment. `FOUND_LATE`: the
   * payment was made after we reported that it was not.
   */
  readonly reason: 'UNKNOWN_PAYMENT' | 'PAID_TWICE' | 'FOUND_LATE';
  readonly state: 'open' | 'done';
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly bookedAt?: string;
  /** With `FOUND_LATE`: ids of later paid sales with the same terminal and amount. */
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
