/**
 * DynamoDB's time to live: expired items are deleted in the background, about two days late. This reveals code that
 * relies on the deletion instead of checking the expiry.
 */
import type { Clock } from '../../clock.ts';
import type { TableDefinition, Tables } from './tables.ts';

const SWEEP_INTERVAL_MS = 3_600_000;
const LAG_SECONDS = 48 * 3_600;

type Item = Readonly<Record<string, { readonly N?: string }>>;

export interface TimeToLive {
  /** Deletes what expired longer ago than the lag; resolves to the number of items. */
  sweep(): Promise<number>;
  stop(): void;
}

export function startTimeToLive(clock: Clock, tables: Tables): TimeToLive {
  const sweep = async () => {
    const swept = await Promise.all(tables.definitions.map((table) => sweepTable(tables, table, clock.now())));
    return swept.reduce((sum, count) => sum + count, 0);
  };
  let timer = clock.schedule(SWEEP_INTERVAL_MS, again);
  function again() {
    void clock.track(sweep());
    timer = clock.schedule(SWEEP_INTERVAL_MS, again);
  }
  return { sweep, stop: () => timer.cancel() };
}

async function sweepTable(tables: Tables, table: TableDefinition, nowMs: number): Promise<number> {
  const { name: TableName, ttlAttribute, keySchema } = table;
  if (ttlAttribute === undefined) {
    return 0;
  }
  const expired = await scan(tables, {
    TableName,
    FilterExpression: '#ttl < :limit',
    ExpressionAttributeNames: { '#ttl': ttlAttribute },
    ExpressionAttributeValues: { ':limit': { N: String(Math.floor(nowMs / 1000) - LAG_SECONDS) } },
  });
  for (const item of expired) {
    const Key = Object.fromEntries(keySchema.map(({ AttributeName }) => [AttributeName, item[AttributeName]]));
    await tables.call('DeleteItem', { TableName, Key });
  }
  return expired.length;
}

async function scan(tables: Tables, input: object): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await tables.call<{ Items: Item[]; LastEvaluatedKey?: Item }>('Scan', {
      ...input,
      ...(ExclusiveStartKey && { ExclusiveStartKey }),
    });
    items.push(...page.Items);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}
