/** The keys of the `payments` table and of its indexes, and the attributes that each index holds. */

import { createHash } from 'node:crypto';
import { dueAtOf } from './due.ts';
import type { Items, Kind } from './items.ts';
import { iso } from './time.ts';

/**
 * The names of the table's keys and indexes, for the template. An index holds its keys and the `projected` attributes
 * only. A write that changes none of them costs no write units in the index (docs/adr/012-stored-layout.md).
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

/** Which table it is. `dueShards`: the number of keys over which items that are due are spread. */
export interface PaymentsTable {
  readonly name: string;
  readonly dueShards: number;
}

/** The attributes by which a list can be filtered. */
export type Filter = Exclude<(typeof paymentsTable.byMerchant.projected)[number], 'metadata'>;

/**
 * The index keys of an item. The `due` index holds the item only while it has a `dueAt`, as every open item does. The
 * `reviews` index holds it only while it is in review. Keys of other indexes are undefined, so that a write removes them.
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

/** Whether a person must decide about the item: it is `needs_review`, or an open finding. */
export function isInReview(kind: Kind, item: object): boolean {
  return kind === 'finding'
    ? 'state' in item && item.state === 'open'
    : 'status' in item && item.status === 'needs_review';
}

/** Hashes the id, because ids such as order codes may be consecutive. */
function shardOf(kind: Kind, id: string, shards: number): string {
  return String(createHash('sha256').update(`${kind}#${id}`).digest().readUInt8() % shards);
}
