/**
 * The store of the `payments` table.
 *
 * Every write is a compare-and-set of a whole item. It reads consistently, decides with a pure function, and writes if
 * nobody else wrote since; otherwise it reads and decides again. So every rule about money is a function of one item, and
 * concurrent writers cannot overwrite each other. A write whose answer was lost finds its own `writeId` and counts as done.
 */

import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { FaultError, TransientError } from '../flow/errors.ts';
import { indexed, type PaymentsTable } from './indexes.ts';
import type { StoredItem } from './items/common.ts';
import type { Items, Kind } from './items.ts';
import { pause } from './pause.ts';
import { createQueries, type Queries } from './queries.ts';
import { iso } from './time.ts';

export type NewItem<K extends Kind> = Omit<Items[K], keyof StoredItem>;
/** The attributes that a decision sets. `undefined` removes an attribute. */
export type Patch<K extends Kind> = { readonly [P in keyof NewItem<K>]?: NewItem<K>[P] | undefined };

export interface Payments extends Queries {
  /** Reads consistently. */
  get<K extends Kind>(kind: K, id: string): Promise<Items[K] | undefined>;
  /** False if the item exists already. `listed` (default true) puts it into its merchant's list. */
  create<K extends Kind>(kind: K, id: string, item: NewItem<K>, options?: { listed?: boolean }): Promise<boolean>;
  /**
   * Writes what `decide` returns and resolves to the item after that. `decide` may run several times, so it must be pure
   * except for variables it captures. If it returns undefined, nothing is written. If it throws, so does `change`.
   * Throws a FaultError ITEM_MISSING if there is no item, and a TransientError ITEM_CONTENDED after many lost races.
   */
  change<K extends Kind>(kind: K, id: string, decide: (item: Items[K]) => Patch<K> | undefined): Promise<Items[K]>;
  /** As `change`, and `won` says whether this call wrote. Of several calls that decide the same, one wins. */
  claim<K extends Kind>(
    kind: K,
    id: string,
    decide: (item: Items[K]) => Patch<K> | undefined,
  ): Promise<{ readonly item: Items[K]; readonly won: boolean }>;
}

type Attribute = { [K in Kind]: keyof NewItem<K> }[Kind];

/** Attributes that no resource shows. A write of these alone makes no new revision. */
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
