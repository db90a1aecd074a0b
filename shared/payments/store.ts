/**
 * The `payments` table: one item per thing, and one way to change it.
 *
 * Every write is a compare-and-set of a whole item: read consistently, decide with a pure function, write if nobody wrote
 * meanwhile, else read and decide again. So every rule about money is an ordinary function of one item,
 * and the order of concurrent writers never matters. Writing may run twice: a write whose answer was lost finds its own
 * mark in the item and counts as done.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { FaultError, TransientError } from '../flow/errors.ts';
import { dueAtOf } from './due.ts';
import type { Items, Kind, StoredItem } from './items.ts';

/** Names of the table's keys and indexes, for the template. */
export const paymentsTable = {
  partitionKey: 'pk',
  byMerchant: { index: 'byMerchant', partitionKey: 'merchantKind', sortKey: 'createdAtId' },
  due: { index: 'due', partitionKey: 'duePartition', sortKey: 'dueAt' },
} as const;

export type NewItem<K extends Kind> = Omit<Items[K], keyof StoredItem>;
/** What a decision may set; `undefined` takes an attribute away. */
export type Patch<K extends Kind> = { readonly [P in keyof NewItem<K>]?: NewItem<K>[P] | undefined };

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
  readonly where?: Readonly<Record<string, string | number | boolean>>;
}

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

export interface Payments {
  /** Reads consistently. */
  get<K extends Kind>(kind: K, id: string): Promise<Items[K] | undefined>;
  /** False when the item exists already. `listed` puts it into its merchant's list. */
  create<K extends Kind>(kind: K, id: string, item: NewItem<K>, options?: { listed?: boolean }): Promise<boolean>;
  /**
   * Applies `decide` to the item and resolves to the item as it then is. `decide` may run several times, must be pure but
   * for its own captured variables, and returns undefined to leave the item alone; what it throws passes through.
   * Throws a FaultError ITEM_MISSING where there is no item, a TransientError ITEM_CONTENDED after many lost races.
   */
  change<K extends Kind>(kind: K, id: string, decide: (item: Items[K]) => Patch<K> | undefined): Promise<Items[K]>;
  /**
   * What is due, longest due first, of all kinds, from the one behind `after` on; eventually consistent, so look at the
   * item itself before acting.
   */
  due(limit: number, after?: Due): Promise<readonly Due[]>;
  /** Newest first; eventually consistent. */
  list<K extends Kind>(kind: K, query: ListQuery): Promise<Page<Items[K]>>;
}

/** What the flow keeps for itself and no resource shows: writing only these makes no new revision. */
const bookkeeping: readonly string[] = [
  'daysReadUntil',
  'dueAt',
  'outbox',
  'taskToken',
  'sessionSeenAt',
  'executionArn',
  'restarts',
  'reading',
  'readings',
  'otherCodes',
  'workingUntil',
  'origin',
];

/** Whether the patch changes what a resource shows. */
export function isShown(patch: object): boolean {
  return Object.keys(patch).some((name) => !bookkeeping.includes(name));
}

const DUE = 'due';
const MAX_WRITE_ATTEMPTS = 12;
const PAGE_READS = 10;
/** Before and after everything that begins with a year of four digits: the character after 9 is a colon. */
const FIRST_TIME = '0';
const LAST_TIME = ':';

export function createPayments(
  client: DynamoDBDocumentClient,
  tableName: string,
  now: () => number = Date.now,
  newWriteId: () => string = () => crypto.randomUUID(),
): Payments {
  const read = async <K extends Kind>(kind: K, id: string): Promise<(Items[K] & { writeId: string }) | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: { pk: `${kind}#${id}` }, ConsistentRead: true }),
    );
    return Item as (Items[K] & { writeId: string }) | undefined;
  };

  const put = async (item: Record<string, unknown>, before: string | undefined): Promise<boolean> => {
    try {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: item,
          ...(before === undefined
            ? { ConditionExpression: 'attribute_not_exists(pk)' }
            : { ConditionExpression: 'writeId = :before', ExpressionAttributeValues: { ':before': before } }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') {
        return false;
      }
      throw error;
    }
  };

  return {
    get: read,

    async create(kind, id, item, { listed = true } = {}) {
      const at = new Date(now()).toISOString();
      const writeId = newWriteId();
      const index =
        listed && 'merchantId' in item
          ? { merchantKind: `${kind}#${item.merchantId}`, createdAtId: `${at}#${id}` }
          : undefined;
      const stored = {
        ...item,
        ...index,
        ...withDueAt(kind, item as unknown as Items[typeof kind], now()),
        pk: `${kind}#${id}`,
        createdAt: at,
        updatedAt: at,
        revision: 1,
        writeId,
      };
      return (await put(stored, undefined)) || (await read(kind, id))?.writeId === writeId;
    },

    async change(kind, id, decide) {
      for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
        const item = await read(kind, id);
        if (item === undefined) {
          throw new FaultError('ITEM_MISSING', `no ${kind} under this id`, { context: { kind } });
        }
        const patch = decide(item);
        if (patch === undefined) {
          return item;
        }
        const writeId = newWriteId();
        const patched = { ...item, ...patch };
        const shown = isShown(patch) && { updatedAt: new Date(now()).toISOString(), revision: item.revision + 1 };
        const changed = { ...patched, ...withDueAt(kind, patched, now()), ...shown, writeId };
        if ((await put(changed, item.writeId)) || (await read(kind, id))?.writeId === writeId) {
          return changed as typeof item;
        }
        await pause(attempt);
      }
      throw new TransientError('ITEM_CONTENDED', `too many writers on one ${kind}`, { context: { kind } });
    },

    async due(limit, after) {
      const { index, partitionKey, sortKey } = paymentsTable.due;
      const { Items: found = [] } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: index,
          Limit: limit,
          KeyConditionExpression: '#partition = :partition AND #sort <= :now',
          ExpressionAttributeNames: { '#partition': partitionKey, '#sort': sortKey },
          ExpressionAttributeValues: { ':partition': DUE, ':now': new Date(now()).toISOString() },
          ...(after && {
            ExclusiveStartKey: { pk: `${after.kind}#${after.id}`, [partitionKey]: DUE, [sortKey]: after.dueAt },
          }),
        }),
      );
      return found.map(({ pk, dueAt, merchantId }) => {
        const separator = pk.indexOf('#');
        return { kind: pk.slice(0, separator), id: pk.slice(separator + 1), dueAt, merchantId };
      });
    },

    async list<K extends Kind>(kind: K, query: ListQuery): Promise<Page<Items[K]>> {
      const { index, partitionKey, sortKey } = paymentsTable.byMerchant;
      const where = Object.entries(query.where ?? {});
      const merchantKind = `${kind}#${query.merchantId}`;
      const found: Record<string, unknown>[] = [];
      let start = query.after === undefined ? undefined : startKey(kind, merchantKind, query.after);
      // A filter applies after a page was read: read on until the page is full, but not without end.
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
        found.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey as typeof start;
        if (start === undefined || found.length >= query.limit) {
          break;
        }
      }
      const items = found.slice(0, query.limit) as unknown as (Items[K] & { createdAtId: string })[];
      return { items, next: found.length > items.length ? items.at(-1)?.createdAtId : start?.createdAtId };
    },
  };
}

/** The index of what is due holds an item only while it has a `dueAt`, and every open item has one. */
function withDueAt<K extends Kind>(
  kind: K,
  item: Items[K],
  now: number,
): { readonly dueAt: string | undefined; readonly duePartition: string | undefined } {
  const dueAt = dueAtOf(kind, item, now);
  return { dueAt, duePartition: dueAt === undefined ? undefined : DUE };
}

function startKey(kind: Kind, merchantKind: string, createdAtId: string) {
  const id = createdAtId.slice(createdAtId.indexOf('#') + 1);
  return { pk: `${kind}#${id}`, merchantKind, createdAtId };
}

/** A lost race is over in milliseconds; a little disorder keeps many writers from losing together. */
function pause(attempt: number): Promise<void> {
  // mutant arithmetic: only how long a loser waits
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** Math.min(attempt, 5)));
}
