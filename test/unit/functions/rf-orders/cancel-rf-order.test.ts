import { beforeEach, describe, expect, it } from 'vitest';
import { FaultError, RejectedError, TransientError, UnknownOutcomeError } from '../../../../shared/flow/errors.ts';
import { MINUTE, RfShop } from '../../../fakes/rf-shop.ts';
import { anyCall } from '../../../fakes/viva.ts';

let shop: RfShop;
let id: string;

beforeEach(async () => {
  shop = new RfShop();
  id = (await shop.post()).body.rfOrderId;
});

const lost = async () => {
  throw new TransientError('NO_ANSWER', 'none');
};

describe('DELETE /rf-orders/{rfOrderId}', () => {
  it('cancels the order at the platform, and shows no payment code any more', async () => {
    const got = await shop.cancel(id);

    expect(got).toMatchObject({ status: 200, body: { status: 'cancelled', final: true } });
    expect(got.body).not.toHaveProperty('instructions');
    expect(shop.state).toBe('cancelled');
    expect(shop.viva.asked.slice(2)).toEqual([{ method: 'cancelOrder', request: got.body.orderCode }]);
  });

  it('asks the platform once when it is called twice', async () => {
    await shop.cancel(id);

    expect((await shop.cancel(id)).status).toBe(200);
    expect(shop.viva.times('cancelOrder')).toBe(1);
  });

  it('continues a cancellation that the platform did not answer', async () => {
    shop.answers = { cancelOrder: lost };
    const got = await shop.cancel(id);
    shop.answers = {};

    await shop.pass(5 * MINUTE);

    expect(got).toMatchObject({ status: 202, body: { status: 'pending', cancelRequestedAt: expect.any(String) } });
    expect((await shop.order()).status).toBe('cancelled');
  });

  it.each([
    ['refuses it', new RejectedError('RF_CANCEL_REFUSED', 'no')],
    ['refuses our credentials', new FaultError('CREDENTIALS_REFUSED', 'no')],
    ['gives an unknown answer', new FaultError('PLATFORM_REFUSED', 'no')],
    ['leaves the order open', new UnknownOutcomeError('NO_CLEAR_ANSWER', 'no')],
  ])('answers 202 and keeps trying when the platform %s', async (_, error) => {
    shop.answers = { cancelOrder: () => Promise.reject(error), readOrder: () => Promise.reject(error) };
    const got = await shop.cancel(id);
    shop.answers = {};

    expect(got).toMatchObject({ status: 202, body: { status: 'pending', cancelRequestedAt: expect.any(String) } });
    await shop.pass(5 * MINUTE);
    expect((await shop.order()).status).toBe('cancelled');
  });

  it('reports only those faults to an operator that a person has to repair', async () => {
    shop.answers = { cancelOrder: () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')) };
    await shop.cancel(id);
    shop.answers = { cancelOrder: lost };
    await shop.cancel(id);

    expect(shop.faults).toEqual(['CREDENTIALS_REFUSED']);
  });

  it('recognizes by a read an order that the platform cancelled before and no longer finds', async () => {
    shop.state = 'cancelled';
    shop.answers = { cancelOrder: () => Promise.reject(new RejectedError('RF_CANCEL_REFUSED', 'not found')) };

    expect(await shop.cancel(id)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  it('answers 503 only when the cancellation could not be stored', async () => {
    shop.payments.change = () => Promise.reject(new TransientError('ITEM_CONTENDED', 'busy'));

    expect((await shop.cancel(id)).status).toBe(503);
  });

  it('answers 409 for a paid order, whether or not we knew of the payment', async () => {
    shop.pay(4200);
    shop.answers = { cancelOrder: () => Promise.reject(new RejectedError('RF_CANCEL_REFUSED', 'paid')) };

    const unknown = await shop.cancel(id);
    const known = await shop.cancel(id);

    expect(unknown).toMatchObject({ status: 409, body: { code: 'RF_ORDER_PAID' } });
    expect(known.status).toBe(409);
    expect((await shop.order()).status).toBe('paid');
  });

  it('cancels an order that the platform creates after its cancellation', async () => {
    let hold: (answer: { orderCode: string; call: typeof anyCall }) => void = () => {};
    shop = new RfShop();
    shop.answers = { createOrder: () => new Promise((resolve) => (hold = resolve)) };
    const creating = shop.post();
    await new Promise((resolve) => setTimeout(resolve, 20));

    const got = await shop.cancel((await shop.order()).rfOrderId);
    hold({ orderCode: '9912345678901235', call: anyCall });

    expect(got).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await creating).body).toMatchObject({ status: 'cancelled' });
    expect(shop.viva.asked.at(-1)).toMatchObject({ method: 'cancelOrder', request: '9912345678901235' });
  });

  it('records a payment of a cancelled order whose code was never shown', async () => {
    shop = new RfShop();
    shop.answers = { createPaymentCode: lost, cancelOrder: lost };
    const { rfOrderId } = (await shop.post({ notifyCustomer: true, customer: { email: 'guest@example.com' } })).body;
    expect((await shop.cancel(rfOrderId)).body.status).toBe('cancelled');

    shop.pay(4200);
    await shop.reconcile(rfOrderId);
    shop.now += 5 * MINUTE;
    await shop.reconcile(rfOrderId);

    expect(await shop.order()).toMatchObject({ status: 'paid', amountPaid: 4200 });
  });

  it('answers 404 for another merchant’s order', async () => {
    expect((await shop.cancel('5b0f4c57-9a53-4a1b-8f2f-7f107e6c1f8e')).status).toBe(404);
  });
});
