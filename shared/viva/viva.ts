/**
 * The payments platform as the steps see it: one object per account, in our words and units.
 *
 * Which credentials, path and host a call takes follows from the account's settings and is decided behind this seam, as
 * are units (integer minor units and ISO 4217 letters here) and names. Every method either answers, with the `call` it
 * made for the timeline, or throws:
 *
 * - TransientError: it provably did not happen, or asking again is harmless (reads, tokens that move no money);
 * - RejectedError: the platform said no, provably; `code` is a FailureCode, `context` the platform's reason;
 * - UnknownOutcomeError: only from calls that can move money, when the answer proves neither;
 * - FaultError: credentials, roles or the contract are wrong: a person is needed.
 *
 * No method retries a call that can move money, and none starts a call that could not end before the invocation does.
 */
import type { Account, ChargeAsked, Receipt, RfOrderAsked, SaleAsked } from '../payments/items.ts';

/** One call, for the timeline: what was asked and how it was answered, never a body. */
export interface Call {
  /** For example `POST /ecr/v1/transactions:sale`, without ids. */
  readonly call: string;
  readonly status: number;
  readonly durationMs: number;
  readonly eventId?: string;
  readonly correlationId?: string;
}

/** Stands for what is left of a request after every field was taken: a new field that nobody sends does not compile. */
export type NothingLeft = Readonly<Record<string, never>>;

/** Of what is asked for, what is only kept with the sale. */
type KeptOfSale = 'merchantId' | 'merchantTrns' | 'tokenize' | 'customerReference' | 'consent';

export interface SaleRequest extends Omit<SaleAsked, KeptOfSale> {
  /** Also the session id. */
  readonly saleId: string;
  /** Ends with the sale's id. */
  readonly merchantReference: string;
  /** The request does not leave after this. */
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
  /** F finished, A in progress, C captured, E failed, R refunded, X voided, M… disputed. */
  readonly statusId: string;
  /** What the platform keeps of it. Absent until it has been calculated. */
  readonly commission?: number;
  readonly transactionTypeId?: number;
  readonly parentId?: string;
  readonly orderCode?: string;
  readonly merchantTrns?: string;
  readonly terminalId?: string;
  readonly cardUniqueReference?: string;
  /** Set for phone wallets, whose cards cannot be stored. */
  readonly digitalWalletId?: string;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly holderName?: string;
  /** ISO 8601 in UTC. */
  readonly bookedAt?: string;
}

/** The transactions of a merchant's day, as the platform shows them now. */
export interface DayList {
  readonly records: readonly TransactionRecord[];
  /** References of records that are not as documented: of these nothing can be concluded. */
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
  /** Where the issuer sends the payer back to; only for charges with authentication. */
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
  /** `unknown`: the platform has no such order (yet). */
  readonly state: 'pending' | 'expired' | 'cancelled' | 'paid' | 'unknown';
  /** Of the order; absent where the platform does not say. */
  readonly amount?: number;
  readonly call: Call;
}

export interface Platform {
  /**
   * Asks the terminal for a payment: may move money, and may be called again only after a TransientError.
   * `alreadySent`: the platform knows this session.
   */
  sendSale(request: SaleRequest): Promise<{ readonly alreadySent: boolean; readonly call: Call }>;
  readSession(saleId: string): Promise<Session>;
  /**
   * Asks the terminal to stop; asking twice is harmless. `accepted`: the platform passes it on. Whatever is answered, the
   * session's own state decides.
   */
  abortSession(saleId: string, cashRegisterId: string): Promise<{ readonly accepted: boolean; readonly call: Call }>;
  /** Throws a TransientError TRANSACTION_NOT_VISIBLE while the platform does not know it (yet). */
  readTransaction(transactionId: string): Promise<{ readonly record: TransactionRecord; readonly call: Call }>;
  /** All transactions of one day in Athens (`YYYY-MM-DD`). The platform's lists lag behind by up to two minutes. */
  listDay(day: string): Promise<DayList>;
  /** Moves no money; a second card token is harmless. */
  createCardToken(transactionId: string): Promise<{ readonly cardToken: string; readonly call: Call }>;
  /** Moves no money. `form` is the issuer's markup when the payer must authenticate. */
  createChargeToken(
    request: ChargeTokenRequest,
  ): Promise<{ readonly chargeToken: string; readonly form?: string; readonly call: Call }>;
  /** Moves money. At most one call per charge token may ever be made. */
  createTransaction(request: ChargeRequest): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Moves money. */
  capture(request: CaptureRequest): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Gives a hold back whole. Moves money. */
  voidPreauth(request: {
    readonly transactionId: string;
    readonly amount: number;
    readonly merchantTrns: string;
  }): Promise<{ readonly transactionId: string; readonly call: Call }>;
  /** Moves no money; an order whose payment code nobody saw is never paid. */
  createOrder(request: OrderRequest): Promise<{ readonly orderCode: string; readonly call: Call }>;
  /** The same order always has the same code. Unchecked: see rf-code.ts. */
  createPaymentCode(orderCode: string): Promise<{ readonly rfCode: string; readonly call: Call }>;
  readOrder(orderCode: string): Promise<OrderRecord>;
  /** What was paid on an order and given back; lags behind by up to two minutes. */
  listOrderTransactions(
    orderCode: string,
  ): Promise<{ readonly records: readonly TransactionRecord[]; readonly call: Call }>;
  /** Nobody can pay it any more. Throws a RejectedError when the platform will not, as for one that is paid or cancelled. */
  cancelOrder(orderCode: string): Promise<{ readonly call: Call }>;
}

/** The platform for one account, within one invocation (`remainingMs` is the invocation's). */
export type PlatformFor = (account: Account, remainingMs: () => number) => Platform;
