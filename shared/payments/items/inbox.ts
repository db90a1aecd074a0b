/** The webhooks about one subject. */
import type { Scheduled, StoredItem } from './common.ts';

/**
 * The webhooks about one subject, deduplicated by message id. It holds ids only and no payload: a webhook proves nothing, and
 * the platform is read before anything is written.
 */
export interface Inbox extends StoredItem, Scheduled {
  /** Our own id, an order code or a transaction id; the webhook's own id if it names none of these. */
  readonly subject: string;
  /** The merchant id or `isv` of the path at which the first webhook arrived. */
  readonly merchantId: string;
  /** The latest webhooks. */
  readonly webhooks: readonly Webhook[];
  /** One invocation acts on the webhooks until then. Others wait. */
  readonly actingUntil?: string;
  /** The read budget of the subject is spent until then (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
}

export interface Webhook {
  readonly messageId: string;
  /** The merchant id or `isv` of the path at which the webhook arrived. */
  readonly recipient: string;
  readonly eventTypeId: number;
  readonly receivedAt: string;
  /** When an operator last replayed the webhook. */
  readonly replayedAt?: string;
  readonly sourceIp: string;
  readonly transactionId?: string;
  readonly orderCode?: string;
  readonly sessionId?: string;
  /** The merchant id in the webhook. For a webhook at the ISV's path nothing else says whose it is. */
  readonly merchantId?: string;
  /** ISO 4217 letters. */
  readonly currency?: string;
  readonly state: 'new' | 'parked' | 'acted' | 'ignored' | 'needs_review';
  /** How often an invocation has acted on it. */
  readonly attempts: number;
  /** The outcome, in a word or two. */
  readonly outcome?: string;
}
