import { beforeEach, describe, expect, it } from 'vitest';
import { abortSale } from '../../../../functions/sale/abort-sale/endpoint.ts';
import type { Sale } from '../../../../shared/payments/items.ts';
import { sale, saleId } from '../../../fakes/items.ts';
import { call, otherMerchantId, type Sent, Shop } from '../../../fakes/storefront.ts';

let shop: Shop;
let woken: unknown[];

beforeEach(() => {
  shop = new Shop();
  woken = [];
});

function abort(sent: Partial<Sent> = {}) {
  const retryTask = async (...task: unknown[]) => {
    woken.push(task);
  };
  const deps = { ...shop.deps, retryTask };
  return call(abortSale, deps, { route: 'POST /sales/{saleId}/abort', parameters: { saleId }, ...sent });
}

describe('POST /sales/{saleId}/abort', () => {
  it('records the request and wakes the state that waits for the terminal', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));

    const { status, body, headers } = await abort();

    expect(status).toBe(202);
    expect(body).toMatchObject({ saleId, status: 'awaiting_card', abortRequestedAt: '2026-11-21T09:00:00.000Z' });
    expect(body.timeline.at(-1)).toMatchObject({ event: 'sale.abort_requested' });
    expect(headers['ETag']).toBe('"2"');
    expect(woken).toEqual([['waiting', 'TransientError', 'ABORT_REQUESTED']]);
  });

  it('changes nothing when it is repeated', async () => {
    shop.payments.put('sale', saleId, sale());
    const first = await abort();
    shop.now += 5_000;

    const again = await abort({ body: {} });

    expect(again.text).toBe(first.text);
  });

  it.each([
    ['paid', { status: 'paid', transactionId: 't' }],
    ['tokenized', { status: 'tokenized', transactionId: 't' }],
    ['reversed by the platform', { status: 'reversed', transactionId: 't' }],
    ['approved and not read yet', { status: 'awaiting_card', transactionId: 't' }],
    ['under review with a payment', { status: 'needs_review', transactionId: 't' }],
  ] as [string, Partial<Sale>][])('answers 409 for a sale that is %s', async (_, change) => {
    shop.payments.put('sale', saleId, sale(change));

    const { status, body } = await abort();

    expect(status).toBe(409);
    expect(body.code).toBe('SALE_NOT_ABORTABLE');
    expect(shop.payments.writes).toBe(0);
  });

  it.each([
    [{ status: 'declined', transactionId: 't' }],
    [{ status: 'cancelled' }],
    [{ status: 'expired' }],
    [{ status: 'needs_review' }],
  ] as [Partial<Sale>][])('leaves a sale that ended unpaid unchanged: %o', async (change) => {
    shop.payments.put('sale', saleId, sale({ ...change, taskToken: 'old' }));

    const { status, body } = await abort();

    expect(status).toBe(202);
    expect(body).not.toHaveProperty('abortRequestedAt');
    expect(shop.payments.writes).toBe(0);
    expect(woken).toEqual([]);
  });

  it('answers 409 for a sale that was paid meanwhile', async () => {
    shop.payments.put('sale', saleId, sale());
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { status: 'paid', transactionId: 't' });

    expect(await abort()).toMatchObject({ status: 409, body: { code: 'SALE_NOT_ABORTABLE' } });

    expect(await shop.payments.get('sale', saleId)).not.toHaveProperty('abortRequestedAt');
  });

  it('does not ask the terminal to stop when the sale ended meanwhile', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { status: 'declined' });

    expect((await abort()).body).not.toHaveProperty('abortRequestedAt');

    expect(woken).toEqual([]);
  });

  it('wakes the execution once for two concurrent requests', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));

    await Promise.all([abort(), abort(), abort()]);

    expect(woken).toHaveLength(1);
  });

  it('wakes the attempt that waits now, not the one it read before', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'older' }));
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { taskToken: 'newer' });

    await abort();

    expect(woken).toEqual([['newer', 'TransientError', 'ABORT_REQUESTED']]);
  });

  it('answers 404 for another merchant’s sale', async () => {
    shop.payments.put('sale', saleId, sale());

    expect((await abort({ merchants: otherMerchantId })).status).toBe(404);
  });

  it('refuses a body with fields', async () => {
    shop.payments.put('sale', saleId, sale());

    expect((await abort({ body: { reason: 'left' } })).status).toBe(400);
  });
});
