/**
 * The payments platform as the steps see it: one object per account, in our words and units (integer minor units and
 * ISO 4217 letters). The client chooses credentials, path and host by the account's settings. What is known of the
 * platform is in docs/viva.md.
 *
 * Every method returns an answer with the `call` that it made, for the timeline, or throws:
 *
 * - TransientError: the call was proven not to have happened, or it is harmless to repeat (reads, tokens);
 * - RejectedError: the platform refused, with proof; `code` is a FailureCode, `context` the platform's reason;
 * - UnknownOutcomeError: only from calls that can move money, if the answer proves neither;
 * - FaultError: credentials, roles or the contract are wrong, and a person is needed.
 *
 * No method retries a call that can move money. None starts a call that could not end before the invocation does.
 */
import type { Account } from '../payments/items/account.ts';
import type { ChargeAsked } from '../payments/items/charge.ts';
import type { RfOrderAsked } from '../payments/items/rf-order.ts';
import type { Receipt, SaleAsked } from '../payments/items/sale.ts';

/** One call, for the timeline: the request and its status, never a body. */
export interface Call {
  /** For example `POST /ecr/v1/transactions:sale`, without ids. */
  readonly call: string;
  readonly status: number;
  readonly durationMs: number;
  readonly eventId?: string;
  readonly correlationId?: string;
}

/** What is left of a request after every field was taken. A new field that is not sent does not compile. */
export type NothingLeft = Readonly<Record<string, never>>;

/** The requested fields that are only kept with the sale. */
type KeptOfSale = 'merchantId' | 'merchantTrns' | 'tokenize' | 'customerReference' | 'consent';

export interface SaleRequest extends Omit<SaleAsked, KeptOfSale> {
  /** It is also the session id. */
  readonly saleId: string;
  /** Ends with the sale's id. */
  readonly merchantReference: string;
  /** The request is not sent after this time. */
  readonly sendBefore: string;
}

export type Session =
  | { readonly state: 'not_found' | 'pending'; readonly call: Call }
  | {
      readonly state: 'finished';
      readonly call: Call;
      readonly success: boolean;
      readonly eventId: number;
      /** The issuer's reason (10xxx), where the platform gave it. */
      readonly transactionEventId?: number;
      readonly transactionId?: string;
      readonly amount: number;
      readonly currency: string;
      readonly terminalId: string;
      readonly receipt: Receipt;
    };

export interface TransactionRecord {
  readonly transactionId: string;
  readonly amount: number;
  readonly currency: string;
  readonly merchantId?: string;
  /**
   * F finished, A in progress, C captured, E failed, R refunded, X voided, M… disputed (docs/viva.md, "Transactions").
   */
  readonly statusId: string;
  /** The platform's commission. Absent until it has been calculated. */
  readonly commission?: number;
  readonly transactionTypeId?: number;
  readonly parentId?: string;
  readonly orderCode?: string;
  readonly merchantTrns?: string;
  readonly terminalId?: string;
  readonly cardUniqueReference?: string;
  /** Present for phone wallets, whose cards cannot be stored. */
  readonly digitalWalletId?: string;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly holderName?: string;
  /** ISO 8601 in UTC. */
  readonly bookedAt?: string;
}

/** The transactions of a merchant's day, as the platform shows them at this moment. */
export interface DayList {
  readonly records: readonly TransactionRecord[];
  /** References of records that do not have the documented form. Nothing can be concluded about these. */
  readonly unreadable: readonly string[];
  readonly call: Call;
}

export interface ChargeTokenRequest {
  readonly amount: number;
  readonly currency: string;
  readonly cardToken: string;
  readonly holderName: string;
  readonly expirationMonth: number;
  readonly expirationYear: number;
  readonly moto: boolean;
  /** The address to which the issuer sends the payer back. Only for charges with authentication. */
  readonly sessionRedirectUrl?: string;
}

/** Of what is asked for, what the charge token says, and what is for the capture. */
type NotOfTransaction = 'moto' | 'holderName' | 'capture' | 'captureAmount' | 'captureIsvAmount';

export interface ChargeRequest extends Omit<ChargeAsked, NotOfTransaction> {
  readonly chargeToken: string;
  readonly currency: string;
  /** Ends with the charge's id. */
  readonly merchantTrns: string;
}

export interface CaptureRequest {
  /** The pre-authorization. */
  readonly transactionId: string;
  readonly amount: number;
  readonly isvAmount: number;
  /** Ends with the capture's id. */
  readonly merchantTrns: string;
}

export interface OrderRequest extends Omit<RfOrderAsked, 'merchantId'> {
  /** Ends with the RF order's id. */
  readonly merchantTrns: string;
}

export interface OrderRecord {
  /** `unknown`: the platform does not show the order (yet). */
  readonly state: 'pending' | 'expired' | 'cancelled' | 'paid' | 'unknown';
  /** The amount of the order, if the platform says it. */
  readonly amount?: number;
  readonly call: Call;
}

export interface Viva {
  /**
   * Asks the terminal for a payment. It may move money. Call it again only after a TransientError. `alreadySent`: the
   * platform knows this session.
   */
  sendSale(request: SaleRequest): Promise<{ readonly alreadySent: boolean; readonly call: Call }>;
  readSession(saleId: string): Promise<Session>;
  /**
   * Asks the terminal to stop. It is safe to repeat. `accepted`: the platform passes the request on. The state of the
   * session decides, whatever the answer is.
   */
  abortSession(saleId: string, cashRegisterId: string): Promise<{ readonly accepted: boolean; readonly call: Call }>;
  /** Throws a TransientError TRANSACTION_NOT_VISIBLE while the platform does not show it. */
  readTransaction(transactionId: string): Promise<{ readonly record: TransactionRecord; readonly call: Call }>;
  /** All transactions of one day in Athens (`YYYY-MM-DD`). Lists lag behind (docs/viva.md, "Delays"). */
  listDay(day: string): Promise<DayList>;
  /** Moves no money. A second card token is harmless. */
  createCardToken(transactionId: string): Promise<{ readonly cardToken: string; readonly call: Call }>;
  /** Moves no money. `form` is the issuer's markup if the payer must authenticate. */
  createChargeToken(
    request: ChargeTokenRequest,
  ): Promise<{ readonly chargeToken: string; readonly form?: string; readonly call: Call }>;
  /** Moves money. Never call it twice for one charge token. */
  createTransaction(request: ChargeRequest): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Moves money. */
  capture(request: CaptureRequest): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Gives a whole hold back. Moves money. */
  voidPreauth(request: {
    readonly transactionId: string;
    readonly amount: number;
    readonly merchantTrns: string;
  }): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Moves no money. Nobody can pay an order whose payment code nobody saw. */
  createOrder(request: OrderRequest): Promise<{ readonly orderCode: string; readonly call: Call }>;
  /** The same order always has the same code. The code is not checked here (see shared/payments/rf-code.ts). */
  createPaymentCode(orderCode: string): Promise<{ readonly rfCode: string; readonly call: Call }>;
  readOrder(orderCode: string): Promise<OrderRecord>;
  /** What was paid for an order and given back. The list lags behind (docs/viva.md, "Delays"). */
  listOrderTransactions(
    orderCode: string,
  ): Promise<{ readonly records: readonly TransactionRecord[]; readonly call: Call }>;
  /**
   * Nobody can pay the order any more. Throws a RejectedError if the platform refuses, as for a paid or cancelled
   * order.
   */
  cancelOrder(orderCode: string): Promise<{ readonly call: Call }>;
}

/** The platform for one account in one invocation. `remainingMs`: what is left of the invocation. */
export type VivaFor = (account: Account, remainingMs: () => number) => Viva;
