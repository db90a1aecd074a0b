import { beforeEach, describe, expect, it } from 'vitest';
import { listResources } from '../../../../functions/api/list-resources/endpoint.ts';
import { card, charge, chargeId, sale } from '../../../fakes/items.ts';
import { call, merchantId, otherMerchantId, type Sent, Shop } from '../../../fakes/storefront.ts';

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

function list(query: Sent['query'] = {}, sent: Partial<Sent> = {}) {
  return call(listResources, shop.deps, { route: 'GET /sales', query: { merchantId, ...query }, ...sent });
}

function sales(count: number): void {
  for (let n = 1; n <= count; n++) {
    shop.now += 1_000;
    shop.payments.put('sale', `sale-${n}`, sale({ saleId: `sale-${n}`, status: n % 2 === 0 ? 'paid' : 'declined' }));
  }
}

const ids = (items: { saleId: string }[]) => items.map(({ saleId }) => saleId);

describe('GET /sales, /cards and /charges', () => {
  it('lists sales newest first, page by page, each once, and ends', async () => {
    sales(5);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list({ limit: '2', ...(cursor && { cursor }) });
      seen.push(...ids(body.items));
      cursor = body.next;
    } while (cursor !== undefined);

    expect(seen).toEqual(['sale-5', 'sale-4', 'sale-3', 'sale-2', 'sale-1']);
  });

  it('lists only what the filters ask for', async () => {
    sales(4);
    const createdFrom = '2026-11-21T11:00:02+02:00';

    expect(ids((await list({ status: 'paid' })).body.items)).toEqual(['sale-4', 'sale-2']);
    expect(ids((await list({ createdFrom, createdTo: '2026-11-21T09:00:04Z' })).body.items)).toEqual([
      'sale-3',
      'sale-2',
    ]);
  });

  it('shows sales with their charge and without the timeline', async () => {
    shop.payments.put('charge', chargeId, charge());
    shop.payments.put('sale', 'sale-1', sale({ saleId: 'sale-1', chargeId }));

    const { body } = await list();

    expect(body.items[0]).toMatchObject({ saleId: 'sale-1', additionalCharge: { chargeId } });
    expect(body.items[0]).not.toHaveProperty('timeline');
  });

  it('lists stored cards only, and marks the expired ones', async () => {
    shop.payments.put('card', 'a', card({ cardId: 'a' }));
    shop.payments.put('card', 'b', card({ cardId: 'b', expirationYear: 2025 }));
    shop.payments.put('card', 'c', card({ cardId: 'c', status: 'deleted' }));
    await shop.payments.create('card', 'd', card({ cardId: 'd', aliasOf: 'a' }), { listed: false });
    const cards = (query = {}) => list(query, { route: 'GET /cards' });
    const cardIds = ({ body }: Awaited<ReturnType<typeof cards>>) =>
      body.items.map(({ cardId }: { cardId: string }) => cardId).sort();

    expect(cardIds(await cards())).toEqual(['a', 'b']);
    expect(cardIds(await cards({ status: 'expired' }))).toEqual(['b']);
  });

  it('lists the charges of the merchant only', async () => {
    shop.payments.put('charge', chargeId, charge());
    shop.payments.put('charge', 'other', charge({ chargeId: 'other', merchantId: otherMerchantId }));

    const { body } = await list({}, { route: 'GET /charges' });

    expect(body.items).toHaveLength(1);
  });

  it.each([
    ['not in the access token', merchantId, otherMerchantId],
    ['unknown', '00000000-0000-4000-8000-000000000000', 'all'],
  ])('answers 404 for a merchant that is %s', async (_, id, merchants) => {
    expect((await list({ merchantId: id }, { merchants })).status).toBe(404);
  });

  it.each([
    ['limit', { limit: '0' }],
    ['limit', { limit: '101' }],
    ['limit', { limit: 'many' }],
    ['limit', { limit: ['1', '2'] }],
    ['status', { status: 'lost' }],
    ['createdFrom', { createdFrom: 'yesterday' }],
    ['createdTo', { createdFrom: '2026-11-21T09:00:00Z', createdTo: '2026-11-20T09:00:00Z' }],
    ['cursor', { cursor: 'bm9uc2Vuc2U' }],
    ['merchantId', { merchantId: 'me' }],
    ['sort', { sort: 'amount' }],
  ])('refuses a %s that it does not understand', async (parameter, query) => {
    const got = await list(query);

    expect(got).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(got.body.errors[0].parameter).toBe(parameter);
  });

  it('refuses a text that is not valid UTF-8', async () => {
    const { status, body } = await list({ merchantTrns: 'room \uFFFD' });

    expect(status).toBe(400);
    expect(body.errors).toEqual([{ parameter: 'merchantTrns', detail: 'is not valid UTF-8' }]);
  });

  it('requires a merchant, and accepts merchantTrns for sales and charges only', async () => {
    const without = await call(listResources, shop.deps, { route: 'GET /sales' });
    const cards = await list({ merchantTrns: 'x' }, { route: 'GET /cards' });

    expect(without.body.errors).toEqual([{ parameter: 'merchantId', detail: 'is required' }]);
    expect(cards.status).toBe(400);
  });
});
