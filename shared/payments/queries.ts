/**
 * Queries on the indexes of the `payments` table: due items, lists and reviews. An index lags behind the table and holds
 * some attributes only, so lists and reviews take the keys from the index and then read the items. All queries only read.
 */

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TransientError } from '../flow/errors.ts';
import { type Filter, isInReview, type PaymentsTable, paymentsTable } from './indexes.ts';
import type { Items, Kind } from './items.ts';
import type { PublishedKind } from './outbox.ts';
import { pause } from './pause.ts';
import { iso } from './time.ts';

export interface ListQuery {
  readonly merchantId: string;
  readonly limit: number;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string;
  /** `next` of the page before. */
  readonly after?: string;
  /** Attributes that must be equal. */
  readonly where?: Readonly<Partial<Record<Filter, string | number>>>;
}

/** The kinds that can be in review. */
export type ReviewKind = PublishedKind | 'finding';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** An item whose `dueAt` has passed. */
export interface Due {
  readonly kind: Kind;
  readonly id: string;
  readonly dueAt: string;
  readonly merchantId: string;
}

export interface Queries {
  /**
   * Due items of all kinds, longest due first, at most `atMost`. Eventually consistent: read the item itself before acting
   * on it.
   */
  due(atMost: number): Promise<readonly Due[]>;
  /** Items of a merchant, newest first; eventually consistent. */
  list<K extends Kind>(kind: K, query: ListQuery): Promise<Page<Items[K]>>;
  /** Items in review of all merchants, latest first; eventually consistent. `after` is `next` of the page before. */
  reviews<K extends ReviewKind>(kind: K, limit: number, after?: string): Promise<Page<Items[K]>>;
}

const MAX_READ_ATTEMPTS = 12;
const PAGE_READS = 10;
/** They sort before and after everything that begins with a digit: the character after 9 is a colon. */
const FIRST_TIME = '0';
const LAST_TIME = ':';

export function createQueries(
  client: DynamoDBDocumentClient,
  { name: tableName, dueShards }: PaymentsTable,
  now: () => number,
): Queries {
  /** Reads the items in the order of the keys. Throws a TransientError ITEMS_NOT_READ if the table keeps throttling. */
  const readAll = async <K extends Kind>(keys: readonly string[]): Promise<readonly (Items[K] & { pk: string })[]> => {
    const found = new Map<string, Items[K] & { pk: string }>();
    let wanted = keys.map((pk) => ({ pk }));
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) {
        await pause(attempt);
      }
      if (attempt === MAX_READ_ATTEMPTS) {
        throw new TransientError('ITEMS_NOT_READ', 'the table did not give all items of a page');
      }
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: wanted } } }),
      );
      for (const item of Responses?.[tableName] ?? []) {
        found.set(item['pk'], item as Items[K] & { pk: string });
      }
      wanted = (UnprocessedKeys?.[tableName]?.Keys ?? []) as typeof wanted;
    }
    return keys.flatMap((pk) => found.get(pk) ?? []);
  };

  return {
    async due(atMost) {
      const shards = await Promise.all(
        Array.from({ length: dueShards }, (_, shard) => dueIn(client, tableName, String(shard), atMost, now())),
      );
      return shards
        .flat()
        .sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1))
        .slice(0, atMost);
    },

    async list<K extends Kind>(kind: K, query: ListQuery): Promise<Page<Items[K]>> {
      const { index, partitionKey, sortKey } = paymentsTable.byMerchant;
      const where = Object.entries(query.where ?? {});
      const merchantKind = `${kind}#${query.merchantId}`;
      const found: Record<string, string>[] = [];
      let start = query.after === undefined ? undefined : startKey(kind, merchantKind, query.after);
      // DynamoDB filters after it read a page, so read until the page is full, a limited number of times.
      for (let reads = 0; reads < PAGE_READS; reads++) {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: index,
            ScanIndexForward: false,
            Limit: Math.max(query.limit - found.length, where.length === 0 ? 1 : query.limit),
            KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :to',
            ExpressionAttributeNames: {
              '#partition': partitionKey,
              '#sort': sortKey,
              ...Object.fromEntries(where.map(([name], n) => [`#where${n}`, name])),
            },
            ExpressionAttributeValues: {
              ':partition': merchantKind,
              ':from': query.createdFrom ?? FIRST_TIME,
              ':to': query.createdTo ?? LAST_TIME,
              ...Object.fromEntries(where.map(([, value], n) => [`:where${n}`, value])),
            },
            ...(where.length > 0 && { FilterExpression: where.map((_, n) => `#where${n} = :where${n}`).join(' AND ') }),
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        found.push(...((page.Items ?? []) as typeof found));
        start = page.LastEvaluatedKey as typeof start;
        if (start === undefined || found.length >= query.limit) {
          break;
        }
      }
      const places = found.slice(0, query.limit);
      const items = await readAll<K>(places.map(({ pk = '' }) => pk));
      return {
        // An item may have changed since its index entry was written.
        items: items.filter((item) => where.every(([name, value]) => item[name as keyof typeof item] === value)),
        next: found.length > places.length ? places.at(-1)?.['createdAtId'] : start?.createdAtId,
      };
    },

    async reviews<K extends ReviewKind>(kind: K, limit: number, after?: string): Promise<Page<Items[K]>> {
      const { index, partitionKey, sortKey } = paymentsTable.reviews;
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: index,
          ScanIndexForward: false,
          Limit: limit,
          KeyConditionExpression: '#partition = :partition',
          ExpressionAttributeNames: { '#partition': partitionKey },
          ExpressionAttributeValues: { ':partition': kind },
          ...(after !== undefined && {
            ExclusiveStartKey: { pk: `${kind}#${idAfter(after)}`, [partitionKey]: kind, [sortKey]: after },
          }),
        }),
      );
      const items = await readAll<K>((page.Items ?? []).map(({ pk }) => pk));
      return { items: items.filter((item) => isInReview(kind, item)), next: page.LastEvaluatedKey?.[sortKey] };
    },
  };
}

/** The due items of one shard. Reads page by page. */
async function dueIn(
  client: DynamoDBDocumentClient,
  tableName: string,
  shard: string,
  atMost: number,
  now: number,
): Promise<readonly Due[]> {
  const { index, partitionKey, sortKey } = paymentsTable.due;
  const due: Due[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: index,
        Limit: atMost - due.length,
        KeyConditionExpression: '#partition = :partition AND #sort <= :now',
        ExpressionAttributeNames: { '#partition': partitionKey, '#sort': sortKey },
        ExpressionAttributeValues: { ':partition': shard, ':now': iso(now) },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    due.push(
      ...(page.Items ?? []).map(({ pk, dueAt, merchantId }) => {
        const id = idAfter(pk);
        return { kind: pk.slice(0, -id.length - 1), id, dueAt, merchantId };
      }),
    );
    start = page.LastEvaluatedKey;
  } while (start !== undefined && due.length < atMost);
  return due;
}

function startKey(kind: Kind, merchantKind: string, createdAtId: string) {
  return { pk: `${kind}#${idAfter(createdAtId)}`, merchantKind, createdAtId };
}

/** The id in a key of the form `<kind>#<id>` or `<time>#<id>`. */
function idAfter(key: string): string {
  return key.slice(key.indexOf('#') + 1);
}
