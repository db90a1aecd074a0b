/** Types that several kinds of items share. */

/** One entry of a timeline: a call, a decision or a wait. `detail` holds numbers, codes and ids only. */
export interface TimelineEntry {
  readonly at: string;
  readonly event: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** The attributes of every item. The store writes them. */
export interface StoredItem {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** 1 for a new item. Each write that changes what the API shows adds 1. */
  readonly revision: number;
}

/**
 * A reading that would end an item. It counts when a second reading agrees (see reconciliation/records/second-reading.ts).
 */
export interface Reading {
  /** The content of the reading, in a word or two: `refused`, `absent`, `amount 1600`. */
  readonly seen: string;
  readonly at: string;
}

/** What a later reading of the platform's records may change. */
export interface Reconcilable {
  readonly reading?: Reading;
  /** Of an item in review: it is reconciled until then, and the review may end without a person. */
  readonly reconciledUntil?: string;
  /** The payment was found after we reported it as not made. Nothing more is charged, and a person must check. */
  readonly foundLate?: FoundLate;
}

export interface FoundLate {
  readonly at: string;
  /** Ids of later sales with the same terminal and amount: the storefront may have sold again. */
  readonly laterSales: readonly string[];
}

/** When the item is reconciled next, and which of its events are not published yet. */
export interface Scheduled {
  /** When the item is reconciled next. Absent if nothing remains to be done. In full ISO form, because it is sorted as text. */
  readonly dueAt?: string;
  /** Events that are not published yet, oldest first. The write that makes the change appends its event. */
  readonly outbox?: readonly OutboxEvent[];
}

/** An event. Its id is stable, because an event may be published more than once. */
export interface OutboxEvent {
  readonly eventId: string;
  /** `tillflow.{sale|charge|rf-order}.<status>.v1` */
  readonly type: string;
  readonly at: string;
  readonly status: string;
}

/** The request that created an item. A repeat with the same key and body gets the same `answer`, byte for byte. */
export interface Origin {
  readonly requestHash: string;
  readonly answer: string;
}
