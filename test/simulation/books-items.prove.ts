/**
 * Stories through the public API in which faults could make our records differ from the simulator's ledger: both must
 * agree at rest.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
const { merchantId } = till.merchant;

beforeEach(async () => {
  await till.reset();
  await till.pass(3_700); // Warm functions have forgotten credentials and access tokens.
  await terminal({ mode: 'auto', delayMs: 0 });
});

const DAY = 86_400;
const SALE = '/ecr/v1/transactions:sale';
const SESSION = '/ecr/v1/sessions/';
const CHARGE = '/nativecheckout/v2/transactions';
const CAPTURE = '/nativecheckout/v2/transactions/*';

const terminal = (settings: object) => till.control('PATCH', `/_sim/terminals/${till.terminalId}`, settings);
const act = (action: string, more: object = {}) =>
  till.control('POST', `/_sim/terminals/${till.terminalId}/actions`, { action, ...more });
const fault = async (name: string, match: object = {}, more: object = {}): Promise<string> =>
  (await till.control('POST', '/_sim/faults', { name, match: { merchantId, ...match }, ...more })).faultId;
const loseAllWebhooks = () => fault('lost_webhook', {}, { times: null });
const noMoreFaults = async () => {
  for (const { faultId } of (await till.control('GET', '/_sim/faults')).faults) {
    await till.control('DELETE', `/_sim/faults/${faultId}`);
  }
};

const read = async (path: string): Promise<Json> => (await till.api('GET', path)).body;

/** Advances the time, at most so many seconds, until the resource is as expected. */
async function live(path: string, reached: (resource: Json) => boolean, seconds = 60): Promise<Json> {
  for (let second = 0; ; second++) {
    const resource = await read(path);
    if (reached(resource) || second === seconds) {
      return resource;
    }
    await till.pass(1);
  }
}

async function terminalIsAsked(): Promise<void> {
  for (let second = 0; second < 30; second++) {
    const { terminals } = await till.control('GET', '/_sim/terminals');
    if (terminals.some((one: Json) => one.terminalId === till.terminalId && one.openSessionId !== null)) {
      return;
    }
    await till.pass(1);
  }
  throw new Error('no session reached the terminal');
}

const isFinal = ({ final }: Json) => final === true;
const isWhollyFinal = ({ final, additionalCharge }: Json) => final && (additionalCharge?.final ?? true);

async function booked(id: string): Promise<string[]> {
  return (await entriesOf(id)).map(({ kind, amount }) => `${kind} ${amount}`);
}

/** Ledger entries with the id in their reference, and what was returned of them. */
async function entriesOf(id: string): Promise<Json[]> {
  const { entries } = await till.control('GET', '/_sim/ledger');
  const own = entries.filter((one: Json) => one.merchantTrns.includes(id));
  return entries.filter(
    (one: Json) => own.includes(one) || own.some((its: Json) => its.transactionId === one.parentId),
  );
}

async function published(id: string): Promise<string[]> {
  const { events } = await till.control('GET', '/_cloud/events');
  const own = events.map(({ detail }: Json) => detail).filter(({ subject }: Json) => subject === id);
  return [...new Map(own.map((one: Json) => [one.id, one.data.status])).values()] as string[];
}

/** In the platform's own portal: no webhook reports it when webhooks are lost. */
async function giveBackElsewhere(transactionId: string, amount?: number): Promise<void> {
  const { baseUrl } = till.ready.platform;
  const query = amount === undefined ? '' : `?amount=${amount}`;
  const answer = await fetch(`${baseUrl}/api/transactions/${transactionId}${query}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${btoa(`${merchantId}:${till.merchant.credentials.apiKey}`)}` },
  });
  expect(await answer.json()).toMatchObject({ Success: true });
}

const paymentOf = async (id: string): Promise<Json> =>
  (await entriesOf(id)).find(({ kind }) => ['sale', 'charge', 'capture', 'rf_credit'].includes(kind));

describe('a sale that the platform reversed', () => {
  const reversed = async (saleId: string) => {
    const sale = await read(`/sales/${saleId}`);
    const { transactionId } = await paymentOf(saleId);
    expect(await booked(saleId)).toEqual(['sale 1500', 'reversal 1500']);
    expect(sale).toMatchObject({ status: 'reversed', final: true, transactionId, refundedAmount: 1500 });
    expect((await published(saleId)).at(-1)).toBe('reversed');
  };

  it.each(['server_error_before', 'session_failed'])(
    'becomes reversed with the payment’s transactionId, although its session shows %s and no webhook arrives',
    async (name) => {
      await terminal({ mode: 'manual' });
      await loseAllWebhooks();
      await fault(name, { path: SESSION, method: 'GET' }, { times: null });
      const { saleId } = await till.startSale({ tokenize: false });
      await terminalIsAsked();
      await act('approve_then_reverse');
      await till.pass(2_400);
      await noMoreFaults();
      await till.pass(3_600);

      await reversed(saleId);
    },
  );

  it.each([1796, 1797])('does not become paid by a genuine webhook %i that arrives late', async (eventTypeId) => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('session_failed', { path: SESSION }, { times: null, eventId: 1006 });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('approve_then_reverse');
    await till.pass(300);
    const { webhooks } = await till.control('GET', `/_sim/webhooks?eventTypeId=${eventTypeId}&recipient=${merchantId}`);
    await till.control('POST', `/_sim/webhooks/${webhooks[0].messageId}/redeliver`, {});
    await till.pass(3_600);

    await reversed(saleId);
  });

  it('stays paid and shows the amount when a part was refunded elsewhere', async () => {
    const { saleId } = await till.sell({ tokenize: false });
    await giveBackElsewhere((await paymentOf(saleId)).transactionId, 400);
    await till.pass(1_800);

    expect(await read(`/sales/${saleId}`)).toMatchObject({
      status: 'paid',
      refundedAmount: 400,
      totals: { net: 1100 },
    });
  });

  it('becomes refunded when it was refunded elsewhere a day later', async () => {
    const { saleId } = await till.sell({ tokenize: false });
    await till.pass(DAY);
    await giveBackElsewhere((await paymentOf(saleId)).transactionId);
    await till.pass(1_800);

    expect(await booked(saleId)).toEqual(['sale 1500', 'refund 1500']);
    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'refunded', refundedAmount: 1500 });
  });

  it('shows on its captured charge a part that was refunded elsewhere', async () => {
    const additionalCharge = { amount: 4000, preauth: true, capture: 'immediate', captureAmount: 3000 };
    const { saleId } = await till.startSale({ additionalCharge });
    const { additionalCharge: charge } = await live(`/sales/${saleId}`, isWhollyFinal, 30);
    await giveBackElsewhere(charge.captures[0].transactionId, 1000);
    await till.pass(1_800);

    const sale = await read(`/sales/${saleId}`);
    expect(sale.additionalCharge).toMatchObject({ status: 'captured', refundedAmount: 1000 });
    expect(sale.totals).toMatchObject({ charged: 3000, refunded: 1000, net: 3500 });
  });

  it('shows the hold of its charge as cancelled when that was released elsewhere', async () => {
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true } });
    const { additionalCharge: hold } = await live(
      `/sales/${saleId}`,
      ({ additionalCharge }) => additionalCharge.status === 'authorized',
    );
    await giveBackElsewhere((await entriesOf(hold.chargeId))[0]!.transactionId);
    await till.pass(1_800);

    expect((await read(`/sales/${saleId}`)).additionalCharge).toMatchObject({
      status: 'cancelled',
      final: true,
      failure: { code: 'HOLD_RELEASED' },
    });
  });

  it('needs review, and does not count as absent, when another amount was taken', async () => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('server_error_before', { path: SESSION, method: 'GET' }, { times: null });
    await fault('wrong_amount', { path: '/api/transactions' }, { times: null });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('tap');
    await till.pass(3_600);

    expect(await read(`/sales/${saleId}`)).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
    });
  });

  it.each(['M', 'MA', 'MI', 'MW', 'MS'])('stays paid while its payment is disputed (%s)', async (statusId) => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('server_error_before', { path: SESSION, method: 'GET' }, { times: null });
    await fault('transaction_disputed', {}, { times: null, statusId });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('tap');
    await till.pass(3_600);

    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'paid' });
  });
});

describe('a single reading of a failure', () => {
  it.each(['answer_lost', 'server_error_after'])(
    'does not end a paid charge as declined when the charge’s own answer was %s',
    async (name) => {
      const record = `minibar-${randomUUID()}`;
      await loseAllWebhooks();
      await fault(name, { path: CHARGE, method: 'POST' });
      await fault('transaction_failed', { record });
      const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, merchantTrns: record } });
      await live(`/sales/${saleId}`, isWhollyFinal, 30);
      await till.pass(5_400);
      const { additionalCharge } = await read(`/sales/${saleId}`);

      expect(await booked(additionalCharge.chargeId)).toEqual(['charge 4000']);
      expect(additionalCharge).toMatchObject({ status: 'charged', final: true });
    },
  );

  it('of a session ends the sale for the cashier at once, and is checked once more without a webhook', async () => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('session_failed', { path: SESSION }, { times: null, eventId: 1006 });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('tap');
    const atOnce = await live(`/sales/${saleId}`, isFinal, 10);
    await till.pass(1_800);

    expect(atOnce.status).toBe('declined');
    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'paid', failure: { code: 'SALE_PAID_LATE' } });
  });

  it('in the list does not end a sale whose session cannot be read', async () => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('server_error_before', { path: SESSION, method: 'GET' }, { times: null });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('tap');
    await fault('transaction_failed', { record: saleId });
    await till.pass(3_600);

    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'paid' });
  });

  it('of a charge proves nothing while the charge is in progress', async () => {
    const record = `minibar-${randomUUID()}`;
    await loseAllWebhooks();
    await fault('answer_lost', { path: CHARGE, method: 'POST' });
    await fault('transaction_pending', { record }, { times: 3 });
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, merchantTrns: record } });
    await live(`/sales/${saleId}`, isWhollyFinal, 30);
    await till.pass(5_400);

    expect((await read(`/sales/${saleId}`)).additionalCharge).toMatchObject({ status: 'charged' });
  });
});

describe('a second payment from one sale request', () => {
  const sellUnder = async (name: string, match: object, more: object) => {
    await till.control('PATCH', '/_sim/switches', { duplicateSession: 'accepted' });
    await fault(name, match, more);
    const { saleId } = await till.startSale({ tokenize: false });
    await till.pass(14);
    await noMoreFaults();
    await till.pass(60);
    await till.pass(1_800);
    return saleId as string;
  };
  const isPaidOnce = async (saleId: string) => {
    expect(await till.requests(SALE)).toHaveLength(1);
    expect(await booked(saleId)).toEqual(['sale 1500']);
    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'paid' });
  };

  it('is not caused by a session that appears late', async () => {
    await isPaidOnce(await sellUnder('not_visible', { path: SESSION }, { times: null }));
  });

  it('is not caused by an answer that takes half a minute and a session that appears late', async () => {
    await fault('not_visible', { path: SESSION }, { times: null });
    await isPaidOnce(await sellUnder('slow', { path: SALE }, { delaySeconds: 30 }));
  });

  it.each(['answer_lost', 'server_error_after'])('is not caused by a request whose answer was %s', async (name) => {
    await fault('not_visible', { path: SESSION }, { times: null });
    await isPaidOnce(await sellUnder(name, { path: SALE }, { times: 1 }));
  });

  it.each([3, 4, 6, 8, 9, 10])('is not caused by a function that dies after call %i', async (afterCall) => {
    await till.kill('send-sale-request', afterCall);
    const saleId = await sellUnder('not_visible', { path: SESSION }, { times: null });

    const requests = (await till.requests(SALE)).length;
    expect(requests).toBeLessThanOrEqual(1);
    expect(await booked(saleId)).toEqual(requests === 1 ? ['sale 1500'] : []);
    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: requests === 1 ? 'paid' : 'expired', final: true });
  });
});

describe('a capture without an answer', () => {
  const held = async (charge: object) => {
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000, preauth: true, ...charge } });
    return live(`/sales/${saleId}`, ({ additionalCharge }) => additionalCharge.status === 'authorized', 60);
  };
  const captured = async (saleId: string, chargeId: string, amount: number) => {
    await till.pass(60);
    await noMoreFaults();
    await till.pass(5_400);
    const { additionalCharge } = await read(`/sales/${saleId}`);
    expect(await booked(chargeId)).toEqual(['preauth 4000', `capture ${amount}`]);
    expect(additionalCharge).toMatchObject({ status: 'captured', final: true, capturedAmount: amount });
  };
  /** As captured; or, when it is proven that no capture was made, the hold stands and a capture may be requested again. */
  const capturedOrOpen = async (saleId: string, chargeId: string, amount: number) => {
    await till.pass(60);
    await noMoreFaults();
    await till.pass(5_400);
    if ((await booked(chargeId)).length > 1) {
      return captured(saleId, chargeId, amount);
    }
    expect((await read(`/sales/${saleId}`)).additionalCharge).toMatchObject({
      status: 'authorized',
      final: false,
      capturedAmount: 0,
      captures: [{ status: 'refused' }],
    });
  };
  const faults: [string, object][] = [
    ['answer_lost', {}],
    ['server_error_after', {}],
    ['late_commit', { delaySeconds: 900 }],
    ['server_error_before', {}],
    ['late_commit', { delaySeconds: 120 }],
    ['malformed_200', {}],
  ];

  it.each(faults)('is resolved by the platform’s records after %s %o', async (name, more) => {
    await loseAllWebhooks();
    const { saleId, additionalCharge } = await held({});
    const { chargeId } = additionalCharge;
    await fault(name, { path: CAPTURE, method: 'POST' }, more);
    await till.api('POST', `/charges/${chargeId}/capture`, { amount: 3000 }, { key: randomUUID() });

    await capturedOrOpen(saleId, chargeId, 3000);
  });

  it.each(faults)('that was requested with the charge is resolved after %s %o', async (name, more) => {
    await loseAllWebhooks();
    await fault(name, { path: CAPTURE, method: 'POST' }, more);
    const asked = { amount: 4000, preauth: true, capture: 'immediate', captureAmount: 3000 };
    const { saleId, additionalCharge } = await till.startSale({ additionalCharge: asked });

    await till.pass(60);
    await capturedOrOpen(saleId, additionalCharge.chargeId, 3000);
  });

  it.each([0, 1, 2])('is made when the function dies after call %i, before anything was sent', async (afterCall) => {
    const { saleId, additionalCharge } = await held({});
    await till.kill('capture', afterCall);
    await till.api('POST', `/charges/${additionalCharge.chargeId}/capture`, { amount: 3000 }, { key: randomUUID() });

    await captured(saleId, additionalCharge.chargeId, 3000);
  });

  it.each([3, 4, 5, 6, 7, 8, 9])('is resolved when the function dies after call %i', async (afterCall) => {
    const { saleId, additionalCharge } = await held({});
    await till.kill('capture', afterCall);
    await till.api('POST', `/charges/${additionalCharge.chargeId}/capture`, { amount: 3000 }, { key: randomUUID() });

    await capturedOrOpen(saleId, additionalCharge.chargeId, 3000);
  });

  it.each(faults.slice(0, 4))('and a void without an answer are resolved alike, after %s %o', async (name, more) => {
    await loseAllWebhooks();
    const { saleId, additionalCharge } = await held({});
    await fault(name, { path: '/api/transactions/*', method: 'DELETE' }, more);
    await till.pass(5 * DAY + 3_600);
    await noMoreFaults();
    await till.pass(5_400);

    expect(await booked(additionalCharge.chargeId)).toEqual(['preauth 4000', 'void 4000']);
    expect((await read(`/sales/${saleId}`)).additionalCharge).toMatchObject({ status: 'expired', final: true });
  });
});

describe('a single wrong amount in a list', () => {
  it('is never counted for an order of any amount', async () => {
    const order = await till.orderRf({ disableExactAmount: true });
    await fault('wrong_amount', { record: order.orderCode, path: '/api/transactions' });
    await till.payRf(order, 2000);
    const seen = new Set<number>();
    for (let minute = 0; minute < 20; minute++) {
      await till.pass(60);
      seen.add((await read(`/rf-orders/${order.rfOrderId}`)).amountPaid);
    }
    await till.pass(DAY);

    expect([...seen].filter((amount) => amount > 2000)).toEqual([]);
    expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ amountPaid: 2000 });
  });
});

describe('an item that nobody asks for again', () => {
  const errors = async (after: number) =>
    (await till.control('GET', `/_cloud/logs?after=${after}`)).lines.filter(
      ({ message }: Json) => message?.level === 'ERROR' || message?.errorType !== undefined,
    );
  const lastLine = async () => (await till.control('GET', '/_cloud/logs')).lines.at(-1)?.seq ?? 0;

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('does not stay open when create-sale dies after call %i', async (afterCall) => {
    await till.kill('create-sale', afterCall);
    await till.api('POST', '/sales', till.saleOf({ additionalCharge: { amount: 4000 } }), { key: randomUUID() });
    await till.pass(7_200);
    const after = await lastLine();
    await till.pass(3_600);
    const open = (await till.items()).filter(
      ({ pk, status }) => /^(sale|charge)#/.test(pk) && ['created', 'processing', 'awaiting_card'].includes(status),
    );

    expect(open).toEqual([]);
    expect(await errors(after)).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4, 5])('does not stay open when store-card dies after call %i', async (afterCall) => {
    const { transactionId } = await till.sell({ tokenize: false });
    await till.kill('store-card', afterCall);
    await till.api('POST', '/cards', { merchantId, transactionId }, { key: randomUUID() });
    await till.pass(7_200);
    const after = await lastLine();
    await till.pass(3_600);

    expect((await till.items()).filter(({ pk, status }) => pk.startsWith('card#') && status === 'pending')).toEqual([]);
    expect(await errors(after)).toEqual([]);
  });
});

describe('a sale that is found paid late', () => {
  it('continues as requested when it was unconfirmed', async () => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('server_error_before', { path: SESSION, method: 'GET' }, { times: null });
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000 } });
    await terminalIsAsked();
    await act('tap');
    const unconfirmed = await live(`/sales/${saleId}`, ({ status }) => status === 'unconfirmed', 300);
    await till.pass(1_800);
    const sale = await live(`/sales/${saleId}`, isWhollyFinal, 60);

    expect(unconfirmed.status).toBe('unconfirmed');
    expect(sale).toMatchObject({ status: 'tokenized', additionalCharge: { status: 'charged' } });
    expect(await booked(saleId)).toEqual(['sale 1500']);
    expect(await booked(sale.additionalCharge.chargeId)).toEqual(['charge 4000']);
  });

  it('is never charged more once it was reported as ended', async () => {
    await terminal({ mode: 'manual' });
    await loseAllWebhooks();
    await fault('session_failed', { path: SESSION }, { times: null, eventId: 1006 });
    const { saleId } = await till.startSale({ additionalCharge: { amount: 4000 } });
    await terminalIsAsked();
    await act('tap');
    const over = await live(`/sales/${saleId}`, isFinal, 10);
    await till.pass(3_600);
    const sale = await live(`/sales/${saleId}`, isWhollyFinal, 60);

    expect(over.status).toBe('declined');
    expect(sale).toMatchObject({
      status: 'tokenized',
      final: true,
      failure: { code: 'SALE_PAID_LATE' },
      additionalCharge: { status: 'cancelled' },
    });
    expect(await booked(sale.additionalCharge.chargeId)).toEqual([]);
    expect(await published(saleId)).toContain('paid');
  });
});

describe('a late payment of an RF order', () => {
  const only = async (eventTypeId: number) => {
    for (const other of [1796, 1799, 2054].filter((one) => one !== eventTypeId)) {
      await fault('lost_webhook', { path: `/${merchantId}/${other}` }, { times: null });
    }
  };

  it.each([1796, 1799, 2054])('is found by its own webhook %i although the list lags', async (eventTypeId) => {
    const order = await till.orderRf({ expiresInSeconds: 60 });
    await till.pass(3 * DAY);
    expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ status: 'expired' });
    await only(eventTypeId);
    await fault('list_lag', {}, { times: null, delaySeconds: 119 });
    await till.payRf(order);
    await till.pass(1_800);

    expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ status: 'paid', late: true, amountPaid: 5000 });
  });

  it('is found in the last hour of an order of any amount, without a webhook', async () => {
    const order = await till.orderRf({ disableExactAmount: true, expiresInSeconds: 5 * DAY });
    await loseAllWebhooks();
    await till.pass(5 * DAY - 3_600);
    await till.payRf(order);
    await till.pass(DAY);

    expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ status: 'paid', amountPaid: 5000 });
  });

  it.each([2, 10, 25])(
    'is found %i days after the end of an order of any amount, without a webhook',
    async (days) => {
      const order = await till.orderRf({ disableExactAmount: true, expiresInSeconds: DAY });
      await loseAllWebhooks();
      await till.pass((1 + days) * DAY);
      await till.payRf(order);
      await till.pass(5 * DAY);

      expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ status: 'paid', late: true });
    },
    180_000,
  );
});

describe('a change without a webhook', () => {
  beforeEach(loseAllWebhooks);

  it('is found within days when the platform reversed a sale', async () => {
    await terminal({ mode: 'manual' });
    const { saleId } = await till.startSale({ tokenize: false });
    await terminalIsAsked();
    await act('approve_then_reverse', { delaySeconds: 3_600 });
    await live(`/sales/${saleId}`, isFinal, 30);
    await till.pass(4 * DAY);

    expect(await booked(saleId)).toEqual(['sale 1500', 'reversal 1500']);
    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'reversed', refundedAmount: 1500 });
    expect((await published(saleId)).at(-1)).toBe('reversed');
  });

  it.each([
    ['refund', 1, 'refunded'],
    ['void', 0, 'reversed'],
    ['refund', 2, 'refunded'],
  ] as const)('is found when a charge was returned elsewhere by a %s, %i days later', async (kind, days, status) => {
    const { saleId, additionalCharge } = await till.sell({ additionalCharge: { amount: 4000 } });
    await till.pass(days * DAY);
    await giveBackElsewhere((await paymentOf(additionalCharge.chargeId)).transactionId);
    await till.pass(4 * DAY);

    expect(await booked(additionalCharge.chargeId)).toEqual(['charge 4000', `${kind} 4000`]);
    expect((await read(`/sales/${saleId}`)).additionalCharge).toMatchObject({ status, refundedAmount: 4000 });
  });

  it('is found when a part of a sale was refunded elsewhere on the next day', async () => {
    const { saleId } = await till.sell({ tokenize: false });
    await till.pass(DAY);
    await giveBackElsewhere((await paymentOf(saleId)).transactionId, 400);
    await till.pass(4 * DAY);

    expect(await read(`/sales/${saleId}`)).toMatchObject({ status: 'paid', refundedAmount: 400, final: true });
  });

  it('is found when a bank transfer was returned', async () => {
    const order = await till.orderRf();
    const { transferId } = await till.payRf(order);
    await till.pass(3_600);
    const before = await read(`/rf-orders/${order.rfOrderId}`);
    await till.control('POST', `/_sim/bank/transfers/${transferId}/return`);
    await till.pass(4 * DAY);

    expect(before).toMatchObject({ status: 'paid' });
    expect(await read(`/rf-orders/${order.rfOrderId}`)).toMatchObject({ status: 'reversed', amountPaid: 0 });
  });
});
