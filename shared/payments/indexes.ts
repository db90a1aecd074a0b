/** The keys of the `payments` table and of its indexes, and what an item has in each. */

import { createHash } from 'node:crypto';
import { dueAtOf } from './due.ts';
import type { Items, Kind } from './items.ts';
import { iso } from './time.ts';

/**
 * Names of the table's keys and indexes, for the template. An index holds its keys and `projected`, and nothing else: a
 * write that changes none of these costs nothing in the index (docs/adr/012-stored-layout.md).
 */
export const paymentsTable = {
  partitionKey: 'pk',
  byMerchant: {
    index: 'byMerchant',
    partitionKey: 'merchantKind',
    sortKey: 'createdAtId',
    projected: ['status', 'state', 'amount', 'merchantTrns', 'terminalId', 'cardId', 'customerReference', 'metadata'],
  },
  due: { index: 'due', partitionKey: 'dueShard', sortKey: 'dueAt', projected: ['merchantId'] },
  reviews: { index: 'reviews', partitionKey: 'reviewKind', sortKey: 'reviewSinceId', projected: ['merchantId'] },
} as const;

/** Which table it is. `dueShards`: DynamoDB takes 1,000 write units a second for one key, so what is due is spread over so many. */
export interface PaymentsTable {
  readonly name: string;
  readonly dueShards: number;
}

/** What a list can be filtered by. */
export type Filter = Exclude<(typeof paymentsTable.byMerchant.projected)[number], 'metadata'>;

/**
 * The keys of the indexes. The one of what is due holds an item only while it has a `dueAt`, and every open item has one;
 * the one of reviews only while the item waits for a person.
 */
export function indexed<K extends Kind>(kind: K, id: string, item: Items[K], dueShards: number, now: number) {
  const dueAt = dueAtOf(kind, item, now);
  const { reviewSinceId = `${iso(now)}#${id}` } = item as { readonly reviewSinceId?: string };
  const review = isInReview(kind, item) && { reviewKind: kind, reviewSinceId };
  return {
    ...{ dueAt, dueShard: dueAt === undefined ? undefined : shardOf(kind, id, dueShards) },
    ...(review || { reviewKind: undefined, reviewSinceId: undefined }),
  };
}

/** Whether the item waits for a person. */
export function isInReview(kind: Kind, item: object): boolean {
  return kind === 'finding'
    ? 'state' in item && item.state === 'open'
    : 'status' in item && item.status === 'needs_review';
}

/** Ids may follow each other, as order codes do: hashed, they spread. */
function shardOf(kind: Kind, id: string, shards: number): string {
  return String(createHash('sha256').update(`${kind}#${id}`).digest().readUInt8() % shards);
}
