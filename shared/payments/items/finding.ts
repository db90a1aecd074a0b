/** A payment that a person must check. */
import type { StoredItem } from './common.ts';

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
