/** A charge of a stored card, with its captures. */
import type { ChargeFields } from '../../api/schemas/charge.ts';
import type { Failure, PlatformReason } from '../failures.ts';
import type { ChargeStatus } from '../lifecycle.ts';
import type { Origin, Reconcilable, Scheduled, StoredItem, TimelineEntry } from './common.ts';

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
