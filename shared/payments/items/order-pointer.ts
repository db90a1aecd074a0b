/** The way from an order code of the platform to our RF order. */
import type { StoredItem } from './common.ts';

/** Maps the platform's order code to our RF order. */
export interface OrderPointer extends StoredItem {
  readonly merchantId: string;
  readonly rfOrderId: string;
}
