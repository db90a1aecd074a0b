/**
 * The payments table in memory, with the store's real semantics: revisions, and decisions made again after a lost race. Items
 * are frozen, so nobody changes one but by writing it.
 */

import { dueAtOf } from '../../shared/payments/due.ts';
import { isInReview } from '../../shared/payments/indexes.ts';
import type { Items, Kind, StoredItem } from '../../shared/payments/items.ts';
import type { Due, ListQuery, Page, ReviewKind } from '../../shared/payments/queries.ts';
import { isShown, type NewItem, type Patch, type Payments } from '../../shared/payments/store.ts';

export class MemoryPayments implements Payments {
  readonly items = new Map<string, StoredItem & Record<string, unknown>>();
  /** How many writes took place. */
  writes = 0;
  /** Another writer, who comes between the next read and what is decided from it. */
  rival: (() => void) | undefined;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async get<K extends Kind>(kind: K, id: string): Promise<Items[K] | undefined> {
    await Promise.resolve();
    const item = this.#read(kind, id);
    const { rival } = this;
    this.rival = undefined;
    rival?.();
    return item;
  }

  async create<K extends Kind>(kind: K, id: string, item: NewItem<K>, { listed = true } = {}): Promise<boolean> {
    await Promise.resolve();
    const pk = `${kind}#${id}`;
    if (this.items.has(pk)) {
      return false;
    }
    const at = new Date(this.#now()).toISOString();
    this.items.set(pk, frozen({ ...this.#withDueAt(kind, item), listed, createdAt: at, updatedAt: at, revision: 1 }));
    this.writes++;
    return true;
  }

  async change<K extends Kind>(
    kind: K,
    id: string,
    decide: (item: Items[K]) => Patch<K> | undefined,
  ): Promise<Items[K]> {
    return (await this.claim(kind, id, decide)).item;
  }

  async claim<K extends Kind>(
    kind: K,
    id: string,
    decide: (item: Items[K]) => Patch<K> | undefined,
  ): Promise<{ readonly item: Items[K]; readonly won: boolean }> {
    const pk = `${kind}#${id}`;
    for (;;) {
      const stored = this.items.get(pk);
      const before = this.#read(kind, id);
      if (before === undefined) {
        throw new Error(`no item ${kind}`);
      }
      await Promise.resolve(); // another writer may come in between
      const patch = decide(before);
      if (patch === undefined) {
        return { item: before, won: false };
      }
      await Promise.resolve();
      if (this.items.get(pk) === stored) {
        const after = Object.fromEntries(
          Object.entries({
            ...this.#withDueAt(kind, { ...before, ...patch }),
            ...(isShown(patch) && {
              updatedAt: new Date(this.#now()).toISOString(),
              revision: before.revision + 1,
            }),
          }).filter(([, value]) => value !== undefined),
        ) as StoredItem & Record<string, unknown>;
        this.items.set(pk, frozen(after));
        this.writes++;
        return { item: after as unknown as Items[K], won: true };
      }
    }
  }

  async due(atMost: number): Promise<readonly Due[]> {
    await Promise.resolve();
    const now = new Date(this.#now()).toISOString();
    const order = ({ kind, id, dueAt }: Due) => `${dueAt} ${kind}#${id}`;
    return [...this.items]
      .flatMap(([pk, { dueAt, merchantId }]) =>
        typeof dueAt === 'string' && dueAt <= now ? [{ ...keyOf(pk), dueAt, merchantId: String(merchantId) }] : [],
      )
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
      .slice(0, atMost);
  }

  async reviews<K extends ReviewKind>(kind: K, limit: number, after?: string): Promise<Page<Items[K]>> {
    await Promise.resolve();
    const all = [...this.items]
      .filter(([pk, item]) => keyOf(pk).kind === kind && isInReview(kind, item))
      .map(([pk, item]) => ({ sort: `${item.updatedAt}#${keyOf(pk).id}`, item }))
      .sort((a, b) => (a.sort < b.sort ? 1 : -1))
      .filter(({ sort }) => after === undefined || sort < after);
    const page = all.slice(0, limit);
    return {
      items: page.map(({ item }) => frozen(item) as unknown as Items[K]),
      next: all.length > page.length ? page.at(-1)?.sort : undefined,
    };
  }

  async list<K extends Kind>(kind: K, query: ListQuery): Promise<Page<Items[K]>> {
    await Promise.resolve();
    const key = (pk: string, item: StoredItem) => `${item.createdAt}#${pk.slice(kind.length + 1)}`;
    const all = [...this.items]
      .filter(([pk, item]) => pk.startsWith(`${kind}#`) && item['listed'] && item['merchantId'] === query.merchantId)
      .filter(([, item]) => Object.entries(query.where ?? {}).every(([name, value]) => item[name] === value))
      .filter(([, item]) => query.createdFrom === undefined || item.createdAt >= query.createdFrom)
      .filter(([, item]) => query.createdTo === undefined || item.createdAt < query.createdTo)
      .map(([pk, item]) => ({ sort: key(pk, item), item }))
      .sort((a, b) => (a.sort < b.sort ? 1 : -1))
      .filter(({ sort }) => query.after === undefined || sort < query.after);
    const page = all.slice(0, query.limit);
    return {
      items: page.map(({ item }) => frozen(item) as unknown as Items[K]),
      next: all.length > page.length ? page.at(-1)?.sort : undefined,
    };
  }

  /** Puts an item as it is, for preparing a test. */
  put<K extends Kind>(kind: K, id: string, item: NewItem<K>): void {
    const at = new Date(this.#now()).toISOString();
    this.items.set(`${kind}#${id}`, frozen({ ...item, listed: true, createdAt: at, updatedAt: at, revision: 1 }));
  }

  /** What another writer wrote. */
  overwrite<K extends Kind>(kind: K, id: string, patch: Patch<K>): void {
    const item = this.#read(kind, id);
    this.items.set(`${kind}#${id}`, structuredClone({ ...item, ...patch }) as never);
    this.writes++;
  }

  #withDueAt<K extends Kind, T extends object>(kind: K, item: T): T {
    const dueAt = dueAtOf(kind, item as unknown as Items[K], this.#now());
    return dueAt === undefined ? item : { ...item, dueAt };
  }

  #read<K extends Kind>(kind: K, id: string): Items[K] | undefined {
    const item = this.items.get(`${kind}#${id}`);
    return item as unknown as Items[K] | undefined;
  }
}

function keyOf(pk: string): { readonly kind: Kind; readonly id: string } {
  const separator = pk.indexOf('#');
  return { kind: pk.slice(0, separator) as Kind, id: pk.slice(separator + 1) };
}

/** All the way down; what is frozen already is as it should be. */
function frozen<T extends object>(item: T): T {
  for (const value of Object.values(item)) {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      frozen(value);
    }
  }
  return Object.freeze(item);
}

/** What a reader has that reads before somebody else's write and writes after it: `before` is what it read. */
export function readBefore<K extends Kind>(payments: Payments, kind: K, before: Items[K]): Payments {
  return {
    get: async (of, id) => (of === (kind as Kind) ? (before as never) : payments.get(of, id)),
    create: (...args) => payments.create(...args),
    change: (...args) => payments.change(...args),
    claim: (...args) => payments.claim(...args),
    reviews: (...args) => payments.reviews(...args),
    due: (...args) => payments.due(...args),
    list: (...args) => payments.list(...args),
  };
}
