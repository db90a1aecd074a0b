import { describe, expect, it } from 'vitest';
import { json } from '../../../fakes/network.ts';
import {
  basic,
  captureRequest,
  chargeRequest,
  chargeTokenRequest,
  clientOf,
  MERCHANT_ID,
  sale,
  voidRequest,
} from './account.ts';

const ok = () => new Response('', { status: 200 });
const charged = () => json(200, { transactionId: 'tx-2', redirectUrl: null });
const booked = () =>
  json(
    200,
    '{"Amount":30.00,"StatusId":"F","TransactionId":"tx-2","ErrorCode":0,"ErrorText":null,"EventId":0,"Success":true}',
  );

describe('the sale request', () => {
  it('goes to the merchant’s terminals with POS credentials, with the currency as text', async () => {
    const { viva, asked } = clientOf(ok);

    await viva.sendSale(sale);

    const [request] = asked();
    expect(request).toMatchObject({ method: 'POST', host: 'api.test', path: '/ecr/v1/transactions:sale' });
    expect(request?.authorization).toBe('Bearer pos-1');
    expect(request?.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      sessionId: 'sale-1',
      terminalId: '16001369',
      cashRegisterId: 'till-1',
      amount: 1500,
      currencyCode: '978',
      merchantReference: 'room 12 sale-1',
      tipAmount: 0,
    });
  });

  it('writes instalments as the platform does, and lets fiscal fields override nothing', async () => {
    const { viva, asked } = clientOf(ok);

    await viva.sendSale({ ...sale, maxInstallments: 6, fiscal: { aadeProviderId: '999', amount: 1 } });

    expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({
      maxInstalments: 6,
      aadeProviderId: '999',
      amount: 1500,
    });
  });

  it('carries the ISV amount on the ISV’s terminal API', async () => {
    const { viva, asked } = clientOf(ok, { mode: 'isv', terminalApi: 'isv' });

    await viva.sendSale({ ...sale, isvAmount: 50, sourceCode: '7951' });

    expect(asked()[0]).toMatchObject({ path: '/ecr/isv/v1/transactions:sale', authorization: 'Bearer isv-1' });
    expect(JSON.parse(asked()[0]?.body ?? '').isvDetails).toEqual({
      amount: 50,
      terminalMerchantId: MERCHANT_ID,
      sourceCode: '7951',
    });
  });

  it('uses the connected merchant’s own credentials for an ISV by default', async () => {
    const { viva, asked } = clientOf(ok, { mode: 'isv' });

    await viva.sendSale(sale);

    expect(asked()[0]).toMatchObject({ path: '/ecr/v1/transactions:sale', authorization: 'Bearer pos-1' });
  });
});

describe('the requests about a session', () => {
  it('read and abort one session, with the cash register’s id', async () => {
    const { viva, asked } = clientOf(() => new Response('', { status: 202 }));

    await viva.readSession('sale-1');
    const { call } = await viva.abortSession('sale-1', 'till 1');

    expect(asked()[0]).toMatchObject({ method: 'GET', path: '/ecr/v1/sessions/sale-1' });
    expect(asked()[0]?.headers.has('content-type')).toBe(false);
    expect(asked()[1]).toMatchObject({
      method: 'DELETE',
      path: '/ecr/v1/sessions/sale-1',
      query: { cashRegisterId: 'till 1' },
    });
    expect(call.call).toBe('DELETE /ecr/v1/sessions/{sessionId}');
  });
});

describe('the requests for card tokens', () => {
  it('request a card token with Smart Checkout credentials', async () => {
    const { viva, asked } = clientOf(() => json(200, { token: 'ct_1' }));

    expect((await viva.createCardToken('tx-1')).cardToken).toBe('ct_1');
    expect(asked()[0]).toMatchObject({
      host: 'api.test',
      path: '/acquiring/v1/cards/tokens',
      authorization: 'Bearer smart-1',
    });
    expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({ transactionId: 'tx-1' });
  });

  it.each([
    ['merchant', '/nativecheckout/v2/chargetokens', 'Bearer native-1'],
    ['isv', '/nativecheckout/v2/isv/chargetokens', 'Bearer isv-1'],
  ] as const)('request a charge token as %s, with the currency as text', async (mode, path, authorization) => {
    const { viva, asked } = clientOf(() => json(200, { chargeToken: 'ctok_1', redirectToACSForm: null }), { mode });

    await viva.createChargeToken(chargeTokenRequest);

    expect(asked()[0]).toMatchObject({ path, authorization, query: { MerchantId: MERCHANT_ID } });
    expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({
      moto: true,
      amount: 4000,
      token: 'ct_1',
      holderName: 'A Guest',
      expirationYear: 2030,
      expirationMonth: 12,
      currencyCode: '978',
    });
  });

  it.each([
    [null, undefined],
    ['', undefined],
    ['<form></form>', '<form></form>'],
  ])('return the form %j as %j', async (redirectToACSForm, form) => {
    const { viva } = clientOf(() => json(200, { chargeToken: 'ctok_1', redirectToACSForm }));

    expect((await viva.createChargeToken(chargeTokenRequest)).form).toBe(form);
  });
});

describe('the transaction request', () => {
  it.each([
    ['merchant', '/nativecheckout/v2/transactions', 'Bearer native-1'],
    ['isv', '/nativecheckout/v2/isv/transactions', 'Bearer isv-1'],
  ] as const)(
    'is sent as %s with zero amounts included and the currency as a number',
    async (mode, path, authorization) => {
      const { viva, asked } = clientOf(charged, { mode });

      expect((await viva.createTransaction(chargeRequest)).transactionId).toBe('tx-2');

      expect(asked()[0]).toMatchObject({ path, authorization, query: { MerchantId: MERCHANT_ID } });
      expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({
        amount: 4000,
        isvAmount: 0,
        preauth: false,
        chargeToken: 'ctok_1',
        installments: 0,
        allowsRecurring: false,
        merchantTrns: 'minibar charge-1',
        currencyCode: 978,
      });
    },
  );

  it('names the payer and the purpose when they are known', async () => {
    const { viva, asked } = clientOf(charged);
    const customer = { email: 'a@b.gr', fullname: 'A Guest', requestLang: 'el' };

    await viva.createTransaction({ ...chargeRequest, customerTrns: 'minibar', customer });
    await viva.createTransaction({ ...chargeRequest, customer: {} });

    const [known, unknown] = asked().map(({ body }) => JSON.parse(body ?? ''));
    expect(known).toMatchObject({ customerTrns: 'minibar', customer });
    expect(unknown).not.toHaveProperty('customer');
  });

  it('carries additional metadata as Base64 of its JSON', async () => {
    const { viva, asked } = clientOf(charged);

    await viva.createTransaction({ ...chargeRequest, saleToAcquirerData: { room: '12' } });

    const { saleToAcquirerData } = JSON.parse(asked()[0]?.body ?? '');
    expect(JSON.parse(Buffer.from(saleToAcquirerData, 'base64').toString())).toEqual({ room: '12' });
  });
});

describe('the requests that capture and void', () => {
  it('capture a merchant’s hold by native checkout', async () => {
    const { viva, asked } = clientOf(charged);

    expect((await viva.capture(captureRequest)).transactionId).toBe('tx-2');
    expect(asked()[0]).toMatchObject({
      host: 'api.test',
      path: '/nativecheckout/v2/transactions/tx-1',
      authorization: 'Bearer native-1',
    });
    expect(JSON.parse(asked()[0]?.body ?? '')).toMatchObject({ amount: 3000 });
  });

  it.each([
    ['reseller', basic(`reseller:${MERCHANT_ID}`, 'reseller-key')],
    ['bearer', 'Bearer isv-1'],
  ] as const)('capture an ISV’s hold by the payment API with %s credentials', async (isvCapture, authorization) => {
    const { viva, asked } = clientOf(booked, { mode: 'isv', isvCapture });

    expect((await viva.capture({ ...captureRequest, isvAmount: 10 })).transactionId).toBe('tx-2');
    expect(asked()[0]).toMatchObject({
      method: 'POST',
      host: 'base.test',
      path: '/api/transactions/tx-1',
      authorization,
    });
    expect(JSON.parse(asked()[0]?.body ?? '')).toEqual({ amount: 3000, isvAmount: 10, merchantTrns: 'capture-1' });
  });

  it('void a merchant’s hold with the API key', async () => {
    const { viva, asked } = clientOf(() =>
      json(200, '{"TransactionId":"tx-3","Amount":40,"ErrorCode":0,"Success":true}'),
    );

    expect((await viva.voidPreauth(voidRequest)).transactionId).toBe('tx-3');
    expect(asked()[0]).toMatchObject({
      method: 'DELETE',
      host: 'base.test',
      path: '/api/transactions/tx-1',
      query: { amount: '4000', merchantTrns: 'charge-1' },
      authorization: basic(MERCHANT_ID, 'key'),
    });
  });
});
