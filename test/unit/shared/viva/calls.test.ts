/** Every call of the client, for each way in which an account is connected: method, host, path, query and credentials. */
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../shared/payments/items/account.ts';
import type { Viva } from '../../../../shared/viva/viva.ts';
import { json } from '../../../fakes/network.ts';
import {
  basic,
  captureRequest,
  chargeRequest,
  chargeTokenRequest,
  clientOf,
  MERCHANT_ID,
  rejection,
  sale,
  voidRequest,
} from './account.ts';

const ORDER_CODE = '9948100551072601';
const orderRequest = {
  ...{ amount: 4200, isvAmount: 0, currency: 'EUR', merchantTrns: 'order-1' },
  ...{ disableExactAmount: false, expiresInSeconds: null, notifyCustomer: false },
};

const accounts = {
  /** A merchant with its own terminals. */
  merchant: {},
  /** A merchant connected to an ISV, with its own credentials for its terminals. */
  connected: { mode: 'isv' },
  /** The same, on the ISV's terminal API. */
  ofIsv: { mode: 'isv', terminalApi: 'isv' },
  /** The same; its holds are captured with the ISV's access token. */
  bearer: { mode: 'isv', isvCapture: 'bearer' },
} as const satisfies Readonly<Record<string, Partial<Account>>>;

const merchant = basic(MERCHANT_ID, 'key');
const reseller = basic(`reseller:${MERCHANT_ID}`, 'reseller-key');
const [pos, smart, native, isv] = ['Bearer pos-1', 'Bearer smart-1', 'Bearer native-1', 'Bearer isv-1'];
const nobody = null;
const api = 'api.test';
const base = 'base.test';
const ofMerchant = { MerchantId: MERCHANT_ID };

type Called = (viva: Viva) => Promise<unknown>;
type Row = readonly [
  account: keyof typeof accounts,
  method: 'GET' | 'POST' | 'DELETE',
  host: string,
  path: string,
  authorization: string | null,
  query?: Readonly<Record<string, string>>,
];

const calls: Readonly<Record<string, { readonly call: Called; readonly rows: readonly Row[] }>> = {
  sendSale: {
    call: (viva) => viva.sendSale(sale),
    rows: [
      ['merchant', 'POST', api, '/ecr/v1/transactions:sale', pos],
      ['connected', 'POST', api, '/ecr/v1/transactions:sale', pos],
      ['ofIsv', 'POST', api, '/ecr/isv/v1/transactions:sale', isv],
    ],
  },
  readSession: {
    call: (viva) => viva.readSession('sale-1'),
    rows: [
      ['merchant', 'GET', api, '/ecr/v1/sessions/sale-1', pos],
      ['connected', 'GET', api, '/ecr/v1/sessions/sale-1', pos],
      ['ofIsv', 'GET', api, '/ecr/isv/v1/sessions/sale-1', isv],
    ],
  },
  abortSession: {
    call: (viva) => viva.abortSession('sale-1', 'till 1'),
    rows: [
      ['merchant', 'DELETE', api, '/ecr/v1/sessions/sale-1', pos, { cashRegisterId: 'till 1' }],
      ['connected', 'DELETE', api, '/ecr/v1/sessions/sale-1', pos, { cashRegisterId: 'till 1' }],
      ['ofIsv', 'DELETE', api, '/ecr/isv/v1/sessions/sale-1', isv, { cashRegisterId: 'till 1' }],
    ],
  },
  readTransaction: {
    call: (viva) => viva.readTransaction('tx-1'),
    rows: [
      ['merchant', 'GET', base, '/api/transactions/tx-1', merchant],
      ['connected', 'GET', base, '/api/transactions/tx-1', merchant],
      ['ofIsv', 'GET', base, '/api/transactions/tx-1', reseller],
    ],
  },
  listDay: {
    call: (viva) => viva.listDay('2026-11-21'),
    rows: [
      ['merchant', 'GET', base, '/api/transactions', merchant, { date: '2026-11-21' }],
      ['connected', 'GET', base, '/api/transactions', merchant, { date: '2026-11-21' }],
      ['ofIsv', 'GET', base, '/api/transactions', reseller, { date: '2026-11-21' }],
    ],
  },
  createCardToken: {
    call: (viva) => viva.createCardToken('tx-1'),
    rows: [
      ['merchant', 'POST', api, '/acquiring/v1/cards/tokens', smart],
      ['connected', 'POST', api, '/acquiring/v1/cards/tokens', smart],
      ['ofIsv', 'POST', api, '/acquiring/v1/cards/tokens', smart],
    ],
  },
  createChargeToken: {
    call: (viva) => viva.createChargeToken(chargeTokenRequest),
    rows: [
      ['merchant', 'POST', api, '/nativecheckout/v2/chargetokens', native, ofMerchant],
      ['connected', 'POST', api, '/nativecheckout/v2/isv/chargetokens', isv, ofMerchant],
      ['ofIsv', 'POST', api, '/nativecheckout/v2/isv/chargetokens', isv, ofMerchant],
    ],
  },
  createTransaction: {
    call: (viva) => viva.createTransaction(chargeRequest),
    rows: [
      ['merchant', 'POST', api, '/nativecheckout/v2/transactions', native, ofMerchant],
      ['connected', 'POST', api, '/nativecheckout/v2/isv/transactions', isv, ofMerchant],
      ['ofIsv', 'POST', api, '/nativecheckout/v2/isv/transactions', isv, ofMerchant],
    ],
  },
  capture: {
    call: (viva) => viva.capture(captureRequest),
    rows: [
      ['merchant', 'POST', api, '/nativecheckout/v2/transactions/tx-1', native],
      ['connected', 'POST', base, '/api/transactions/tx-1', reseller],
      ['bearer', 'POST', base, '/api/transactions/tx-1', isv],
    ],
  },
  voidPreauth: {
    call: (viva) => viva.voidPreauth(voidRequest),
    rows: [
      ['merchant', 'DELETE', base, '/api/transactions/tx-1', merchant, { amount: '4000', merchantTrns: 'charge-1' }],
      ['connected', 'DELETE', base, '/api/transactions/tx-1', reseller, { amount: '4000', merchantTrns: 'charge-1' }],
      ['bearer', 'DELETE', base, '/api/transactions/tx-1', isv, { amount: '4000', merchantTrns: 'charge-1' }],
    ],
  },
  createOrder: {
    call: (viva) => viva.createOrder(orderRequest),
    rows: [
      ['merchant', 'POST', api, '/checkout/v2/orders', smart],
      ['connected', 'POST', api, '/checkout/v2/isv/orders', isv, { merchantId: MERCHANT_ID }],
    ],
  },
  createPaymentCode: {
    call: (viva) => viva.createPaymentCode(ORDER_CODE),
    rows: [
      ['merchant', 'POST', base, '/web2/checkout/v2/paymentsessions', nobody],
      ['connected', 'POST', base, '/web2/checkout/v2/paymentsessions', nobody],
    ],
  },
  readOrder: {
    call: (viva) => viva.readOrder(ORDER_CODE),
    rows: [
      ['merchant', 'GET', base, `/api/orders/${ORDER_CODE}`, merchant],
      ['connected', 'GET', base, `/api/orders/${ORDER_CODE}`, reseller],
    ],
  },
  listOrderTransactions: {
    call: (viva) => viva.listOrderTransactions(ORDER_CODE),
    rows: [
      ['merchant', 'GET', base, '/api/transactions', merchant, { ordercode: ORDER_CODE }],
      ['connected', 'GET', base, '/api/transactions', reseller, { ordercode: ORDER_CODE }],
    ],
  },
  cancelOrder: {
    call: (viva) => viva.cancelOrder(ORDER_CODE),
    rows: [
      ['merchant', 'DELETE', base, `/api/orders/${ORDER_CODE}`, merchant],
      ['connected', 'DELETE', base, `/api/orders/${ORDER_CODE}`, reseller],
    ],
  },
};

describe.each(Object.entries(calls))('the request of %s', (_, { call, rows }) => {
  it.each(rows.map((row) => ({ row })))('uses $row', async ({ row }) => {
    const [name, method, host, path, authorization, query = {}] = row;
    const { viva, asked } = clientOf(() => json(200, ''), accounts[name]);

    await rejection(call(viva));

    expect(asked()).toMatchObject([{ method, host, path, authorization }]);
    expect(asked()[0]?.query).toEqual(query);
  });
});

it('every call of the client is in the table', () => {
  expect(Object.keys(calls).toSorted()).toEqual(Object.keys(clientOf(() => json(200, '')).viva).toSorted());
});
