import { describe, expect, it } from 'vitest';
import { instantOf } from '../../../../shared/viva/athens.ts';
import type { OrderRequest } from '../../../../shared/viva/viva.ts';
import { json } from '../../../fakes/network.ts';
import { basic, clientOf, MERCHANT_ID, rejection } from './account.ts';

const ORDER_CODE = '9948100551072601';

const request: OrderRequest = {
  amount: 4200,
  isvAmount: 0,
  currency: 'EUR',
  disableExactAmount: false,
  expiresInSeconds: 432_000,
  merchantTrns: 'room 12 order-1',
  notifyCustomer: true,
};

const transaction = {
  TransactionId: 'tx-1',
  Amount: 42.0,
  CurrencyCode: '978',
  StatusId: 'F',
  MerchantId: MERCHANT_ID,
  ParentId: null,
  InsDate: '2026-11-21T12:00:00+02:00',
  Order: { OrderCode: 0 },
  TransactionType: { TransactionTypeId: 15 },
};
/** As the platform writes it: a number that JavaScript cannot represent. */
const withOrderCode = (body: unknown) => JSON.stringify(body).replace('"OrderCode":0', `"OrderCode":${ORDER_CODE}`);

const listOf = (...transactions: unknown[]) =>
  withOrderCode({ Transactions: transactions, ErrorCode: 0, Success: true });

describe('a request about an RF order', () => {
  it('creates a merchant’s order with Smart Checkout credentials', async () => {
    const { viva, asked } = clientOf(() => json(200, `{"orderCode":${ORDER_CODE}}`));

    await viva.createOrder({
      ...request,
      customerTrns: 'booking',
      customer: { email: 'a@b.gr', fullname: 'A Guest', requestLang: 'el', countryCode: 'GR', phone: '+30210' },
    });

    expect(asked()[0]).toMatchObject({
      host: 'api.test',
      path: '/checkout/v2/orders',
      authorization: 'Bearer smart-1',
    });
    expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({
      amount: 4200,
      currencyCode: '978',
      disableExactAmount: false,
      paymentNotification: true,
      paymentTimeout: 432_000,
      merchantTrns: 'room 12 order-1',
      customerTrns: 'booking',
      customer: { email: 'a@b.gr', fullName: 'A Guest', requestLang: 'el-GR', countryCode: 'GR', phone: '+30210' },
    });
  });

  it('leaves out what was not given about the payer', async () => {
    const { viva, asked } = clientOf(() => json(200, { orderCode: ORDER_CODE }));

    await viva.createOrder({ ...request, customer: {} });

    expect(JSON.parse(asked()[0]?.body ?? '')).not.toHaveProperty('customer');
  });

  it('names the merchant and carries the ISV amount for an ISV', async () => {
    const { viva, asked } = clientOf(() => json(200, { orderCode: ORDER_CODE }), { mode: 'isv' });

    await viva.createOrder({ ...request, isvAmount: 100 });

    expect(asked()[0]).toMatchObject({
      path: '/checkout/v2/isv/orders',
      query: { merchantId: MERCHANT_ID },
      authorization: 'Bearer isv-1',
    });
    expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({ isvAmount: 100 });
  });

  it('uses the platform’s number for an order that never expires', async () => {
    const { viva, asked } = clientOf(() => json(200, { orderCode: ORDER_CODE }));

    await viva.createOrder({ ...request, expiresInSeconds: null });

    expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({ paymentTimeout: 65_535 });
  });

  it.each([
    ['en', 'en-GB'],
    ['el', 'el-GR'],
    ['cs', 'cs-CZ'],
    ['ro', 'ro-RO'],
  ])('sends the payer language %s as %s', async (requestLang, culture) => {
    const { viva, asked } = clientOf(() => json(200, { orderCode: ORDER_CODE }));

    await viva.createOrder({ ...request, customer: { requestLang } });

    expect(JSON.parse(asked()[0]?.body ?? '').customer).toEqual({ requestLang: culture });
  });

  it('requests the payment code by the order code alone', async () => {
    const { viva, asked } = clientOf(() => json(200, { rfPaymentCode: 'RF94911560000000000001' }));

    const { rfCode } = await viva.createPaymentCode(ORDER_CODE);

    expect(rfCode).toBe('RF94911560000000000001');
    expect(asked()[0]).toMatchObject({
      host: 'base.test',
      path: '/web2/checkout/v2/paymentsessions',
      authorization: null,
      body: JSON.stringify({ orderCode: ORDER_CODE }),
    });
  });

  it.each([
    ['merchant', basic(MERCHANT_ID, 'key')],
    ['isv', basic(`reseller:${MERCHANT_ID}`, 'reseller-key')],
  ] as const)('reads, lists and cancels with the Basic credentials of the %s', async (mode, authorization) => {
    const { viva, asked } = clientOf(
      ({ path }) =>
        json(200, path === '/api/transactions' ? listOf() : withOrderCode({ OrderCode: 0, StateId: 0, ErrorCode: 0 })),
      { mode },
    );

    await viva.readOrder(ORDER_CODE);
    await viva.listOrderTransactions(ORDER_CODE);
    await viva.cancelOrder(ORDER_CODE);

    expect(asked()).toMatchObject([
      { method: 'GET', host: 'base.test', path: `/api/orders/${ORDER_CODE}`, authorization },
      { method: 'GET', path: '/api/transactions', query: { ordercode: ORDER_CODE }, authorization },
      { method: 'DELETE', path: `/api/orders/${ORDER_CODE}`, authorization },
    ]);
  });

  it.each([
    ['merchant', undefined],
    ['isv', MERCHANT_ID],
  ] as const)(
    'cancels an order of the %s at the other address when the first does not know the method',
    async (mode, named) => {
      const { viva, asked } = clientOf(
        ({ host }) =>
          host === 'base.test' ? json(405, undefined) : json(200, withOrderCode({ OrderCode: 0, ErrorCode: 0 })),
        { mode },
      );

      await viva.cancelOrder(ORDER_CODE);

      expect(asked().map(({ method, host, path }) => `${method} ${host}${path}`)).toEqual([
        `DELETE base.test/api/orders/${ORDER_CODE}`,
        `DELETE api.test/checkout/v2/orders/${ORDER_CODE}`,
      ]);
      expect(asked().at(-1)?.query['merchantId']).toBe(named);
    },
  );

  it('shows no order code in the timeline', async () => {
    const { viva } = clientOf(() => json(200, withOrderCode({ OrderCode: 0, StateId: 0, ErrorCode: 0 })));

    const { call } = await viva.cancelOrder(ORDER_CODE);

    expect(JSON.stringify(call)).not.toContain(ORDER_CODE);
  });
});

describe('the platform’s record of an order', () => {
  it('keeps every digit of a code above 2^53', async () => {
    const { viva } = clientOf(() => json(200, `{"orderCode":${ORDER_CODE}}`));

    expect((await viva.createOrder(request)).orderCode).toBe(ORDER_CODE);
  });

  it.each([
    [0, 'pending'],
    [1, 'expired'],
    [2, 'cancelled'],
    [3, 'paid'],
  ])('in state %d is %s', async (StateId, state) => {
    const { viva } = clientOf(() => json(200, withOrderCode({ OrderCode: 0, StateId, RequestAmount: 42.5 })));

    expect(await viva.readOrder(ORDER_CODE)).toMatchObject({ state, amount: 4250 });
  });

  it.each([
    ['by status', 404, {}],
    ['by code', 200, { ErrorCode: 404, Success: false }],
  ])('is missing when the platform does not know the order, %s', async (_, status, body) => {
    const { viva } = clientOf(() => json(status, body));

    expect((await viva.readOrder(ORDER_CODE)).state).toBe('unknown');
  });

  it.each([
    ['of another order', { OrderCode: '1', StateId: 3 }],
    ['in an unknown state', { OrderCode: ORDER_CODE, StateId: 9 }],
    ['truncated', '{"OrderCode":99'],
  ])('is not accepted when it is %s', async (_, body) => {
    const { viva } = clientOf(() => json(200, body));

    expect(await rejection(viva.readOrder(ORDER_CODE))).toMatchObject({ name: 'TransientError' });
  });

  it('lists payments with amount, time and order code', async () => {
    const { viva } = clientOf(() => json(200, listOf(transaction)));

    const { records } = await viva.listOrderTransactions(ORDER_CODE);

    expect(records).toMatchObject([
      {
        transactionId: 'tx-1',
        amount: 4200,
        currency: 'EUR',
        statusId: 'F',
        transactionTypeId: 15,
        orderCode: ORDER_CODE,
        bookedAt: '2026-11-21T10:00:00.000Z',
      },
    ]);
  });

  it.each([
    ['calculated', 0.63, 63],
    ['not calculated yet', 0, undefined],
    ['not reported', null, undefined],
    ['reported as text', 'some', undefined],
  ])('contains the platform’s commission: %s', async (_, Commission, commission) => {
    const { viva } = clientOf(() => json(200, listOf({ ...transaction, Commission })));

    const { records } = await viva.listOrderTransactions(ORDER_CODE);

    expect(records.map((record) => record.commission)).toEqual([commission]);
  });

  it('proves nothing when one payment cannot be read', async () => {
    const { viva } = clientOf(() => json(200, listOf(transaction, { ...transaction, Amount: 'much' })));

    expect(await rejection(viva.listOrderTransactions(ORDER_CODE))).toMatchObject({ name: 'TransientError' });
  });
});

describe('a refusal about an RF order', () => {
  it.each([
    [403, { status: 403, message: 'PaymentMethodNotAvailable', eventId: '0' }, 'RF_NOT_ENABLED'],
    [400, { status: 400, message: 'OrderNotPayable', eventId: '0' }, 'RF_ORDER_REFUSED'],
  ])('ends the request of a payment code with %d', async (status, body, code) => {
    const { viva } = clientOf(() => json(status, body));

    expect(await rejection(viva.createPaymentCode(ORDER_CODE))).toMatchObject({ name: 'RejectedError', code });
  });

  it.each([
    ['a new order that it does not see yet', 404, { status: 404, message: 'OrderNotFound', eventId: '5501' }],
    ['an answer without a code', 200, ''],
  ])('of a payment code is retryable: %s', async (_, status, body) => {
    const { viva } = clientOf(() => json(status, body));

    expect(await rejection(viva.createPaymentCode(ORDER_CODE))).toMatchObject({ name: 'TransientError' });
  });

  it.each([
    ['of a paid order', 200, { ErrorCode: 403, ErrorText: 'paid', Success: false }],
    ['of an order that it cancelled before, by code', 200, { ErrorCode: 404, Success: false }],
    ['of an order that it cancelled before, by status', 404, undefined],
    ['by a role that is off', 403, undefined],
  ])('ends a cancellation %s', async (_, status, body) => {
    const { viva } = clientOf(() => json(status, body));

    expect(await rejection(viva.cancelOrder(ORDER_CODE))).toMatchObject({
      name: 'RejectedError',
      code: 'RF_CANCEL_REFUSED',
    });
  });

  it('without a reason leaves it unknown whether the order was cancelled', async () => {
    const { viva } = clientOf(() => json(200, { ErrorCode: 0, Success: false }));

    expect(await rejection(viva.cancelOrder(ORDER_CODE))).toMatchObject({ name: 'TransientError' });
  });
});

describe('a time in Athens', () => {
  it.each([
    ['is read with its offset', '2026-11-21T12:00:00+02:00', '2026-11-21T10:00:00.000Z'],
    ['is read in winter', '2026-11-21T12:00:00', '2026-11-21T10:00:00.000Z'],
    ['is read in summer', '2026-07-21T12:00:00.5', '2026-07-21T09:00:00.500Z'],
    ['is read an hour after the clocks go forward', '2026-03-29T05:00:00', '2026-03-29T02:00:00.000Z'],
  ])('%s', (_, text, instant) => {
    expect(instantOf(text)).toBe(instant);
  });

  it('is undefined when it is not a time', () => {
    expect(instantOf('yesterday')).toBeUndefined();
  });
});
