import { describe, expect, it } from 'vitest';
import { json } from '../../../fakes/network.ts';
import { basic, clientOf, MERCHANT_ID, rejection, sale } from './account.ts';

const finished = {
  sessionId: 'sale-1',
  terminalId: '16001369',
  amount: 1500,
  currencyCode: '978',
  success: true,
  eventId: 0,
  transactionEventId: null,
  transactionId: 'tx-1',
  authorizationId: '123456',
  retrievalReferenceNumber: '632512345678',
  applicationLabel: 'VISA',
  aid: 'A0000000031010',
  verificationMethod: '',
  abortSuccess: false,
  orderCode: '0',
};

async function sessionFor(status: number, body: unknown) {
  const { viva } = clientOf(() => json(status, body));
  const { call: _, ...session } = await viva.readSession('sale-1');
  return session;
}

describe('a sale that was already sent', () => {
  it.each(['1201', '1202', '1212'])('is reported by 409 with event %s', async (event) => {
    const { viva } = clientOf(() => json(409, { status: 409 }, { 'X-Viva-EventId': event }));

    expect(await viva.sendSale(sale)).toMatchObject({ alreadySent: true });
  });

  it('is reported by any 409, because the request may have arrived before', async () => {
    const { viva } = clientOf(() => json(409, ''));

    expect(await viva.sendSale(sale)).toMatchObject({ alreadySent: true });
  });

  it('is not reported by 200', async () => {
    const { viva } = clientOf(() => json(200, ''));

    expect(await viva.sendSale(sale)).toMatchObject({ alreadySent: false });
  });
});

describe('a session', () => {
  it('is pending by HTTP 202', async () => {
    expect(await sessionFor(202, { detail: 'The session is being processed' })).toEqual({ state: 'pending' });
  });

  it('is pending by event id 1100 in its body', async () => {
    expect(await sessionFor(200, { ...finished, success: false, eventId: 1100, transactionId: null })).toEqual({
      state: 'pending',
    });
  });

  it('is not pending once it was stopped', async () => {
    const stopped = { ...finished, success: false, eventId: 1100, transactionId: null, abortSuccess: true };

    expect(await sessionFor(200, stopped)).toMatchObject({ state: 'finished', success: false });
  });

  it.each([201, 204, 302, 400, 401, 403, 405, 408, 409, 410, 429, 500, 502, 503, 504])(
    'is neither open, nor over, nor missing by an answer %i',
    async (status) => {
      const { viva } = clientOf(() => new Response(status === 204 ? null : JSON.stringify(finished), { status }));

      expect(await rejection(viva.readSession('sale-1'))).toMatchObject({
        name: [400, 401, 403, 405, 409, 410].includes(status) ? 'FaultError' : 'TransientError',
      });
    },
  );

  it.each(['success', 'eventId', 'amount', 'currencyCode', 'terminalId'])(
    'is unknown when its body has no %s',
    async (field) => {
      const { viva } = clientOf(() => json(200, { ...finished, [field]: undefined }));

      expect(await rejection(viva.readSession('sale-1'))).toMatchObject({ name: 'TransientError' });
    },
  );

  it('may be missing', async () => {
    expect(await sessionFor(404, '')).toEqual({ state: 'not_found' });
  });

  it('that was paid has its transaction and the fields of the receipt', async () => {
    expect(await sessionFor(200, finished)).toEqual({
      state: 'finished',
      success: true,
      eventId: 0,
      transactionId: 'tx-1',
      amount: 1500,
      currency: 'EUR',
      terminalId: '16001369',
      receipt: {
        authorizationId: '123456',
        retrievalReferenceNumber: '632512345678',
        applicationLabel: 'VISA',
        aid: 'A0000000031010',
      },
    });
  });

  it('that was declined has the reasons of the terminal and the issuer, as number or text', async () => {
    const declined = { ...finished, success: false, eventId: '1006', transactionEventId: '10051', transactionId: null };

    expect(await sessionFor(200, declined)).toMatchObject({
      success: false,
      eventId: 1006,
      transactionEventId: 10_051,
    });
  });

  it('in an unknown currency keeps the platform’s code, so that a comparison fails', async () => {
    expect(await sessionFor(200, { ...finished, currencyCode: '999' })).toMatchObject({ currency: '999' });
  });
});

const record = (fields = '', card = '"ExpirationDate":"2030-12-31T00:00:00"') =>
  `{"Transactions":[{"TransactionId":"TX-1","Amount":30.10,"CurrencyCode":"978","StatusId":"F","MerchantId":"${MERCHANT_ID}",
  "ParentId":null,"MerchantTrns":"room 12 sale-1","SourceTerminalId":16001369,"CardUniqueReference":"ref-1",
  "DigitalWalletId":null,"Order":{"OrderCode":9948100551072601},"TransactionType":{"Name":"charge","TransactionTypeId":5},
  "CreditCard":{"Number":"414746XXXXXX0133","CardHolderName":"A GUEST",${card}}${fields}}],
  "ErrorCode":0,"ErrorText":null,"EventId":0,"Success":true}`;

async function recordFor(text: string) {
  const { viva } = clientOf(() => json(200, text));
  return (await viva.readTransaction('tx-1')).record;
}

describe('a transaction', () => {
  it('is read with the API key, and translated into our fields and units', async () => {
    const { viva, asked } = clientOf(() => json(200, record()));

    const { record: found } = await viva.readTransaction('tx-1');

    expect(found).toEqual({
      transactionId: 'TX-1',
      amount: 3010,
      currency: 'EUR',
      merchantId: MERCHANT_ID,
      statusId: 'F',
      transactionTypeId: 5,
      orderCode: '9948100551072601',
      merchantTrns: 'room 12 sale-1',
      terminalId: '16001369',
      cardUniqueReference: 'ref-1',
      expirationMonth: 12,
      expirationYear: 2030,
      maskedNumber: '414746XXXXXX0133',
      holderName: 'A GUEST',
    });
    expect(asked()[0]).toMatchObject({
      host: 'base.test',
      path: '/api/transactions/tx-1',
      authorization: basic(MERCHANT_ID, 'key'),
    });
  });

  it('is read with the reseller’s credentials on the ISV’s terminal API', async () => {
    const { viva, asked } = clientOf(() => json(200, record()), { mode: 'isv', terminalApi: 'isv' });

    await viva.readTransaction('tx-1');

    expect(asked()[0]?.authorization).toBe(basic(`reseller:${MERCHANT_ID}`, 'reseller-key'));
  });

  it('keeps the digits of an order code above 2^53', async () => {
    expect((await recordFor(record().replace('9948100551072601', '99481005510726017'))).orderCode).toBe(
      '99481005510726017',
    );
  });

  it.each([
    ['"ExpirationDate":null', undefined],
    ['"ExpirationDate":"2030-13-31T00:00:00"', undefined],
    ['"ExpirationDate":"2031-02-28T00:00:00"', 2],
    ['"ExpirationDate":"2031-01-31T23:59:59-12:00"', 1],
  ])('with expiry %s expires in month %s', async (card, month) => {
    expect((await recordFor(record('', card))).expirationMonth).toBe(month);
  });

  it.each([
    ['a 404', 404, ''],
    ['an empty list', 200, { Transactions: [], ErrorCode: 0, Success: true }],
    ['ErrorCode 404 in a 200', 200, { ErrorCode: 404, ErrorText: 'x', Success: false }],
  ])('is not visible yet by %s', async (_, status, body) => {
    const { viva } = clientOf(() => json(status, body));

    expect(await rejection(viva.readTransaction('tx-1'))).toMatchObject({
      name: 'TransientError',
      code: 'TRANSACTION_NOT_VISIBLE',
    });
  });

  it.each([
    ['with another id', record().replace('TX-1', 'TX-2')],
    ['with an amount finer than a minor unit', record().replace('30.10', '30.105')],
    ['without an amount', record().replace('30.10', 'null')],
  ])('%s is not accepted', async (_, text) => {
    const { viva } = clientOf(() => json(200, text));

    expect(await rejection(viva.readTransaction('tx-1'))).toMatchObject({
      name: 'TransientError',
      code: 'NO_CLEAR_ANSWER',
    });
  });

  it('may be read in a short invocation, within the remaining time', async () => {
    const { viva } = clientOf(
      () => json(200, record()),
      {},
      () => 4_500,
    );

    expect((await viva.readTransaction('tx-1')).record.amount).toBe(3010);
  });
});

describe('an abort', () => {
  it.each([
    [200, true],
    [404, false],
    [409, false],
    [403, false],
  ])('answered with %i is accepted: %s; the session decides', async (status, accepted) => {
    const { viva } = clientOf(() => json(status, ''));

    expect(await viva.abortSession('sale-1', 'till-1')).toMatchObject({ accepted });
  });

  it.each([
    ['was accepted before', '1208', true],
    ['comes too late', '1204', false],
  ])('that %s is answered with 409 and event %s', async (_, event, accepted) => {
    const { viva } = clientOf(() => json(409, '', { 'X-Viva-EventId': event }));

    expect(await viva.abortSession('sale-1', 'till-1')).toMatchObject({ accepted });
  });
});
