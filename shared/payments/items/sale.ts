/** A sale: one payment at a terminal. */
import type { SaleBody } from '../../api/schemas/sale.ts';
import type { Failure } from '../failures.ts';
import type { SaleStatus } from '../lifecycle.ts';
import type { CardOnSale } from './card.ts';
import type { Origin, Reconcilable, Scheduled, StoredItem, TimelineEntry } from './common.ts';

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
