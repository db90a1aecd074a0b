/**
 * What counts as success. A body that looks like success proves nothing under another status: a proxy, a cache or a
 * router can put a body under another call's status. These tests combine the success body of every call with every
 * status.
 */
import { describe, expect, it } from 'vitest';
import type { ErrorName } from '../../../../shared/flow/errors.ts';
import type { Account } from '../../../../shared/payments/items/account.ts';
import { type OperationName, operations } from '../../../../shared/viva/outcomes.ts';
import type { Viva } from '../../../../shared/viva/viva.ts';
import { json, networkFailure } from '../../../fakes/network.ts';
import {
  captureRequest,
  chargeRequest,
  chargeTokenRequest,
  clientOf,
  rejection,
  sale,
  voidRequest,
} from './account.ts';

interface Method {
  readonly name: OperationName;
  readonly of: string;
  readonly settings?: Partial<Account>;
  readonly success: unknown;
  readonly call: (viva: Viva) => Promise<object>;
  /** How it treats other statuses than 200. */
  readonly resolves?: (status: number) => object | undefined;
  readonly rejects?: Readonly<Record<number, ErrorName>>;
}

const ORDER_CODE = '9948100551072601';
const session = {
  sessionId: 'sale-1',
  terminalId: '16001369',
  amount: 1500,
  currencyCode: '978',
  success: true,
  eventId: 0,
  transactionId: 'tx-1',
};
const record = { TransactionId: 'tx-1', Amount: 15, CurrencyCode: '978', StatusId: 'F', MerchantTrns: 'sale-1' };
const list = { Transactions: [record], ErrorCode: 0, Success: true };
const booked = { TransactionId: 'tx-2', ErrorCode: 0, Success: true };
const order = { orderCode: ORDER_CODE, currency: 'EUR', amount: 4200, isvAmount: 0 };

const isSuccess = (status: number) => status >= 200 && status < 300;
const isv = { mode: 'isv' } as const;

const methods: readonly Method[] = [
  {
    name: 'sendSale',
    of: 'a merchant',
    success: '',
    call: (viva) => viva.sendSale(sale),
    resolves: (status) =>
      isSuccess(status) ? { alreadySent: false } : status === 409 ? { alreadySent: true } : undefined,
  },
  {
    name: 'readSession',
    of: 'a merchant',
    success: session,
    call: (viva) => viva.readSession('sale-1'),
    resolves: (status) => ({ 202: { state: 'pending' }, 404: { state: 'not_found' } })[status],
  },
  {
    name: 'abortSession',
    of: 'a merchant',
    success: '',
    call: (viva) => viva.abortSession('sale-1', 'till-1'),
    resolves: (status) =>
      status < 500 && ![401, 408, 429].includes(status) ? { accepted: isSuccess(status) } : undefined,
  },
  {
    name: 'readTransaction',
    of: 'a merchant',
    success: list,
    call: (viva) => viva.readTransaction('tx-1'),
    rejects: { 404: 'TransientError' },
  },
  {
    name: 'listDay',
    of: 'a merchant',
    success: list,
    call: (viva) => viva.listDay('2026-11-21'),
  },
  {
    name: 'createCardToken',
    of: 'a merchant',
    success: { token: 'ct_1' },
    call: (viva) => viva.createCardToken('tx-1'),
  },
  {
    name: 'createChargeToken',
    of: 'a merchant',
    success: { chargeToken: 'ctok_1', redirectToACSForm: null },
    call: (viva) => viva.createChargeToken(chargeTokenRequest),
  },
  {
    name: 'createTransaction',
    of: 'a merchant',
    success: { transactionId: 'tx-2' },
    call: (viva) => viva.createTransaction(chargeRequest),
  },
  {
    name: 'capture',
    of: 'a merchant',
    success: { transactionId: 'tx-2' },
    call: (viva) => viva.capture(captureRequest),
  },
  {
    name: 'capture',
    of: 'an ISV',
    settings: isv,
    success: { ...booked, Amount: 30 },
    call: (viva) => viva.capture(captureRequest),
  },
  {
    name: 'voidPreauth',
    of: 'a merchant',
    success: { ...booked, Amount: 40 },
    call: (viva) => viva.voidPreauth(voidRequest),
  },
  {
    name: 'createOrder',
    of: 'a merchant',
    success: { orderCode: ORDER_CODE },
    call: (viva) =>
      viva.createOrder({
        ...order,
        disableExactAmount: false,
        expiresInSeconds: null,
        merchantTrns: 'order-1',
        notifyCustomer: false,
      }),
  },
  {
    name: 'createPaymentCode',
    of: 'a merchant',
    success: { rfPaymentCode: 'RF94911560000000000001' },
    call: (viva) => viva.createPaymentCode(ORDER_CODE),
    rejects: { 401: 'TransientError', 404: 'TransientError' },
  },
  {
    name: 'readOrder',
    of: 'a merchant',
    success: { OrderCode: ORDER_CODE, StateId: 3, RequestAmount: 42 },
    call: (viva) => viva.readOrder(ORDER_CODE),
    resolves: (status) => (status === 404 ? { state: 'unknown' } : undefined),
  },
  {
    name: 'listOrderTransactions',
    of: 'a merchant',
    success: list,
    call: (viva) => viva.listOrderTransactions(ORDER_CODE),
  },
  {
    name: 'cancelOrder',
    of: 'a merchant',
    success: { ErrorCode: 0, Success: true },
    call: (viva) => viva.cancelOrder(ORDER_CODE),
    rejects: { 404: 'RejectedError' },
  },
];

const statuses = [
  ...[201, 202, 203, 206, 300, 301, 302, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 408, 409, 410, 422, 429],
  ...[500, 501, 502, 503, 504, 599],
];

/** The class of the error when a status is no answer to the call. */
function rejectionOf({ name, rejects }: Method, status: number): ErrorName {
  const { movesMoney, forbidden }: { movesMoney: boolean; forbidden?: string } = operations[name];
  const special = rejects?.[status];
  if (special !== undefined) {
    return special;
  }
  if (status === 401) {
    return 'FaultError';
  }
  if (status === 403 && forbidden !== undefined) {
    return 'RejectedError';
  }
  if (movesMoney) {
    return 'UnknownOutcomeError';
  }
  return status < 400 || status === 408 || status === 429 || status >= 500 ? 'TransientError' : 'FaultError';
}

async function outcomeOf({ call, settings, success }: Method, status: number): Promise<object> {
  const { viva } = clientOf(() => json(status, success), settings);
  return call(viva).catch(({ name }: Error) => ({ rejected: name }));
}

describe.each(methods)('the success body of $name of $of', (method) => {
  it('counts as success under 200', async () => {
    expect(await outcomeOf(method, 200)).not.toHaveProperty('rejected');
  });

  it.each(statuses)('is judged by its status under %i', async (status) => {
    const expected = method.resolves?.(status) ?? { rejected: rejectionOf(method, status) };

    expect(await outcomeOf(method, status)).toMatchObject(expected);
  });

  it.each([
    ['no answer', () => networkFailure('ECONNRESET')],
    ['500', () => json(500, '')],
    ['200 without a body', () => json(200, '')],
  ])('is reported missing with the call’s name when there is %s', async (what, script) => {
    const { viva } = clientOf(script, method.settings);
    const error = await rejection(method.call(viva));

    // For a sale and an abort every 200 is a success.
    const isDone = what.startsWith('200') && method.success === '';
    expect(error === undefined).toBe(isDone);
    expect(isDone || `${error}`.includes(` ${method.name}`)).toBe(true);
  });
});

describe('the call in the timeline', () => {
  it.each([
    ['no id', {}, {}],
    ['no event for event 0', { 'x-viva-eventid': '0' }, {}],
    ['both ids', { 'x-viva-eventid': '7', 'x-viva-correlationid': 'a-1' }, { eventId: '7', correlationId: 'a-1' }],
    ['no id for malformed ids', { 'x-viva-eventid': 'a b', 'x-viva-correlationid': 'x'.repeat(65) }, {}],
  ])('has its path, its status, its duration and %s', async (_, headers, ids) => {
    const { viva } = clientOf(() => json(200, { transactionId: 'tx-2' }, headers));

    expect((await viva.createTransaction(chargeRequest)).call).toStrictEqual({
      call: 'POST /nativecheckout/v2/transactions',
      status: 200,
      durationMs: expect.any(Number),
      ...ids,
    });
  });
});

describe('the length limit of an answer', () => {
  const LONGEST = 1024 * 1024;
  const answer = (bytes: number) => {
    const [start, end] = ['{"transactionId":"tx-2","padding":"', '"}'];
    return json(200, start + 'x'.repeat(bytes - start.length - end.length) + end);
  };

  it.each([
    [LONGEST, 'are read', { transactionId: 'tx-2' }],
    [LONGEST + 1, 'are not read, so the outcome is unknown', { name: 'UnknownOutcomeError', code: 'NO_ANSWER' }],
  ])('%i bytes %s', async (bytes, _, expected) => {
    const { viva } = clientOf(() => answer(bytes));

    expect(await viva.createTransaction(chargeRequest).catch((error: unknown) => error)).toMatchObject(expected);
  });
});

it('every operation is in the table', () => {
  const known = new Set(methods.map(({ name }) => name));

  expect(Object.keys(operations).filter((name) => !known.has(name as OperationName))).toEqual(['readWebhookKey']);
});
