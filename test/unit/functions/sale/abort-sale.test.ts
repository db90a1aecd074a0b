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

describe('aborting a sale', () => {
  it('records the wish and wakes the state that waits for the terminal', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));

    const { status, body, headers } = await abort();

    expect(status).toBe(202);
    expect(body).toMatchObject({ saleId, status: 'awaiting_card', abortRequestedAt: '2026-11-21T09:00:00.000Z' });
    expect(body.timeline.at(-1)).toMatchObject({ event: 'sale.abort_requested' });
    expect(headers['ETag']).toBe('"2"');
    expect(woken).toEqual([['waiting', 'TransientError', 'ABORT_REQUESTED']]);
  });

  it('again changes nothing', async () => {
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
  ] as [string, Partial<Sale>][])('is too late for a sale that is %s', async (_, change) => {
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
  ] as [Partial<Sale>][])('leaves a sale that ended unpaid as it is: %o', async (change) => {
    shop.payments.put('sale', saleId, sale({ ...change, taskToken: 'old' }));

    const { status, body } = await abort();

    expect(status).toBe(202);
    expect(body).not.toHaveProperty('abortRequestedAt');
    expect(shop.payments.writes).toBe(0);
    expect(woken).toEqual([]);
  });

  it('that was paid meanwhile is too late', async () => {
    shop.payments.put('sale', saleId, sale());
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { status: 'paid', transactionId: 't' });

    expect(await abort()).toMatchObject({ status: 409, body: { code: 'SALE_NOT_ABORTABLE' } });

    expect(await shop.payments.get('sale', saleId)).not.toHaveProperty('abortRequestedAt');
  });

  it('that ended meanwhile asks nobody to stop', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { status: 'declined' });

    expect((await abort()).body).not.toHaveProperty('abortRequestedAt');

    expect(woken).toEqual([]);
  });

  it('twice at the same time wakes whoever waits once', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'waiting' }));

    await Promise.all([abort(), abort(), abort()]);

    expect(woken).toHaveLength(1);
  });

  it('wakes the attempt that waits now, not the one it has read of', async () => {
    shop.payments.put('sale', saleId, sale({ taskToken: 'older' }));
    shop.payments.rival = () => shop.payments.overwrite('sale', saleId, { taskToken: 'newer' });

    await abort();

    expect(woken).toEqual([['newer', 'TransientError', 'ABORT_REQUESTED']]);
  });

  it('of another merchant is 404', async () => {
    shop.payments.put('sale', saleId, sale());

    expect((await abort({ merchants: otherMerchantId })).status).toBe(404);
  });

  it('takes no fields', async () => {
    shop.payments.put('sale', saleId, sale());

    expect((await abort({ body: { reason: 'left' } })).status).toBe(400);
  });
});
