/** The webhooks about one subject. */
import type { Scheduled, StoredItem } from './common.ts';

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
