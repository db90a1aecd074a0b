/**
 * The `payments` table: one item per thing, and one way to change it.
 *
 * Every write is a compare-and-set of a whole item: read consistently, decide with a pure function, write if nobody wrote
 * meanwhile, else read and decide again. So every rule about money is an ordinary function of one item,
 * and the order of concurrent writers never matters. Writing may run twice: a write whose answer was lost finds its own
 * mark in the item and counts as done.
 */

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { FaultError, TransientError } from '../flow/errors.ts';
import { indexed, type PaymentsTable } from './indexes.ts';
import type { Items, Kind, StoredItem } from './items.ts';
import { pause } from './pause.ts';
import { createQueries, type Queries } from './queries.ts';
import { iso } from './time.ts';

export type NewItem<K extends Kind> = Omit<Items[K], keyof StoredItem>;
/** What a decision may set; `undefined` takes an attribute away. */
export type Patch<K extends Kind> = { readonly [P in keyof NewItem<K>]?: NewItem<K>[P] | undefined };

export interface Payments extends Queries {
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
  /** As `change`, and says whether this call wrote: of several attempts that decide the same, one wins. */
  claim<K extends Kind>(
    kind: K,
    id: string,
    decide: (item: Items[K]) => Patch<K> | undefined,
  ): Promise<{ readonly item: Items[K]; readonly won: boolean }>;
}

type Attribute = { [K in Kind]: keyof NewItem<K> }[Kind];

/** What the flow keeps for itself and no resource shows: writing only these makes no new revision. */
const bookkeeping: readonly Attribute[] = [
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
  return Object.keys(patch).some((name) => !(bookkeeping as readonly string[]).includes(name));
}

const MAX_WRITE_ATTEMPTS = 12;
export function createPayments(
  client: DynamoDBDocumentClient,
  table: PaymentsTable,
  now: () => number = Date.now,
  newWriteId: () => string = () => crypto.randomUUID(),
): Payments {
  const read = async <K extends Kind>(kind: K, id: string): Promise<(Items[K] & { writeId: string }) | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table.name, Key: { pk: `${kind}#${id}` }, ConsistentRead: true }),
    );
    return Item as (Items[K] & { writeId: string }) | undefined;
  };

  const put = async (item: Record<string, unknown>, before: string | undefined): Promise<boolean> => {
    try {
      await client.send(
        new PutCommand({
          TableName: table.name,
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

  const claim: Payments['claim'] = async (kind, id, decide) => {
    for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt++) {
      const item = await read(kind, id);
      if (item === undefined) {
        throw new FaultError('ITEM_MISSING', `no ${kind} under this id`, { context: { kind } });
      }
      const patch = decide(item);
      if (patch === undefined) {
        return { item, won: false };
      }
      const writeId = newWriteId();
      const patched = { ...item, ...patch };
      const shown = isShown(patch) && { updatedAt: iso(now()), revision: item.revision + 1 };
      const changed = { ...patched, ...indexed(kind, id, patched, table.dueShards, now()), ...shown, writeId };
      if ((await put(changed, item.writeId)) || (await read(kind, id))?.writeId === writeId) {
        return { item: changed, won: true };
      }
      await pause(attempt);
    }
    throw new TransientError('ITEM_CONTENDED', `too many writers on one ${kind}`, { context: { kind } });
  };

  return {
    get: read,

    async create(kind, id, item, { listed = true } = {}) {
      const at = iso(now());
      const writeId = newWriteId();
      const list =
        listed && 'merchantId' in item
          ? { merchantKind: `${kind}#${item.merchantId}`, createdAtId: `${at}#${id}` }
          : undefined;
      const stored = {
        ...item,
        ...list,
        ...indexed(kind, id, item as unknown as Items[typeof kind], table.dueShards, now()),
        pk: `${kind}#${id}`,
        createdAt: at,
        updatedAt: at,
        revision: 1,
        writeId,
      };
      return (await put(stored, undefined)) || (await read(kind, id))?.writeId === writeId;
    },

    async change(kind, id, decide) {
      return (await claim(kind, id, decide)).item;
    },

    claim,
    ...createQueries(client, table, now),
  };
}
