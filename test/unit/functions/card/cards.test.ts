import { beforeEach, describe, expect, it } from 'vitest';
import { forgetCard } from '../../../../functions/card/forget-card/endpoint.ts';
import { storeCard } from '../../../../functions/card/store-card/endpoint.ts';
import { card, cardId } from '../../../fakes/items.ts';
import { call, merchantId, otherMerchantId, type Sent, Shop } from '../../../fakes/storefront.ts';

const body = {
  merchantId,
  transactionId: 'C0FFEE00-0000-4000-8000-000000000002',
  consent: { at: '2026-11-21T11:00:00+02:00', reference: 'form 7' },
};

let shop: Shop;
let removed: string[];
let isTableDown: boolean;

beforeEach(() => {
  shop = new Shop();
  removed = [];
  isTableDown = false;
});

function post(sent: Partial<Sent> = {}) {
  return call(storeCard, shop.deps, {
    route: 'POST /cards',
    headers: { 'Idempotency-Key': 'key-1' },
    body,
    ...sent,
  });
}

function forget(id = cardId, sent: Partial<Sent> = {}) {
  const tokens = {
    remove: async (kind: string, ref: string) => {
      if (isTableDown) {
        throw new Error('no answer');
      }
      removed.push(`${kind}#${ref}`);
    },
  };
  const deps = { payments: shop.payments, tokens };
  return call(forgetCard, deps, { route: 'DELETE /cards/{cardId}', parameters: { cardId: id }, ...sent });
}

describe('POST /cards', () => {
  it('answers 202 and starts an execution named after the request', async () => {
    const got = await post();

    expect(got.status).toBe(202);
    expect(got.body).toMatchObject({
      status: 'pending',
      final: false,
      transactionId: body.transactionId.toLowerCase(),
      consent: { at: '2026-11-21T09:00:00.000Z', reference: 'form 7' },
    });
    expect(got.body.cardId).toMatch(/^card_[0-9a-f]{32}$/);
    expect(got.headers['Location']).toBe(`/v1/cards/${got.body.cardId}`);
    expect(shop.started).toEqual([
      { name: got.body.cardId, input: { saleId: null, cardId: got.body.cardId, chargeId: null } },
    ]);
  });

  it('answers concurrent identical requests with one card request and identical answers', async () => {
    const got = await Promise.all(Array.from({ length: 10 }, () => post()));

    expect(new Set(got.map(({ text, status }) => `${status} ${text}`)).size).toBe(1);
  });

  it('does not restart a request that has ended', async () => {
    const { body: first } = await post();
    await shop.payments.change('card', first.cardId, () => ({ status: 'refused' as const }));

    const again = await post();

    expect(again.body).toEqual(first);
    expect(shop.started).toHaveLength(1);
  });

  it('repeats the first answer, and starts what was not started, even when the account is gone', async () => {
    shop.outage = new Error('states are away');
    const first = await post();
    shop.outage = undefined;
    shop.payments.items.delete(`account#${merchantId}`);

    const again = await post();

    expect(first).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(again).toMatchObject({ status: 202, headers: { 'Idempotency-Replayed': 'true' } });
    expect(shop.started.map(({ name }) => name)).toEqual([again.body.cardId]);
  });

  it('answers a repeat with 404 when the access token no longer covers the merchant', async () => {
    await post();

    expect((await post({ merchants: otherMerchantId })).status).toBe(404);
  });

  it('answers 404 for a merchant without an account, and writes nothing', async () => {
    shop.payments.items.delete(`account#${merchantId}`);

    expect((await post()).status).toBe(404);
    expect(shop.payments.writes).toBe(0);
  });

  it('answers 422 when the key was used with another transaction', async () => {
    await post();

    const got = await post({ body: { ...body, transactionId: 'c0ffee00-0000-4000-8000-000000000003' } });

    expect(got.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('answers 404 for a merchant that is not in the access token', async () => {
    expect((await post({ merchants: otherMerchantId })).status).toBe(404);
  });
});

describe('DELETE /cards/{cardId}', () => {
  it('removes the card’s token and the holder’s data', async () => {
    shop.payments.put('card', cardId, card());

    const got = await forget();

    expect(got).toMatchObject({ status: 204, text: '' });
    expect(removed).toEqual([`ct#${cardId}`]);
    expect(await shop.payments.get('card', cardId)).not.toHaveProperty('customerReference');
  });

  it('also accepts the id of the request that stored the card', async () => {
    const requestId = `card_${'cd'.repeat(16)}`;
    shop.payments.put('card', requestId, card({ cardId: requestId, aliasOf: cardId }));
    shop.payments.put('card', cardId, card());

    expect((await forget(requestId)).status).toBe(204);
    expect(removed).toEqual([`ct#${cardId}`]);
  });

  it('answers a repeat with 404, and removes a token that an earlier attempt left behind', async () => {
    shop.payments.put('card', cardId, card());
    await forget();

    const again = await forget();

    expect(again.status).toBe(404);
    expect(removed).toEqual([`ct#${cardId}`, `ct#${cardId}`]);
  });

  it('leaves a card due whose token could not be removed', async () => {
    shop.payments.put('card', cardId, card());
    isTableDown = true;

    expect((await forget()).status).toBe(500);

    expect(await shop.payments.get('card', cardId)).toMatchObject({ status: 'deleted', tokenLeft: true });
    expect((await shop.payments.get('card', cardId))?.dueAt).toBeDefined();
  });

  it('answers 409 while the card is still being stored', async () => {
    shop.payments.put('card', cardId, card({ status: 'pending' }));

    const got = await forget();

    expect(got.status).toBe(409);
    expect(got.body).toMatchObject({ code: 'CARD_PENDING', retryable: true });
    expect(removed).toEqual([]);
  });

  it('answers 404 for a card of another merchant, and removes nothing', async () => {
    shop.payments.put('card', cardId, card());

    expect((await forget(cardId, { merchants: otherMerchantId })).status).toBe(404);
    expect(removed).toEqual([]);
  });
});
