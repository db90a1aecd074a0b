import { beforeEach, describe, expect, it } from 'vitest';
import { createRfOrder } from '../../../../functions/rf-orders/create-rf-order/endpoint.ts';
import { FaultError, RejectedError, TransientError } from '../../../../shared/flow/errors.ts';
import type { OrderRequest, VivaFor } from '../../../../shared/viva/viva.ts';
import { HOUR, MINUTE, RfShop } from '../../../fakes/rf-shop.ts';
import { account, call, merchantId, otherMerchantId } from '../../../fakes/storefront.ts';
import { anyCall, ORDER_CODE, RF_CODE } from '../../../fakes/viva.ts';

let shop: RfShop;

beforeEach(() => {
  shop = new RfShop();
});

const lost = async () => {
  throw new TransientError('NO_ANSWER', 'no answer');
};

describe('POST /rf-orders', () => {
  it('answers 201 with the code, plain and grouped, and with what the payer has to do', async () => {
    const got = await shop.post();

    expect(got.status).toBe(201);
    expect(got.headers).toMatchObject({ Location: `/v1/rf-orders/${got.body.rfOrderId}` });
    expect(got.body).toMatchObject({
      status: 'pending',
      final: false,
      orderCode: ORDER_CODE,
      rfCode: RF_CODE,
      rfCodeGrouped: 'RF94 9115 6000 0000 0000 01',
      amount: 4200,
      amountPaid: 0,
      currency: 'EUR',
      disableExactAmount: false,
      expiresAt: '2026-11-26T09:00:00.000Z',
      payments: [],
      late: false,
      overpaid: false,
    });
    for (const text of [got.body.instructions.en, got.body.instructions.el]) {
      expect(text).toContain('42.00 EUR');
      expect(text).toContain('RF94 9115 6000 0000 0000 01');
    }
  });

  it('ends the reference at the platform with our own id', async () => {
    const { body } = await shop.post();

    expect(shop.viva.asked[0]?.request).toMatchObject({ merchantTrns: `room 12 ${body.rfOrderId}` });
  });

  it.each<[string, object, object]>([
    ['no more than the request says', {}, {}],
    ['what the payer is shown', { customerTrns: 'Room 12' }, { customerTrns: 'Room 12' }],
    ['who pays', { customer: { fullname: 'M. P.' } }, { customer: { fullname: 'M. P.' } }],
    [
      'which amounts may differ',
      { disableExactAmount: true, expiresInSeconds: 600 },
      { disableExactAmount: true, expiresInSeconds: 600 },
    ],
  ])('sends the platform %s', async (_, change, expected) => {
    const { body } = await shop.post(change);

    const { amount, isvAmount, currency, customerTrns, customer, ...more } = shop.viva.asked[0]!
      .request as OrderRequest;
    const { disableExactAmount, expiresInSeconds, notifyCustomer, merchantTrns } = more;
    const asked = { amount, isvAmount, currency, disableExactAmount, expiresInSeconds, notifyCustomer, merchantTrns };
    expect({ ...asked, customerTrns, customer }).toEqual({
      amount: 4200,
      isvAmount: 0,
      currency: 'EUR',
      disableExactAmount: false,
      expiresInSeconds: 432_000,
      notifyCustomer: false,
      merchantTrns: `room 12 ${body.rfOrderId}`,
      ...expected,
    });
  });

  it('accepts an order that never expires', async () => {
    const { body } = await shop.post({ expiresInSeconds: null });

    expect(body.expiresAt).toBeNull();
    expect(shop.viva.asked[0]?.request).toMatchObject({ expiresInSeconds: null });
  });

  it('keeps order code and RF code out of the timeline', async () => {
    const { body } = await shop.post();

    expect(JSON.stringify(body.timeline)).not.toMatch(/RF94|99481/);
  });
});

describe('the time limit of the platform calls', () => {
  it('is what remains of the 8 seconds after which the storefront gets its answer', async () => {
    const given: number[] = [];
    const vivaFor: VivaFor = (_account, remainingMs) => {
      const answers = shop.viva.for(_account, remainingMs);
      return {
        ...answers,
        createOrder: async (request) => {
          given.push(remainingMs());
          shop.now += 3_000;
          given.push(remainingMs());
          return answers.createOrder(request);
        },
      };
    };
    const body = { merchantId, amount: 4200, currency: 'EUR' };

    await call(
      createRfOrder,
      { ...shop.deps, vivaFor },
      {
        route: 'POST /rf-orders',
        body,
        headers: { 'Idempotency-Key': 'key-1' },
      },
    );

    expect(given).toEqual([8_500, 5_500]);
  });
});

describe('an invalid RF order', () => {
  it.each([
    ['an amount below 30', { amount: 29 }, '/amount'],
    ['an ISV amount as large as the amount', { isvAmount: 4200 }, '/isvAmount'],
    ['an expiry below a minute', { expiresInSeconds: 59 }, '/expiresInSeconds'],
    ['an expiry above five days', { expiresInSeconds: 432_001 }, '/expiresInSeconds'],
    ['the number that means "never" to the platform', { expiresInSeconds: 65_535 }, '/expiresInSeconds'],
    ['an unknown field', { amountDue: 1 }, '/amountDue'],
    [
      'an e-mail address that is longer than the platform accepts',
      { customer: { email: `${'a'.repeat(50)}@b.gr` } },
      '/customer/email',
    ],
  ])('is refused with a pointer: %s', async (_, change, pointer) => {
    const got = await shop.post(change);

    expect(got.status).toBe(400);
    expect(got.body.errors).toContainEqual(expect.objectContaining({ pointer }));
    expect(shop.viva.asked).toHaveLength(0);
  });

  it.each([
    ['a currency other than EUR', {}, { currency: 'RON' }],
    ['an account outside Greece', { country: 'RO' }, {}],
    ['an account in another currency', { currency: 'RON' }, {}],
  ])('is refused for good: %s', async (_, settings, change) => {
    shop.payments.put('account', merchantId, account(settings));

    const first = await shop.post(change);
    shop.payments.put('account', merchantId, account({})); // Later changes of the account make no difference.
    const again = await shop.post(change);

    expect(first).toMatchObject({ status: 422, body: { code: 'RF_NOT_AVAILABLE', retryable: false } });
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
  });

  it('is refused when an ISV amount is sent for an account without an ISV', async () => {
    expect(await shop.post({ isvAmount: 10 })).toMatchObject({ status: 400, body: { code: 'ISV_AMOUNT_NOT_OFFERED' } });
  });

  it('is accepted with an ISV amount for a merchant of an ISV', async () => {
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));

    expect((await shop.post({ isvAmount: 10 })).status).toBe(201);
    expect(shop.viva.asked[0]?.request).toMatchObject({ isvAmount: 10 });
  });

  it('is not found for another merchant', async () => {
    expect((await shop.post({}, { merchants: otherMerchantId })).status).toBe(404);
  });
});

describe('a repeat with the same key', () => {
  it('gets the same bytes, and the platform is not asked again', async () => {
    const first = await shop.post();
    shop.pay(4200);
    await shop.reconcile(first.body.rfOrderId);
    const asked = shop.viva.asked.length;

    const again = await shop.post();

    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers).toEqual({ ...first.headers, 'Idempotency-Replayed': 'true' });
    expect(shop.viva.asked).toHaveLength(asked);
  });

  it.each([
    ['is gone', () => shop.payments.items.delete(`account#${merchantId}`)],
    ['would be refused', () => shop.payments.put('account', merchantId, account({ country: 'RO' }))],
  ])('gets the same bytes although the account %s now', async (_, change) => {
    const first = await shop.post();
    change();

    expect(await shop.post()).toMatchObject({ status: 201, text: first.text });
  });

  it('answers 404 when the access token no longer covers the merchant', async () => {
    await shop.post();

    expect((await shop.post({}, { merchants: otherMerchantId })).status).toBe(404);
  });

  it('is refused with another body', async () => {
    await shop.post();

    expect(await shop.post({ amount: 4300 })).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('waits while the first attempt works, and takes over when that attempt is dead', async () => {
    const call = Promise.withResolvers<never>();
    shop.answers = { createPaymentCode: () => call.promise };
    const dead = shop.post();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const early = await shop.post();
    shop.answers = {};
    shop.now += 30_000;

    const late = await shop.post();

    expect(early).toMatchObject({ status: 409, body: { code: 'RF_ORDER_IN_PROGRESS', retryable: true } });
    expect(early.headers).toHaveProperty('Retry-After');
    expect(late).toMatchObject({ status: 201, body: { status: 'pending', rfCode: RF_CODE } });
    call.reject(new Error('killed'));
    await dead;
    expect(shop.viva.times('createOrder')).toBe(1);
  });

  it('creates one order with one code when thirty arrive at the same time', async () => {
    const got = await Promise.all(Array.from({ length: 30 }, () => shop.post()));

    const answered = got.filter(({ status }) => status === 201);
    expect(answered.length).toBeGreaterThan(0);
    expect(got.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    expect(shop.viva.times('createOrder')).toBe(1);
  });
});

describe('a platform that does not answer', () => {
  it('leads to a 202, and the reconciler finishes with a new order', async () => {
    shop.answers = { createOrder: lost };
    const got = await shop.post();
    shop.answers = {};

    await shop.pass(2 * MINUTE);

    expect(got).toMatchObject({ status: 202, body: { status: 'creating', final: false } });
    expect(got.body).not.toHaveProperty('rfCode');
    expect(await shop.order()).toMatchObject({ status: 'pending', orderCode: ORDER_CODE, rfCode: RF_CODE });
    expect((await shop.post()).text).toBe(got.text);
  });

  it('is asked again for the code of the same order', async () => {
    shop.answers = { createPaymentCode: lost };
    await shop.post();
    shop.answers = {};

    await shop.pass(2 * MINUTE);

    expect((await shop.order()).status).toBe('pending');
    expect(shop.viva.times('createOrder')).toBe(1);
    expect(shop.viva.asked.filter(({ method }) => method === 'createPaymentCode')).toMatchObject([
      { request: ORDER_CODE },
      { request: ORDER_CODE },
      { request: ORDER_CODE },
    ]);
  });

  it('is asked a second time before the storefront gets its answer', async () => {
    shop.answers = {
      createPaymentCode: async () => {
        shop.answers = {};
        return lost();
      },
    };

    expect(await shop.post()).toMatchObject({ status: 201, body: { status: 'pending', rfCode: RF_CODE } });
    expect(shop.viva.times('createOrder')).toBe(1);
  });

  it('for half an hour ends the order, which is cancelled because nobody saw its code', async () => {
    shop.answers = { createPaymentCode: lost };
    await shop.post();

    await shop.pass(HOUR);

    expect(await shop.order()).toMatchObject({ status: 'failed', failure: { code: 'RF_NOT_CREATED' } });
    expect(shop.viva.times('cancelOrder')).toBe(1);
  });

  it('because our credentials are refused leads to a 500, and the key can be used again', async () => {
    shop.answers = { createOrder: () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')) };
    const got = await shop.post();
    shop.answers = {};

    expect(got.status).toBe(500);
    expect(await shop.post()).toMatchObject({ status: 201, body: { status: 'pending' } });
  });
});

describe('the code of an RF order', () => {
  it('is shown only once: the order of a slower attempt is cancelled', async () => {
    let hold: (code: { orderCode: string; call: typeof anyCall }) => void = () => {};
    shop.answers = { createOrder: () => new Promise((resolve) => (hold = resolve)) };
    const slow = shop.post();
    await new Promise((resolve) => setTimeout(resolve, 20));
    shop.now += 30_000;
    shop.answers = {};
    const fast = await shop.post();

    hold({ orderCode: '9912345678901235', call: anyCall });
    const late = await slow;

    expect(late.text).toBe(fast.text);
    expect(shop.viva.asked.filter(({ method }) => method === 'cancelOrder')).toMatchObject([
      { request: '9912345678901235' },
    ]);
  });

  it('is not shown when its check digits are wrong', async () => {
    shop.answers = { createPaymentCode: async () => ({ rfCode: RF_CODE.replace(/1$/, '2'), call: anyCall }) };

    const got = await shop.post();

    expect(got).toMatchObject({ status: 502, body: { code: 'RF_CODE_INVALID', retryable: false } });
    expect(got.text).not.toMatch(/RF9|orderCode/);
    expect(await shop.order()).toMatchObject({ status: 'failed', failure: { code: 'RF_CODE_INVALID' } });
    expect(shop.viva.times('cancelOrder')).toBe(1);
  });

  it.each([
    ['createOrder', 'ACCOUNT_NOT_READY'],
    ['createOrder', 'RF_ORDER_REFUSED'],
    ['createPaymentCode', 'RF_NOT_ENABLED'],
  ] as const)('is replaced by a stored refusal when the platform refuses %s: %s', async (method, code) => {
    const refusal = new RejectedError(code, 'no', { context: { platformStatus: 403 } });
    shop.answers = { [method]: () => Promise.reject(refusal) };

    const got = await shop.post();
    const again = await shop.post();

    expect(got).toMatchObject({ status: 422, body: { code, platform: { status: 403 } } });
    expect(got.headers).toMatchObject({ 'Content-Type': 'application/problem+json' });
    expect(again).toMatchObject({ status: 422, text: got.text });
    expect(again.headers).toEqual({ ...got.headers, 'Idempotency-Replayed': 'true' });
    expect(await shop.order()).toMatchObject({
      rfOrderId: got.body.rfOrderId,
      status: 'failed',
      failure: { code },
    });
  });
});

describe('a refusal that belongs to another kind of payment', () => {
  it('is shown as a refusal of the order, and keeps its own code in the item', async () => {
    shop.answers = { createOrder: () => Promise.reject(new RejectedError('TERMINAL_REFUSED', 'no')) };

    expect(await shop.post()).toMatchObject({ status: 422, body: { code: 'RF_ORDER_REFUSED' } });
    expect((await shop.order()).failure).toMatchObject({ code: 'TERMINAL_REFUSED' });
  });
});

describe('order codes above 2^53', () => {
  it('are returned exactly, for a thousand of them', async () => {
    const codes = Array.from({ length: 1000 }, (_, n) => String(9_007_199_254_740_993n + BigInt(n) * 2n));
    let next = 0;
    shop.answers = { createOrder: async () => ({ orderCode: codes[next++] ?? '', call: anyCall }) };

    for (const [n, code] of codes.entries()) {
      const { body } = await shop.post({}, { key: `key-${n}` });
      expect(body.orderCode).toBe(code);
      expect(await shop.payments.get('order-pointer', code)).toMatchObject({ rfOrderId: body.rfOrderId });
    }
  });
});

it('a slow attempt that is refused does not end an order that was shown meanwhile', async () => {
  const shop = new RfShop();
  let refuse: (error: Error) => void = () => {};
  shop.answers = { createPaymentCode: () => new Promise((_, reject) => (refuse = reject)) };
  const slow = shop.post();
  while (shop.viva.times('createPaymentCode') === 0) {
    await Promise.resolve();
  }
  shop.now += 31_000;
  shop.answers = {};
  const shown = await shop.post();
  refuse(new RejectedError('RF_NOT_ENABLED', 'no'));
  await slow;

  expect(shown.status).toBe(201);
  expect(await shop.order()).toMatchObject({ status: 'pending', rfCode: expect.any(String) });
  expect(shop.viva.times('cancelOrder')).toBe(0);
});
