/** Switches that no test of the sandbox's endpoints changes: each has its documented effect and no other. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CardName, presentCard } from '../../../../sandbox/viva/books/cards.ts';
import { hold, pay } from '../../../../sandbox/viva/books/money.ts';
import type { SwitchName, SwitchValue } from '../../../../sandbox/viva/switches.ts';
import { transactionData } from '../../../../sandbox/viva/webhooks/event-data.ts';
import { deliver, newWebhook } from '../../../../sandbox/viva/webhooks/post.ts';
import { FakeSimulator } from '../../../fakes/simulator.ts';

let platform: FakeSimulator;
beforeEach(() => {
  platform = new FakeSimulator();
});
afterEach(() => vi.unstubAllGlobals());

const advance = (seconds: number) => platform.clock.advance(platform.clock.now() + seconds * 1000);

/** Returns what is observed under each of the two values. */
async function under<N extends SwitchName, T>(
  name: N,
  values: readonly [SwitchValue<N>, SwitchValue<N>],
  observe: () => T | Promise<T>,
): Promise<T[]> {
  const seen = [];
  for (const value of values) {
    platform.sim.switches.set(name, value);
    seen.push(await observe());
  }
  return seen;
}

function draft(amount: number, card: CardName = 'visa') {
  const { account, clock } = platform;
  return { account, card: presentCard(card, clock.now()), amount, merchantTrns: 'room 12 charge-1' };
}

async function chargeToken(card: CardName = 'visa', more: object = {}) {
  const paid = pay(platform.sim, 'sale', draft(1500, card));
  const { transactionId } = paid;
  const { token } = (await platform.api('POST', '/acquiring/v1/cards/tokens', 'smartCheckout', { transactionId })).body;
  const body = {
    token,
    amount: 700,
    holderName: 'CANARY HOLDER',
    expirationYear: 2031,
    expirationMonth: 12,
    currencyCode: '978',
    moto: true,
    ...more,
  };
  return (await platform.api('POST', '/nativecheckout/v2/chargetokens', 'native', body)).body;
}

const charge = (token: string) =>
  platform.api('POST', '/nativecheckout/v2/transactions', 'native', { chargeToken: token, amount: 700 });

async function order(more: object = {}): Promise<string> {
  const body = { amount: 4200, ...more };
  const { text } = await platform.api('POST', '/checkout/v2/orders', 'smartCheckout', body);
  return /"orderCode":(\d+)/.exec(text)![1]!;
}

describe('the switches of a terminal session', () => {
  const sell = (sessionId: string, amount = 9951) =>
    platform.api('POST', '/ecr/v1/transactions:sale', 'pos', {
      sessionId,
      terminalId: platform.account.terminals[0],
      cashRegisterId: 'till-1',
      amount,
      currencyCode: '978',
    });
  const session = async (sessionId: string) => (await platform.api('GET', `/ecr/v1/sessions/${sessionId}`, 'pos')).body;

  it('show or hide the issuer’s reason of a decline', async () => {
    await sell('s-1');
    await advance(1);
    const reason = async () => (await session('s-1')).transactionEventId;

    expect(await under('sessionTransactionEventId', ['present', 'missing'], reason)).toEqual([10051, null]);
  });

  it('select the one verb that aborts it', async () => {
    Object.assign(platform.sim.terminals.find(platform.account.terminals[0]!)!, { mode: 'manual' });
    await sell('s-1', 1500);
    const query = 'cashRegisterId=till-1';
    const byDelete = () => platform.api('DELETE', `/ecr/v1/sessions/s-1?${query}`, 'pos');
    const byGet = () => platform.api('GET', `/ecr/v1/sessions/s-1:abort?${query}`, 'pos');

    const statuses = [(await byGet()).status];
    platform.sim.switches.set('abortVerb', 'get');
    statuses.push((await byDelete()).status, (await byGet()).status);

    expect(statuses).toEqual([404, 405, 200]);
    expect(await session('s-1')).toMatchObject({ eventId: 1016, abortSuccess: true });
  });
});

describe('the switches of a charge token', () => {
  it('decide whether a challenge card asks for authentication with moto', async () => {
    const form = async () => (await chargeToken('challenge')).redirectToACSForm;
    const [never, asked] = await under('acsForMoto', ['never', 'challenge'], form);

    expect([never, asked]).toEqual([null, expect.stringContaining('/acs/')]);
  });

  it('write a missing form as null or as an empty text', async () => {
    const form = async () => (await chargeToken()).redirectToACSForm;

    expect(await under('frictionlessForm', ['null', 'empty'], form)).toEqual([null, '']);
  });

  it('refuse a token that is both used and expired as expired or as used', async () => {
    const { chargeToken: token } = await chargeToken();
    await charge(token);
    await advance(601);
    const message = async () => (await charge(token)).body.message;

    expect(await under('ctokExpiryCheck', ['before_use', 'after_use'], message)).toEqual([
      'ChargeTokenExpired',
      'ChargeTokenAlreadyUsed',
    ]);
  });

  it('return the payer by a redirect or by a form that posts', async () => {
    const back = async () => {
      const more = { moto: false, sessionRedirectUrl: 'http://127.0.0.1/return' };
      const { redirectToACSForm } = await chargeToken('challenge', more);
      const [, id] = /\/acs\/([^"]+)"/.exec(redirectToACSForm)!;
      const { status, text } = await platform.base('POST', `/acs/${id}/decision`);
      return [status, text.includes('method="POST" action="http://127.0.0.1/return"')];
    };

    expect(await under('acsReturn', ['get', 'post'], back)).toEqual([
      [303, false],
      [200, true],
    ]);
  });
});

describe('the switches of a hold', () => {
  const taken = async (merchantTrns: string) => {
    const preauth = hold(platform.sim, draft(5000));
    const path = `/nativecheckout/v2/transactions/${preauth.transactionId}`;
    await platform.api('POST', path, 'native', { amount: 5000, merchantTrns });
    return platform.sim.books.ledger.entries({}).at(-1)?.merchantTrns;
  };

  it('let a capture keep the sent reference or have its own', async () => {
    const reference = () => taken('room 12 capture-1');

    expect(await under('nativeCaptureReference', ['taken', 'ignored'], reference)).toEqual([
      'room 12 capture-1',
      'room 12 charge-1',
    ]);
  });

  it.each([30, 1, 5] as const)('allow a capture for %i days', async (days) => {
    platform.sim.switches.set('captureWindowDays', days);
    const preauth = [hold(platform.sim, draft(5000)), hold(platform.sim, draft(5000))];
    const capture = ({ transactionId }: { transactionId: string }) =>
      platform.api('POST', `/nativecheckout/v2/transactions/${transactionId}`, 'native', { amount: 5000 });

    await advance(days * 86_400 - 5);
    const inTime = await capture(preauth[0]!);
    await advance(10);
    const late = await capture(preauth[1]!);

    expect([inTime.status, late.status]).toEqual([200, 400]);
  });

  it('let the payment API’s POST capture a hold, and refuse or refund a payment', async () => {
    const post = async () => {
      const { transactionId } = pay(platform.sim, 'sale', draft(1500));
      const { body } = await platform.base('POST', `/api/transactions/${transactionId}`, { amount: 1500 });
      return [body.ErrorCode, body.TransactionTypeId];
    };

    expect(await under('refundVerb', ['delete', 'post'], post)).toEqual([
      [403, undefined],
      [0, 7],
    ]);
  });
});

describe('the switches of an order', () => {
  it('set the number of digits of its code', async () => {
    expect((await under('orderCodeDigits', [16, 12], order)).map(({ length }) => length)).toEqual([16, 12]);
  });

  it('set the only host that cancels it', async () => {
    const code = await order();
    const statuses = async () => [
      (await platform.base('DELETE', `/api/orders/${code}`)).status,
      (await platform.api('DELETE', `/checkout/v2/orders/${code}`, 'smartCheckout')).status,
    ];

    expect(await under('cancelOrder', ['legacy', 'api'], statuses)).toEqual([
      [200, 405],
      [405, 200],
    ]);
  });

  it('return a payment code or an empty answer, although the code exists', async () => {
    const code = await order();
    const session = async () =>
      (await platform.base('POST', '/web2/checkout/v2/paymentsessions', { orderCode: code })).text;
    const [answered, empty] = await under('rfResponse', ['code', 'empty'], session);

    expect(JSON.parse(answered!).rfPaymentCode).toMatch(/^RF\d{20}$/);
    expect(empty).toBe('');
  });

  it('accept the merchant’s id in any case or exactly as it is written', async () => {
    const other = platform.sim.accounts.all[1]!.merchantId;
    const create = async () =>
      (await platform.api('POST', `/checkout/v2/orders?MERCHANTID=${other}`, 'smartCheckout', { amount: 4200 })).status;

    expect(await under('queryNames', ['any_case', 'exact'], create)).toEqual([403, 200]);
  });
});

describe('the switches of a transaction', () => {
  it('show or hide the card’s expiry in checkout v2', async () => {
    const { transactionId } = pay(platform.sim, 'sale', draft(1500));
    const keys = async () =>
      (await platform.api('GET', `/checkout/v2/transactions/${transactionId}`, 'smartCheckout')).body;
    const [present, absent] = await under('v2Expiry', ['present', 'absent'], keys);

    expect(present.cardExpirationDate).toBe('2031-12-31T00:00:00');
    expect(absent).not.toHaveProperty('cardExpirationDate');
  });

  it('write the amount in webhooks in major or in minor units', async () => {
    const paid = pay(platform.sim, 'sale', draft(1550));
    const amount = () => JSON.stringify(transactionData(platform.sim, paid)).match(/"Amount":[\d.]+/)![0];

    expect(await under('webhookAmountUnit', ['major', 'minor'], amount)).toEqual(['"Amount":15.50', '"Amount":1550']);
  });
});

describe('the switches of a webhook', () => {
  const sent: { readonly headers: Headers; readonly body: string }[] = [];
  const deliverOne = async (status: number) => {
    const { merchantId } = platform.account;
    platform.sim.recipients.register(merchantId, 'http://127.0.0.1/hook', [1796]);
    vi.stubGlobal('fetch', async (_url: string, { headers, body }: RequestInit) => {
      sent.push({ headers: headers as Headers, body: String(body) });
      return new Response(null, { status });
    });
    await deliver(platform.sim, newWebhook(platform.sim, merchantId, 1796, { OrderCode: 1 }));
    return sent.at(-1)!;
  };

  it('sign it with the verification key or not at all', async () => {
    const [none, signed] = await under('webhookSignature', ['none', 'header'], () => deliverOne(200));
    const expected = createHmac('sha256', platform.account.webhookKey).update(signed!.body).digest('hex');

    expect(none!.headers.get('X-Viva-Signature')).toBeNull();
    expect(signed!.headers.get('X-Viva-Signature')).toBe(expected);
  });

  it.each([24, 72] as const)('set the number of attempts to %i', async (tries) => {
    const { merchantId, webhookKey } = platform.account;
    platform.sim.switches.set('webhookRetries', tries);
    platform.sim.recipients.register(merchantId, 'http://127.0.0.1/hook', [1796]);
    vi.stubGlobal('fetch', async (_url: string, { method }: RequestInit) =>
      method === 'POST' ? new Response(null, { status: 500 }) : Response.json({ Key: webhookKey }),
    );
    pay(platform.sim, 'sale', draft(1500));
    await advance(80 * 3600);

    expect([...platform.sim.books.webhooks.values()].map(({ attempts }) => attempts.length)).toEqual([tries]);
  });
});

it('a switch lets an ISV’s terminal sale pass without an ISV amount, or refuses it', async () => {
  const { accounts } = platform.sim;
  const seller = accounts.all[2]!;
  const request = (sessionId: string) =>
    platform.asIsv('POST', '/ecr/isv/v1/transactions:sale', {
      sessionId,
      terminalId: seller.terminals[0],
      cashRegisterId: 'till-1',
      amount: 1500,
      currencyCode: '978',
      isvDetails: { amount: 0, terminalMerchantId: seller.merchantId },
    });
  const status = async () => (await request(crypto.randomUUID())).status;

  expect(await under('ecrIsvAmountZero', ['accepted', 'refused'], status)).toEqual([200, 400]);
  expect(platform.sim.requests.list().map(({ merchantId }) => merchantId)).toEqual([
    seller.merchantId,
    seller.merchantId,
  ]);
});
