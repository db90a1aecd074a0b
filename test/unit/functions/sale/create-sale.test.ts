import { beforeEach, describe, expect, it } from 'vitest';
import { createSale } from '../../../../functions/sale/create-sale/endpoint.ts';
import type { Charge, Sale } from '../../../../shared/payments/items.ts';
import type { Patch } from '../../../../shared/payments/store.ts';
import { endChargeWithoutSale } from '../../../../shared/reconciliation/charge/end-without-sale.ts';
import { account, call, merchantId, otherMerchantId, type Sent, Shop, terminalId } from '../../../fakes/storefront.ts';

const body = {
  merchantId,
  terminalId,
  cashRegisterId: 'till-1',
  amount: 1500,
  currency: 'EUR',
  merchantTrns: 'room 12',
  tokenize: true,
  additionalCharge: { amount: 4000, customer: { fullname: 'M. P.' } },
};

let shop: Shop;

beforeEach(() => {
  shop = new Shop();
});

function post(sent: Partial<Sent> & { readonly key?: string } = {}) {
  const { key = 'key-1', headers, ...rest } = sent;
  return call(createSale, shop.deps, {
    route: 'POST /sales',
    body,
    headers: { 'Idempotency-Key': key, ...headers },
    ...rest,
  });
}

function sales(): Sale[] {
  return [...shop.payments.items].filter(([pk]) => pk.startsWith('sale#')).map(([, item]) => item as unknown as Sale);
}

function charges(): Charge[] {
  return [...shop.payments.items]
    .filter(([pk]) => pk.startsWith('charge#'))
    .map(([, item]) => item as unknown as Charge);
}

describe('POST /sales', () => {
  it('answers 202 with the address of the sale, and starts its execution', async () => {
    const got = await post();

    expect(got.status).toBe(202);
    expect(got.headers).toMatchObject({ Location: `/v1/sales/${got.body.saleId}`, ETag: '"1-1"' });
    expect(got.body).toMatchObject({
      status: 'created',
      final: false,
      amount: 1500,
      tokenization: { status: 'pending' },
      totals: { terminal: 0, charged: 0, authorized: 0, refunded: 0, net: 0 },
      additionalCharge: {
        status: 'created',
        final: false,
        amount: 4000,
        captureBefore: null,
        captures: [],
        refunds: [],
      },
    });
    expect(shop.started).toEqual([
      {
        name: got.body.saleId,
        input: { saleId: got.body.saleId, cardId: null, chargeId: got.body.additionalCharge.chargeId },
      },
    ]);
  });

  it('shows no request hash, no stored answer and no customer data', async () => {
    const got = await post();

    expect(got.text).not.toMatch(/requestHash|origin|M\. P\.|taskToken/);
  });

  it('sends the sale within 30 seconds of the request or not at all', async () => {
    await post();

    expect(sales()[0]?.sendBefore).toBe('2026-11-21T09:00:30.000Z');
  });
});

describe('the idempotency key of a sale', () => {
  it('gives thirty concurrent identical requests one sale and identical answers', async () => {
    const got = await Promise.all(Array.from({ length: 30 }, () => post()));

    expect(new Set(got.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
    expect(sales()).toHaveLength(1);
    expect(charges()).toHaveLength(1);
    expect(new Set(shop.started.map(({ name }) => name)).size).toBe(1);
  });

  it('repeats the first answer byte for byte, and marks it as replayed', async () => {
    const first = await post();
    shop.now += 60_000;

    const again = await post({ body: Object.fromEntries(Object.entries(body).reverse()) });

    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers).toEqual({ ...first.headers, 'Idempotency-Replayed': 'true' });
  });

  it.each([
    ['amount', { ...body, amount: 1501 }],
    ['merchant', { ...body, merchantId: otherMerchantId, terminalId: '16009999' }],
  ])('refuses the same key with another %s, and starts nothing', async (_, other) => {
    await post();

    const got = await post({ body: other });

    expect(got.status).toBe(422);
    expect(got.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(sales()).toHaveLength(1);
  });

  it('never lets two different requests with one key share a charge', async () => {
    const larger = { ...body, additionalCharge: { ...body.additionalCharge, amount: 9000 } };

    const got = await Promise.all([post(), post({ body: larger }), post(), post({ body: larger })]);

    const accepted = got.filter(({ status }) => status === 202);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    const charge = charges().find(({ chargeId }) => chargeId === sales()[0]?.chargeId);
    expect(charge?.amount).toBe(accepted[0]?.body.additionalCharge.amount);
  });

  it('does not show its answer to a caller who may no longer act for the merchant', async () => {
    await post();

    const again = await post({ merchants: otherMerchantId });

    expect(again).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(shop.started).toHaveLength(1);
  });

  it('belongs to one client', async () => {
    const first = await post();

    const other = await post({ client: 'other', body: { ...body, terminalId: '16001370' } });

    expect(other.status).toBe(202);
    expect(other.body.saleId).not.toBe(first.body.saleId);
  });

  it.each([[''], ['with space'], ['ö'], ['x'.repeat(256)]])(
    'is refused before any write when it is malformed',
    async (key) => {
      const got = await post({ key });

      expect(got.status).toBe(400);
      expect(got.body.code).toBe('IDEMPOTENCY_KEY_INVALID');
      expect(shop.payments.writes).toBe(0);
    },
  );

  it('keeps the final refusal of a business rule', async () => {
    const dollars = { ...body, currency: 'USD' };
    const first = await post({ body: dollars });
    shop.payments.put('account', merchantId, account({ currency: 'USD' }));

    const again = await post({ body: dollars });
    const changed = await post({ body: { ...dollars, currency: 'GBP' } });

    expect(first.status).toBe(422);
    expect(first.body.code).toBe('CURRENCY_NOT_SUPPORTED');
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({
      'Content-Type': 'application/problem+json',
      'Idempotency-Replayed': 'true',
    });
    expect(changed.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('does not keep the refusal of an invalid request', async () => {
    await post({ body: { ...body, amount: 29 } });

    expect((await post()).status).toBe(202);
  });
});

describe('a request that was interrupted after its charge was written', () => {
  /** Fails the request before it writes the sale. */
  async function breakOff(): Promise<void> {
    const create = shop.payments.create.bind(shop.payments);
    shop.payments.create = async (kind, ...rest) => {
      if (kind === 'sale') {
        throw new Error('the function is gone');
      }
      return create(kind, ...rest);
    };
    await post();
    shop.payments.create = create;
  }

  it('is completed by its repeat, with the same charge', async () => {
    await breakOff();
    const [left] = charges();
    shop.now += 5_000;

    const got = await post();

    expect(got.status).toBe(202);
    expect(charges()).toEqual([left]);
    expect(got.body.additionalCharge).toMatchObject({ chargeId: left?.chargeId, status: 'created', final: false });
    expect(shop.started).toEqual([expect.objectContaining({ name: got.body.saleId })]);
  });

  it('charges nothing when the charge was ended before the repeat, and the answer shows it', async () => {
    await breakOff();
    const [left] = charges();
    shop.now += 20 * 60_000;
    await endChargeWithoutSale(left!, shop.deps);

    const got = await post();
    const again = await post();

    expect(got.status).toBe(202);
    expect(got.body).toMatchObject({ status: 'created', final: false });
    expect(got.body.additionalCharge).toMatchObject({
      chargeId: left?.chargeId,
      status: 'cancelled',
      final: true,
      failure: { code: 'SALE_NOT_CREATED' },
    });
    expect(again.text).toBe(got.text);
    expect(charges()).toHaveLength(1);
    expect(charges()[0]).toMatchObject({ status: 'cancelled', sealed: true });
  });

  it('holds its terminal for less than a minute', async () => {
    await breakOff();

    shop.now += 44_000;
    expect((await post({ key: 'key-2' })).status).toBe(409);
    shop.now += 1_000;
    expect((await post({ key: 'key-2' })).status).toBe(202);
  });
});

describe('a start of the execution that fails', () => {
  it('answers 503, and a repeat with the same key starts the sale', async () => {
    shop.outage = new Error('states are away');
    const failed = await post();
    shop.outage = undefined;

    const again = await post();

    expect(failed.status).toBe(503);
    expect(failed.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(failed.headers).toHaveProperty('Retry-After');
    expect(again.status).toBe(202);
    expect(shop.started).toHaveLength(1);
  });
});

describe('the terminal of a sale', () => {
  it('takes one open sale: another gets 409 with the id of the sale that holds it', async () => {
    const first = await post();

    const second = await post({ key: 'key-2' });

    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'TERMINAL_IN_USE', retryable: true, saleId: first.body.saleId });
    expect(second.headers).toHaveProperty('Retry-After');
    expect(shop.started).toHaveLength(1);
  });

  it('takes exactly one of many concurrent sales', async () => {
    const got = await Promise.all(Array.from({ length: 10 }, (_, n) => post({ key: `key-${n}` })));

    expect(got.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('is free again once its sale has an outcome', async () => {
    const { body: first } = await post();
    await shop.payments.change('sale', first.saleId, () => ({ status: 'declined' as const }));

    expect((await post({ key: 'key-2' })).status).toBe(202);
  });

  it('is free again after a lease whose sale was never written', async () => {
    const leasedAt = new Date(shop.now).toISOString();
    const leasedUntil = new Date(shop.now + 300_000).toISOString();
    shop.payments.put('terminal-lease', `${merchantId}#${terminalId}`, {
      merchantId,
      terminalId,
      saleId: 'x',
      leasedAt,
      leasedUntil,
    });

    const early = await post();
    shop.now += 46_000;
    const late = await post();

    expect(early.status).toBe(409);
    expect(late.status).toBe(202);
  });
});

describe('the terminal of an unconfirmed sale', () => {
  const at = (second: number) => new Date(Date.parse('2026-11-21T09:00:00Z') + second * 1000).toISOString();
  const missing = { status: 'unconfirmed' as const, requestedAt: at(1), abortSentAt: at(40) };

  async function holding(sale: Patch<'sale'>, second: number) {
    const { body: first } = await post();
    shop.payments.overwrite('sale', first.saleId, sale);
    shop.now = Date.parse(at(second));
    return post({ key: 'key-2' });
  }

  it('is held for two minutes from the request, and Retry-After shows the rest', async () => {
    const got = await holding(missing, 40.5);

    expect(got.status).toBe(409);
    expect(got.headers).toMatchObject({ 'Retry-After': '81' });
    expect((await holding(missing, 120.999)).headers).toMatchObject({ 'Retry-After': '1' });
  });

  it.each<[string, Patch<'sale'>, number]>([
    ['the two minutes are over', missing, 121],
    ['the platform has passed on the abort', { ...missing, terminalStoppedAt: at(41) }, 41],
    ['the payment was found', { ...missing, transactionId: 'c0ffee00-0000-4000-8000-000000000001' }, 41],
  ])('is free when %s', async (_, sale, second) => {
    expect((await holding(sale, second)).status).toBe(202);
  });

  it('is held by an open sale, whatever was sent to its terminal', async () => {
    const open = { status: 'awaiting_card' as const, requestedAt: at(1), terminalStoppedAt: at(41) };
    const got = await holding(open, 200);

    expect(got.status).toBe(409);
    expect(got.headers).toMatchObject({ 'Retry-After': '5' });
  });

  it('is free at the end of the lease, and Retry-After is never longer than the rest', async () => {
    const open = { status: 'awaiting_card' as const, requestedAt: at(1) };

    expect((await holding(open, 418)).headers).toMatchObject({ 'Retry-After': '2' });
    expect((await post({ key: 'key-2' })).status).toBe(409);
    shop.now = Date.parse(at(420));
    expect((await post({ key: 'key-2' })).status).toBe(202);
  });
});

describe('a terminal that two sales find free at the same time', () => {
  it('goes to the first writer, and the other one gets its id', async () => {
    const { body: first } = await post();
    await shop.payments.change('sale', first.saleId, () => ({ status: 'declined' as const }));
    shop.now += 1000;
    const original = shop.payments.get.bind(shop.payments);
    shop.payments.get = async (kind, id) => {
      const item = await original(kind, id);
      if (kind === 'terminal-lease') {
        const leasedAt = new Date(shop.now).toISOString();
        shop.payments.overwrite('terminal-lease', id, { saleId: 'the-faster-one', leasedAt });
      }
      return item;
    };

    const got = await post({ key: 'key-2' });

    expect(got.status).toBe(409);
    expect(got.body).toMatchObject({ code: 'TERMINAL_IN_USE', saleId: 'the-faster-one' });
    expect(got.headers).toMatchObject({ 'Retry-After': '5' });
    expect(shop.started).toHaveLength(1);
  });

  it('stays with the sale that renewed its lease', async () => {
    const { body: first } = await post();
    await shop.payments.change('sale', first.saleId, () => ({ status: 'declined' as const }));
    const original = shop.payments.get.bind(shop.payments);
    shop.payments.get = async (kind, id) => {
      const item = await original(kind, id);
      if (kind === 'terminal-lease') {
        shop.payments.overwrite('terminal-lease', id, { leasedAt: '2026-11-21T09:00:00.001Z' });
      }
      return item;
    };

    expect((await post({ key: 'key-2' })).status).toBe(409);
  });
});

describe('a sale whose start failed and was not repeated', () => {
  it('frees its terminal once it can no longer be sent', async () => {
    shop.outage = new Error('states are away');
    await post();
    shop.outage = undefined;

    shop.now += 60_000;
    const early = await post({ key: 'key-2' });
    shop.now += 16_000;
    const late = await post({ key: 'key-2' });

    expect(early.status).toBe(409);
    expect(late.status).toBe(202);
  });
});

describe('a merchant or terminal that the caller cannot see', () => {
  it.each([
    ['a merchant outside the access token', { merchants: otherMerchantId }, {}],
    ['an unknown merchant', {}, { merchantId: '00000000-0000-4000-8000-000000000000' }],
    ['a terminal of another merchant', {}, { terminalId: '16009999' }],
  ])('answers 404 for %s', async (_, sent, change) => {
    const got = await post({ ...sent, body: { ...body, ...change } });

    expect(got.status).toBe(404);
    expect(shop.payments.writes).toBe(0);
  });
});

describe('an invalid sale', () => {
  const charge = body.additionalCharge;

  it.each([
    ['/amount', { amount: 29 }],
    ['/amount', { amount: 15.5 }],
    ['/amount', { amount: '1500' }],
    ['/amount', { amount: -1500 }],
    ['/amount', { amount: 1e15 }],
    ['/currency', { currency: 'eur' }],
    ['/isvAmount', { isvAmount: 1500 }],
    ['/tipAmount', { tipAmount: 1501 }],
    ['/tipAmount', { tipAmount: -1 }],
    ['/merchantTrns', { merchantTrns: 'x'.repeat(201) }],
    ['/merchantTrns', { merchantTrns: 'a\u0000b' }],
    ['/tokenize', { tokenize: undefined }],
    ['/colour', { colour: 'blue' }],
    ['/maxInstallments', { maxInstallments: 37 }],
    ['/fiscal/amount', { fiscal: { amount: 1 } }],
    ['/additionalCharge', { tokenize: false }],
    ['/additionalCharge/amount', { additionalCharge: { amount: 0 } }],
    ['/additionalCharge/x~1y', { additionalCharge: { ...charge, 'x/y': 1 } }],
    ['/additionalCharge/capture', { additionalCharge: { ...charge, capture: 'manual' } }],
    ['/additionalCharge/captureAmount', { additionalCharge: { ...charge, preauth: true, captureAmount: 5 } }],
    [
      '/additionalCharge/captureAmount',
      { additionalCharge: { ...charge, preauth: true, capture: 'immediate', captureAmount: 4001 } },
    ],
    [
      '/additionalCharge/captureIsvAmount',
      {
        additionalCharge: { ...charge, isvAmount: 1, preauth: true, capture: 'immediate', captureAmount: 3999 },
      },
    ],
    ['/additionalCharge/installments', { additionalCharge: { ...charge, preauth: true, installments: 2 } }],
    ['/additionalCharge/allowsRecurring', { additionalCharge: { ...charge, preauth: true, allowsRecurring: true } }],
    ['/additionalCharge/customer/requestLang', { additionalCharge: { ...charge, customer: { requestLang: 'el-GR' } } }],
  ])('is refused with a pointer to the field: %s', async (pointer, change) => {
    const got = await post({ body: { ...body, ...change } });

    expect(got.status).toBe(400);
    expect(got.body.code).toBe('INVALID_REQUEST');
    expect(got.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
    expect(shop.payments.writes).toBe(0);
  });

  it('accepts the bounds: a tip of the whole amount, an ISV amount of all but one cent', async () => {
    shop.payments.put('account', merchantId, account({ mode: 'isv', terminalApi: 'isv' }));

    expect((await post({ body: { ...body, tipAmount: 1500, isvAmount: 1499 } })).status).toBe(202);
  });

  it('points to additionalCharge when the sale itself asks for a pre-authorization', async () => {
    const got = await post({ body: { ...body, preauth: true } });

    expect(got.status).toBe(400);
    expect(got.body.code).toBe('TERMINAL_PREAUTH_NOT_OFFERED');
  });

  const atOnce = { ...charge, preauth: true, capture: 'immediate', captureAmount: 1, captureIsvAmount: 1 };
  it.each<[string, object, object, string]>([
    ['of the sale', {}, { isvAmount: 10 }, '/isvAmount'],
    ['of the sale, on the merchant’s terminals', { mode: 'isv' }, { isvAmount: 10 }, '/isvAmount'],
    ['of the charge', {}, { additionalCharge: { ...charge, isvAmount: 10 } }, '/additionalCharge/isvAmount'],
    ['of the capture', {}, { additionalCharge: atOnce }, '/additionalCharge/captureIsvAmount'],
  ])('is refused with an ISV amount %s without an ISV account', async (_, settings, change, pointer) => {
    shop.payments.put('account', merchantId, account(settings));

    const got = await post({ body: { ...body, ...change } });

    expect(got).toMatchObject({ status: 400, body: { code: 'ISV_AMOUNT_NOT_OFFERED', errors: [{ pointer }] } });
    expect(sales()).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['the sale', { terminalApi: 'isv' }, { isvAmount: 10 }],
    ['the charge', { mode: 'isv' }, { additionalCharge: { ...charge, isvAmount: 10 } }],
    ['the capture', { mode: 'isv' }, { additionalCharge: atOnce }],
  ])('is refused without an ISV amount of %s when the account has an ISV', async (_, settings, change) => {
    shop.payments.put('account', merchantId, account(settings));

    expect((await post({ body: { ...body, ...change } })).status).toBe(202);
  });

  it.each([
    ['Hospitality', 202],
    ['Car Rentals', 202],
    ['Dropshipping', 202],
    ['Retail', 422],
    [undefined, 422],
  ])('answers acquirer data for the industry %s with %i', async (industry, status) => {
    shop.payments.put('account', merchantId, account({ industry } as never));

    const got = await post({ body: { ...body, additionalCharge: { ...charge, saleToAcquirerData: { a: 1 } } } });

    expect(got.status).toBe(status);
    expect(got.body.code).toBe(status === 422 ? 'INDUSTRY_NOT_ELIGIBLE' : undefined);
  });
});

describe('the ISV amount of a capture with the charge', () => {
  const hold = { amount: 4000, isvAmount: 500, preauth: true, capture: 'immediate' };

  beforeEach(() => {
    shop.payments.put('account', merchantId, account({ mode: 'isv' }));
  });

  it.each<[string, object]>([
    ['may be left out for the whole amount', {}],
    ['may be left out when the amount is the whole', { captureAmount: 4000 }],
    ['is taken from a partial capture', { captureAmount: 3000, captureIsvAmount: 0 }],
    ['may be left out of a partial capture when none was authorized', { captureAmount: 3000, isvAmount: 0 }],
  ])('%s', async (_, change) => {
    expect((await post({ body: { ...body, additionalCharge: { ...hold, ...change } } })).status).toBe(202);
  });
});
