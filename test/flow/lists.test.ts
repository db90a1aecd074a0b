import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listResources } from '../../functions/api/list-resources/endpoint.ts';
import { cursorOf } from '../../shared/api/requests/list.ts';
import { createPayments, type Payments } from '../../shared/payments/store.ts';
import { startDatabase, type TestDatabase } from '../fakes/dynamodb.ts';
import { card, charge } from '../fakes/items.ts';
import { account, call, merchantId, type Sent } from '../fakes/storefront.ts';

const table = { name: 'payments', dueShards: 16 };
let database: TestDatabase;
let payments: Payments;
let at = Date.parse('2026-11-21T10:00:00Z');
const now = () => at;

beforeAll(async () => {
  database = await startDatabase();
  payments = createPayments(database.documents, table, now);
  await payments.create('account', merchantId, account({}), { listed: false });
  for (let n = 0; n < 5; n++) {
    at += 1_000;
    await payments.create('card', `card-${n}`, card({ cardId: `card-${n}` }));
    await payments.create('charge', `charge-${n}`, charge({ chargeId: `charge-${n}` }));
  }
});
afterAll(() => database.close());

const list = (query: Sent['query'], route = 'GET /cards') =>
  call(listResources, { payments, now }, { route, query: { merchantId, ...query } });

describe('a list between two times', () => {
  it.each([
    [5, { createdTo: '9999-12-31T23:59:59Z' }],
    [5, { createdTo: '9000-01-01T00:00:00Z' }],
    [5, { createdFrom: '0000-01-01T00:00:00Z' }],
    [0, { createdFrom: '9000-01-01T00:00:00Z' }],
    [0, { createdFrom: '9999-12-31T23:59:59Z' }],
    [0, { createdTo: '0000-01-01T00:00:00Z' }],
    [0, { createdFrom: '2026-11-21T10:00:01Z', createdTo: '2026-11-21T10:00:01Z' }],
    [1, { createdFrom: '2026-11-21T10:00:01Z', createdTo: '2026-11-21T10:00:02Z' }],
  ])('has %i items for %o', async (count, query) => {
    const { status, body } = await list(query);

    expect([status, body.items.length]).toEqual([200, count]);
  });

  it.each([
    { createdFrom: '9999-12-31T23:59:59-01:00' },
    { createdTo: '9999-12-31T23:59:59-01:00' },
    { createdFrom: '0000-01-01T00:00:00+01:00' },
    { createdTo: '0000-01-01T00:00:00+01:00' },
  ])('is refused for a time outside the calendar: %o', async (query) => {
    const { status, body } = await list(query);

    expect(status).toBe(400);
    expect(body.errors[0].parameter).toBe(Object.keys(query)[0]);
  });

  it('goes on behind a page, and not behind a page of other times', async () => {
    const { body } = await list({ limit: '2' });
    const cursor = body.next as string;
    const behind = await list({ cursor, createdTo: '9000-01-01T00:00:00Z' });

    expect(behind.body.items).toHaveLength(3);
    expect((await list({ cursor, createdFrom: '9000-01-01T00:00:00Z' })).status).toBe(400);
    expect((await list({ cursor, createdTo: '2026-11-21T10:00:01Z' })).status).toBe(400);
  });
});

describe('a list', () => {
  const rarely = <T>(odd: fc.Arbitrary<T>, usual: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 1, arbitrary: odd }, { weight: 9, arbitrary: usual });
  const odd = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('', '%00', '\ud800', 'null'));
  const year = fc.constantFrom('0000', '0001', '1969', '2026', '8999', '9000', '9999');
  const rest = fc.constantFrom('-01-01T00:00:00', '-12-31T23:59:59', '-11-21T10:00:02.000', '-11-21T10:00:02.999999');
  const zone = rarely(fc.constantFrom('', '+24:00'), fc.constantFrom('Z', '+00:00', '-00:00', '+14:00', '-23:59'));
  const moment = rarely(
    fc.oneof(odd, fc.constantFrom('+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '2026-02-30T00:00:00Z')),
    fc.tuple(year, rest, zone).map((parts) => parts.join('')),
  );
  const id = fc.constantFrom('card-3', 'charge-3', 'nobody', 'a'.repeat(60));
  const stored = fc.tuple(fc.constantFrom('2026-11-21T10:00:03.000Z', '9999-12-31T23:59:59.999Z'), id);
  const place = rarely(fc.tuple(moment, rarely(odd, id)), stored).map((parts) => parts.join('#'));
  const query = fc.record(
    {
      createdFrom: moment,
      createdTo: moment,
      cursor: rarely(fc.oneof(place, odd), place.map(cursorOf)),
      limit: rarely(odd, fc.constantFrom('1', '2', '100')),
      status: rarely(odd, fc.constantFrom('active', 'created', 'charged')),
      merchantTrns: odd,
    },
    { requiredKeys: [] },
  );

  it('answers every query, or says what is wrong with it', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('GET /cards', 'GET /charges'), async (asked, route) => {
        const { status, body } = await list(asked, route);

        expect(status === 200 || (status === 400 && body.errors.length > 0)).toBe(true);
      }),
      { numRuns: 600 },
    );
  });
});
