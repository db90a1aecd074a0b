/**
 * A refusal that is stored under its idempotency key has the id of the resource that it refused. It must never be taken
 * for that resource.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { listResources } from '../../../../functions/api/list-resources/endpoint.ts';
import { readResource } from '../../../../functions/api/read-resource/endpoint.ts';
import { requestCapture } from '../../../../functions/charge/request-capture/endpoint.ts';
import { cancelRfOrder } from '../../../../functions/rf-orders/cancel-rf-order/endpoint.ts';
import { createRfOrder } from '../../../../functions/rf-orders/create-rf-order/endpoint.ts';
import { abortSale } from '../../../../functions/sale/abort-sale/endpoint.ts';
import { createSale } from '../../../../functions/sale/create-sale/endpoint.ts';
import { targetOf } from '../../../../functions/webhooks/act-on-webhook/subject.ts';
import type { Kind } from '../../../../shared/payments/items.ts';
import { charge, chargeId } from '../../../fakes/items.ts';
import { account, call, type Got, merchantId, type Sent, Shop, terminalId } from '../../../fakes/storefront.ts';
import { FakeViva } from '../../../fakes/viva.ts';

let shop: Shop;
let viva: FakeViva;

beforeEach(() => {
  shop = new Shop();
  viva = new FakeViva();
  // This account has another industry, country and currency, so that each kind of request can be refused for good.
  shop.payments.put('account', merchantId, account({ industry: 'Retail', country: 'DE' }));
  shop.payments.put('charge', chargeId, charge({ status: 'authorized', preauth: true, authorizedAmount: 4000 }));
});

const deps = () => ({
  ...shop.deps,
  vivaFor: viva.for,
  retryTask: async () => {},
  completeTask: async () => {},
  onFault: () => {},
});
const post = (sent: Sent) => ({ ...sent, headers: { 'Idempotency-Key': 'key-1' } });

/** How each kind of refusal is made, and which endpoints could take it for a resource. */
const refusals: readonly {
  readonly kind: Kind;
  readonly refused: () => Promise<Got>;
  readonly takers: (id: string) => Promise<Got>[];
  readonly list: string;
}[] = [
  {
    kind: 'sale',
    refused: () => {
      const additionalCharge = { amount: 4000, saleToAcquirerData: { a: 1 } };
      const sale = { merchantId, terminalId, cashRegisterId: 'till-1', amount: 1500, currency: 'EUR', tokenize: true };
      return call(createSale, deps(), post({ route: 'POST /sales', body: { ...sale, additionalCharge } }));
    },
    takers: (saleId) => [
      call(readResource, deps(), { route: 'GET /sales/{saleId}', parameters: { saleId } }),
      call(abortSale, deps(), { route: 'POST /sales/{saleId}/abort', parameters: { saleId } }),
    ],
    list: 'GET /sales',
  },
  {
    kind: 'charge',
    refused: () => {
      const route = 'POST /charges/{chargeId}/capture';
      return call(requestCapture, deps(), post({ route, parameters: { chargeId }, body: { amount: 4001 } }));
    },
    takers: (id) => [
      call(readResource, deps(), { route: 'GET /charges/{chargeId}', parameters: { chargeId: id } }),
      call(requestCapture, deps(), {
        ...post({ route: 'POST /charges/{chargeId}/capture', parameters: { chargeId: id }, body: { amount: 1 } }),
      }),
    ],
    list: 'GET /charges',
  },
  {
    kind: 'rf-order',
    refused: () =>
      call(
        createRfOrder,
        { ...deps(), remainingMs: () => 24_000 },
        post({ route: 'POST /rf-orders', body: { merchantId, amount: 4200, currency: 'EUR' } }),
      ),
    takers: (rfOrderId) => [
      call(readResource, deps(), { route: 'GET /rf-orders/{rfOrderId}', parameters: { rfOrderId } }),
      call(cancelRfOrder, deps(), { route: 'DELETE /rf-orders/{rfOrderId}', parameters: { rfOrderId } }),
    ],
    list: 'GET /rf-orders',
  },
];

describe.each(refusals)('a stored refusal of kind $kind', ({ kind, refused, takers, list }) => {
  /** Returns the id that the refused resource would have had. */
  async function refusalId(): Promise<string> {
    const before = new Set(shop.payments.items.keys());
    expect((await refused()).status).toBe(422);
    const [pk = ''] = [...shop.payments.items.keys()].filter((key) => !before.has(key));
    expect(pk.startsWith(`${kind}#`)).toBe(true);
    return pk.slice(kind.length + 1);
  }

  it('is repeated byte for byte, and starts nothing', async () => {
    const first = await refused();
    const again = await refused();

    expect([again.status, again.text]).toEqual([422, first.text]);
    expect(again.headers).toMatchObject({
      'Content-Type': 'application/problem+json',
      'Idempotency-Replayed': 'true',
    });
    expect(again.headers).not.toHaveProperty('Location');
    expect([shop.started, viva.asked]).toEqual([[], []]);
  });

  it('answers 404 under its id', async () => {
    const id = await refusalId();

    expect((await Promise.all(takers(id))).map(({ status }) => status)).toEqual(takers(id).map(() => 404));
  });

  it('is not listed', async () => {
    const listed = async () =>
      (await call(listResources, shop.deps, { route: list, query: { merchantId } })).body.items;
    const before = await listed();
    await refusalId();

    expect(await listed()).toEqual(before);
  });

  it('is not the subject of a webhook', async () => {
    expect(await targetOf(await refusalId(), shop.payments)).toBeUndefined();
  });

  it('is never due', async () => {
    await refusalId();
    shop.now += 400 * 86_400_000;

    expect(await shop.payments.due(10)).toEqual([]);
  });
});
