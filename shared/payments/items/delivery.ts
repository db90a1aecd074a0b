/** One event on its way to a callback address. */
import type { OutboxEvent, Scheduled, StoredItem } from './common.ts';

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
