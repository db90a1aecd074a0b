import { BatchGetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/payments/items.ts';
import { createPayments, type NewItem, type Payments } from '../../shared/payments/store.ts';
import { createTokens } from '../../shared/tokens/store.ts';
import { startDatabase, type TestDatabase } from '../fakes/dynamodb.ts';
import { MERCHANT_ID } from '../fakes/world.ts';

const table = { name: 'payments', dueShards: 16 };
let database: TestDatabase;
let payments: Payments;
let at = Date.parse('2026-11-21T10:00:00Z');
const now = () => at;

beforeAll(async () => {
  database = await startDatabase();
  payments = createPayments(database.documents, table, now);
});
afterAll(() => database.close());

function card(cardId: string, merchantId = MERCHANT_ID): NewItem<'card'> {
  return { cardId, merchantId, status: 'active', transactionId: 't', timeline: [] };
}

describe('the payments table', () => {
  it('creates an item once, however many try', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => payments.create('card', 'once', card('once'))));

    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await payments.get('card', 'once')).toMatchObject({ revision: 1, createdAt: '2026-11-21T10:00:00.000Z' });
  });

  it('loses no change of many concurrent writers', async () => {
    await payments.create('card', 'busy', card('busy'));

    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        payments.change('card', 'busy', (item) => ({ timeline: [...item.timeline, { at: '', event: `e${n}` }] })),
      ),
    );

    const item = await payments.get('card', 'busy');
    expect(item?.timeline.map(({ event }) => event).sort()).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
    expect(item?.revision).toBe(9);
  });

  it('lets exactly one of many claim an item', async () => {
    await payments.create('card', 'claimed', card('claimed'));

    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        payments.claim('card', 'claimed', (item) =>
          item.customerReference === undefined ? { customerReference: `claim-${n}` } : undefined,
        ),
      ),
    );

    const [winner, ...others] = claims.filter(({ won }) => won);
    expect(others).toEqual([]);
    expect(claims.every(({ item }) => item.customerReference === winner?.item.customerReference)).toBe(true);
  });

  it('removes an attribute that a decision sets to undefined', async () => {
    await payments.create('card', 'patched', { ...card('patched'), customerReference: 'guest-77' });

    await payments.change('card', 'patched', () => ({ customerReference: undefined }));

    expect(await payments.get('card', 'patched')).not.toHaveProperty('customerReference');
  });

  it('recognizes its own write when the answer was lost and the client sent it twice', async () => {
    const documents = Object.create(database.documents);
    documents.send = async (command: unknown) => {
      const answer = await database.documents.send(command as PutCommand);
      return command instanceof PutCommand ? database.documents.send(command) : answer;
    };
    const doubled = createPayments(documents, table, now);

    expect(await doubled.create('card', 'twice', card('twice'))).toBe(true);
    let decisions = 0;
    const changed = await doubled.change('card', 'twice', () => {
      decisions++;
      return { customerReference: 'guest-77' };
    });

    expect(decisions).toBe(1);
    expect(changed).toMatchObject({ customerReference: 'guest-77', revision: 2 });
  });

  it('lists a merchant’s items newest first, page by page, and nobody else’s', async () => {
    const merchantId = '11111111-0000-4000-8000-000000000000';
    for (let n = 0; n < 5; n++) {
      at += 1000;
      await payments.create('card', `listed-${n}`, {
        ...card(`listed-${n}`, merchantId),
        customerReference: n % 2 ? 'odd' : 'even',
      });
    }
    await payments.create('card', 'unlisted', card('unlisted', merchantId), { listed: false });

    const first = await payments.list('card', { merchantId, limit: 2 });
    const second = await payments.list('card', { merchantId, limit: 2, after: first.next! });
    const third = await payments.list('card', { merchantId, limit: 2, after: second.next! });
    const odd = await payments.list('card', { merchantId, limit: 5, where: { customerReference: 'odd' } });

    expect([first, second, third].map(({ items }) => items.map(({ cardId }) => cardId))).toEqual([
      ['listed-4', 'listed-3'],
      ['listed-2', 'listed-1'],
      ['listed-0'],
    ]);
    expect(third.next).toBeUndefined();
    expect(odd.items.map(({ cardId }) => cardId)).toEqual(['listed-3', 'listed-1']);
  });

  it('lists what was created between two times', async () => {
    const merchantId = '22222222-0000-4000-8000-000000000000';
    const times: string[] = [];
    for (let n = 0; n < 3; n++) {
      at += 60_000;
      times.push(new Date(at).toISOString());
      await payments.create('card', `span-${n}`, card(`span-${n}`, merchantId));
    }

    const page = await payments.list('card', { merchantId, limit: 10, createdFrom: times[1]!, createdTo: times[2]! });

    expect(page.items.map(({ cardId }) => cardId)).toEqual(['span-1']);
  });
});

describe('a list of items', () => {
  const merchantId = '33333333-0000-4000-8000-000000000000';
  const MATCHING = 4;
  let reads = 0;
  let counted: Payments;

  /** 45 cards, of which every fourth belongs to the guest. */
  beforeAll(async () => {
    const documents = Object.create(database.documents);
    documents.send = (command: unknown) => {
      reads += command instanceof QueryCommand ? 1 : 0;
      return database.documents.send(command as QueryCommand);
    };
    counted = createPayments(documents, table, now);
    for (let n = 0; n < 45; n++) {
      at += 1000;
      const customerReference = n % MATCHING === 0 ? 'guest' : 'other';
      await payments.create('card', `card-${n}`, { ...card(`card-${n}`, merchantId), customerReference });
    }
  });

  async function pagesOf(limit: number, customerReference?: string) {
    const pages: { readonly ids: readonly string[]; readonly reads: number }[] = [];
    let after: string | undefined;
    do {
      reads = 0;
      const page = await counted.list('card', {
        ...{ merchantId, limit },
        ...(after !== undefined && { after }),
        ...(customerReference !== undefined && { where: { customerReference } }),
      });
      pages.push({ ids: page.items.map(({ cardId }) => cardId), reads });
      after = page.next;
    } while (after !== undefined);
    return pages;
  }

  const all = Array.from({ length: 45 }, (_, n) => 44 - n);
  const ids = (numbers: readonly number[]) => numbers.map((n) => `card-${n}`);

  it.each([1, 2, 7, 15, 44, 45, 46, 100])(
    'has every item once with %i per page, each page in one read',
    async (limit) => {
      const pages = await pagesOf(limit);

      expect(pages.flatMap((page) => page.ids)).toEqual(ids(all));
      expect(pages.slice(0, -1).every((page) => page.ids.length === limit)).toBe(true);
      expect(pages.every((page) => page.reads === 1)).toBe(true);
    },
  );

  it.each([3, 4, 12, 100])(
    'is complete with an equality filter and %i per page, and reads on for full pages',
    async (limit) => {
      const pages = await pagesOf(limit, 'guest');

      expect(pages.flatMap((page) => page.ids)).toEqual(ids(all.filter((n) => n % MATCHING === 0)));
      expect(pages.slice(0, -1).every((page) => page.ids.length === limit)).toBe(true);
      expect(pages.every((page) => page.reads <= MATCHING + 1)).toBe(true);
    },
  );

  it('continues from page to page when a filter matches hardly anything, even over an empty page', async () => {
    expect(await pagesOf(1, 'nobody')).toEqual([
      ...Array.from({ length: 4 }, () => ({ ids: [], reads: 10 })),
      { ids: [], reads: expect.any(Number) },
    ]);
  });

  it('has nothing of another kind or merchant', async () => {
    expect((await payments.list('sale', { merchantId, limit: 5 })).items).toEqual([]);
    expect((await payments.list('card', { merchantId: MERCHANT_ID, limit: 100 })).items).not.toContainEqual(
      expect.objectContaining({ merchantId }),
    );
  });
});

describe('a list over an index', () => {
  const merchantId = '44444444-0000-4000-8000-000000000000';

  it('takes the items of a page from the index, and shows them as they are now, in full', async () => {
    const timeline = [{ at: '2026-11-21T10:00:00.000Z', event: 'card.stored' }];
    await payments.create('card', 'whole', { ...card('whole', merchantId), timeline });

    const page = await payments.list('card', { merchantId, limit: 5 });

    expect(page.items).toEqual([await payments.get('card', 'whole')]);
    expect(page.items[0]).toMatchObject({ timeline });
  });

  it('leaves out what no longer matches the filter when the index lags', async () => {
    await payments.create('card', 'lagging', { ...card('lagging', merchantId), customerReference: 'before' });
    const documents = Object.create(database.documents);
    documents.send = async (command: QueryCommand) => {
      const answer = await database.documents.send(command);
      if (command instanceof QueryCommand) {
        await payments.change('card', 'lagging', () => ({ customerReference: 'after' }));
      }
      return answer;
    };
    const lagging = createPayments(documents, table, now);

    const page = await lagging.list('card', { merchantId, limit: 5, where: { customerReference: 'before' } });

    expect(page).toEqual({ items: [], next: undefined });
  });

  it('asks again for the items that DynamoDB left out of its answer', async () => {
    const documents = Object.create(database.documents);
    let left = 2;
    documents.send = async (command: BatchGetCommand) => {
      if (command instanceof BatchGetCommand && left-- > 0) {
        return { Responses: { payments: [] }, UnprocessedKeys: command.input.RequestItems };
      }
      return database.documents.send(command);
    };
    const throttled = createPayments(documents, table, now);

    expect((await throttled.list('card', { merchantId, limit: 5 })).items.map(({ cardId }) => cardId)).toEqual([
      'whole',
      'lagging',
    ]);
  });
});

describe('the reviews of all merchants', () => {
  const finding = (transactionId: string, merchantId: string): NewItem<'finding'> => ({
    ...{ transactionId, merchantId, id: 'x', reason: 'UNKNOWN_PAYMENT', state: 'open', amount: 1500, currency: 'EUR' },
  });

  it('are listed latest first, page by page, and only while they are open', async () => {
    const other = '55555555-0000-4000-8000-000000000000';
    for (const [n, merchantId] of [MERCHANT_ID, other, MERCHANT_ID].entries()) {
      at += 1000;
      await payments.create('finding', `finding-${n}`, finding(`finding-${n}`, merchantId));
    }

    const first = await payments.reviews('finding', 2);
    const second = await payments.reviews('finding', 2, first.next);

    expect([first, second].map(({ items }) => items.map(({ transactionId }) => transactionId))).toEqual([
      ['finding-2', 'finding-1'],
      ['finding-0'],
    ]);
    expect(second.next).toBeUndefined();
    await payments.change('finding', 'finding-1', () => ({ state: 'done' as const }));
    expect((await payments.reviews('finding', 5)).items.map(({ transactionId }) => transactionId)).toEqual([
      'finding-2',
      'finding-0',
    ]);
  });

  it('keep their place when an item under review changes', async () => {
    at += 1000;
    await payments.change('finding', 'finding-0', () => ({ amount: 1600 }));

    expect((await payments.reviews('finding', 5)).items.map(({ transactionId }) => transactionId)).toEqual([
      'finding-2',
      'finding-0',
    ]);
  });
});

describe('due items', () => {
  it('are found once their time has come, longest due first, and no longer when they are not due', async () => {
    const seconds = (n: number) => new Date(at + n * 1000).toISOString();
    const inbox = (dueAt: string) => ({ subject: 's', merchantId: MERCHANT_ID, webhooks: [], dueAt });
    await payments.create('inbox', 'late', inbox(seconds(20)));
    await payments.create('inbox', 'soon', inbox(seconds(10)));
    await payments.create('inbox', 'never', { subject: 's', merchantId: MERCHANT_ID, webhooks: [] });

    expect(await payments.due(10)).toEqual([]);
    at += 30_000;
    expect(await payments.due(10)).toMatchObject([
      { kind: 'inbox', id: 'soon' },
      { kind: 'inbox', id: 'late' },
    ]);
    await payments.change('inbox', 'soon', () => ({ dueAt: undefined }));
    expect(await payments.due(10)).toMatchObject([{ id: 'late' }]);
  });

  it('are found in every shard, each item once, and no more than requested', async () => {
    const dueAt = new Date(at).toISOString();
    for (const subject of ['a', 'b', 'c', 'd', 'e']) {
      await payments.create('inbox', subject, { subject, merchantId: MERCHANT_ID, webhooks: [], dueAt });
    }

    expect((await payments.due(100)).map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'late']);
    expect(await payments.due(2)).toHaveLength(2);
  });

  it('are claimed without a new revision, and yet no concurrent write is lost', async () => {
    const dueAt = '2030-01-01T00:00:00.000Z';
    const webhook = { recipient: 'isv', eventTypeId: 1796, receivedAt: dueAt, sourceIp: '', state: 'new', attempts: 0 };
    const writes = Array.from({ length: 6 }, (_, n) => [
      payments.change('inbox', 'a', () => ({ dueAt })),
      payments.change('inbox', 'a', ({ webhooks }) => ({
        webhooks: [...webhooks, { ...webhook, state: 'new' as const, messageId: String(n) }],
      })),
    ]);
    await Promise.all(writes.flat());

    const item = await payments.get('inbox', 'a');
    expect(item).toMatchObject({ revision: 7, dueAt });
    expect(item?.webhooks).toHaveLength(6);
  });
});

describe('open items', () => {
  const stored = async (kind: Kind, id: string) => (await payments.get(kind, id)) as { dueAt?: string } | undefined;
  const inFiveMinutes = () => new Date(at + 300_000).toISOString();
  const event = { eventId: 'e', type: 't', at: '', status: 's' };
  const base = { merchantId: MERCHANT_ID, tokenization: { status: 'none' }, captures: [], timeline: [] };

  const openItems: [Kind, string, object, object][] = [
    ['sale', 'waits for its terminal', { status: 'awaiting_card' }, { status: 'declined' }],
    ['sale', 'is unconfirmed', { status: 'unconfirmed' }, { status: 'expired' }],
    [
      'sale',
      'has a card to store',
      { status: 'paid', tokenization: { status: 'pending' } },
      { tokenization: { status: 'refused' } },
    ],
    ['sale', 'has an unpublished event', { status: 'declined', outbox: [event] }, { outbox: undefined }],
    [
      'sale',
      'is under review',
      { status: 'needs_review', reconciledUntil: '2027-01-01T00:00:00.000Z' },
      { reconciledUntil: undefined },
    ],
    ['charge', 'has to be made', { status: 'created' }, { status: 'cancelled' }],
    ['charge', 'is held', { status: 'authorized' }, { status: 'captured' }],
    [
      'charge',
      'has a capture to make',
      { status: 'needs_review', captures: [{ status: 'pending' }] },
      { captures: [] },
    ],
    ['rf-order', 'is being created', { status: 'creating' }, { status: 'failed' }],
    ['rf-order', 'is not paid', { status: 'pending' }, { status: 'expired' }],
    ['card', 'is not stored', { status: 'pending' }, { status: 'active' }],
    ['inbox', 'is new', { webhooks: [{ state: 'new' }] }, { webhooks: [{ state: 'acted' }] }],
    ['delivery', 'is in progress', { state: 'pending' }, { state: 'delivered' }],
  ];

  it.each(openItems)('always have a due time: a %s that %s', async (kind, id, open, over) => {
    const key = `${kind} ${id}`;
    const change = (patch: object) => payments.change(kind, key, () => patch as never);
    const due = async () => (await payments.due(1_000)).filter((one) => one.kind === kind && one.id === key);

    await payments.create(kind, key, { ...base, ...open } as never);
    expect((await stored(kind, key))?.dueAt, 'after its creation').toBe(inFiveMinutes());

    const dueAt = (await stored(kind, key))?.dueAt;
    at += 60_000;
    await change({ executionArn: 'another' });
    expect((await stored(kind, key))?.dueAt, 'after another change').toBe(dueAt);

    await change({ dueAt: undefined });
    expect((await stored(kind, key))?.dueAt, 'after the due time was removed').toBe(inFiveMinutes());

    await change({ dueAt: '2030-01-01T00:00:00.000Z' });
    await change({ executionArn: 'a third one' });
    expect((await stored(kind, key))?.dueAt, 'after another due time was set').toBe('2030-01-01T00:00:00.000Z');

    await change({ dueAt: new Date(at).toISOString() });
    expect(await due()).toHaveLength(1);
    await change(over);
    expect(await due(), 'is over, and still due').toHaveLength(1);
    await change({ dueAt: undefined });
    expect(await stored(kind, key)).not.toHaveProperty('dueAt');
    expect(await due()).toEqual([]);
  });

  it('do not include refusals, leases and pointers', async () => {
    await payments.create('sale', 'refusal', { merchantId: MERCHANT_ID, refusedWith: 422 } as never);
    await payments.create('terminal-lease', 'lease', { merchantId: MERCHANT_ID, saleId: 's' } as never, {
      listed: false,
    });
    await payments.create('order-pointer', 'pointer', { merchantId: MERCHANT_ID, rfOrderId: 'r' });

    expect(await stored('sale', 'refusal')).not.toHaveProperty('dueAt');
    expect(await stored('terminal-lease', 'lease')).not.toHaveProperty('dueAt');
    expect(await stored('order-pointer', 'pointer')).not.toHaveProperty('dueAt');
  });
});

describe('the tokens table', () => {
  it('keeps the first of two writers, and accepts a new value when the old one has expired', async () => {
    const tokens = createTokens(database.documents, 'tokens', now);
    const expiresAt = Math.floor(at / 1000) + 600;

    expect(await tokens.put('ctok', 'ref', { token: 'first' }, expiresAt, 0)).toBe(true);
    expect(await tokens.put('ctok', 'ref', { token: 'second' }, expiresAt, 0)).toBe(false);
    at += 600_000;

    expect(await tokens.get('ctok', 'ref')).toBeUndefined();
    expect(await tokens.put('ctok', 'ref', { token: 'third' }, expiresAt + 600, 0)).toBe(true);
  });

  it('returns no expired value, although the table still has it', async () => {
    const tokens = createTokens(database.documents, 'tokens', now);
    await tokens.put('form', 'old', { html: '<form>' }, Math.floor(at / 1000) - 1, 0);

    expect(await tokens.get('form', 'old')).toBeUndefined();
  });
});
