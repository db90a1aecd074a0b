/** An order that is paid by bank transfer. */
import type { RfOrderBody } from '../../api/schemas/rf-order.ts';
import type { Failure } from '../failures.ts';
import type { RfOrderStatus } from '../lifecycle.ts';
import type { Reading, Reconcilable, Scheduled, StoredItem, TimelineEntry } from './common.ts';

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
