import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { type Platform, startPlatform } from '../../sandbox/viva/viva.ts';
import { basic, type Caller, callerOf } from './viva-caller.ts';
import { type Inbox, openInbox } from './webhook-inbox.ts';

let platform: Platform;
let call: Caller;
let inbox: Inbox;
const clock = new Clock();

beforeAll(async () => {
  platform = await startPlatform({ clock, seed: 7 });
  call = callerOf(platform);
  inbox = await openInbox();
});
afterAll(async () => {
  clock.stop();
  await inbox.close();
  await platform.close();
});
beforeEach(async () => {
  await call.control('POST', '/_sim/reset', {});
});

const ledger = async () => (await call.control('GET', '/_sim/ledger')).json;
const kinds = async () =>
  (await ledger()).entries.map((entry: { kind: string; amount: number }) => [entry.kind, entry.amount]);
const fault = (name: string, match: object = {}, more: object = {}) =>
  call.control('POST', '/_sim/faults', { name, match, times: 1, ...more });
const set = (switches: object) => call.control('PATCH', '/_sim/switches', switches);
const advance = (advanceSeconds: number) => call.control('POST', '/_sim/clock', { advanceSeconds });
const terminal = (index: number, settings: object) =>
  call.control('PATCH', `/_sim/terminals/${platform.merchants[index]!.terminals[0]}`, settings);
const act = (index: number, action: object) =>
  call.control('POST', `/_sim/terminals/${platform.merchants[index]!.terminals[0]}/actions`, action);

describe('the card flow of the simulator', () => {
  it('takes a sale, a token, a charge and a captured hold, and the ledger agrees', async () => {
    const shop = call.as(0);
    const sale = await shop.paidSale(1500, 'room 12');
    const legacy = await shop.legacy('GET', `/api/transactions/${sale.transactionId}`);
    const cardToken = await shop.cardToken(sale.transactionId);

    const charge = await shop.charge(cardToken, 4000, { merchantTrns: 'minibar' });
    const hold = await shop.charge(cardToken, 5000, { preauth: true });
    const capture = await shop.native('POST', `/transactions/${hold.json.transactionId}`, { amount: 3000 });

    expect(legacy.json.Transactions[0].CreditCard.ExpirationDate).toBe('2031-12-31T00:00:00');
    expect(legacy.text).toContain('"Amount":15.00');
    expect([charge.status, hold.status, capture.status]).toEqual([200, 200, 200]);
    expect(await kinds()).toEqual([
      ['sale', 1500],
      ['charge', 4000],
      ['preauth', 5000],
      ['capture', 3000],
    ]);
    expect((await ledger()).totals.net).toBe(8500);
  });

  it('charges for an ISV with the ISV’s credentials, and captures as reseller with the ISV amount', async () => {
    const shop = call.as(2);
    const sale = await shop.paidSale(1500);
    const cardToken = await shop.cardToken(sale.transactionId);
    const hold = await shop.charge(cardToken, 5000, { preauth: true, isvAmount: 100 });

    const path = `/api/transactions/${hold.json.transactionId}`;
    const own = await shop.legacy('POST', path, { amount: 4000, isvAmount: 50 });
    const capture = await shop.reseller('POST', path, { amount: 4000, isvAmount: 50, merchantTrns: 'night 2' });

    expect(own.json).toMatchObject({ ErrorCode: 403, Success: false });
    expect(capture.json).toMatchObject({ ErrorCode: 0, Success: true, StatusId: 'F', TransactionTypeId: 0 });
    expect((await ledger()).entries.at(-1)).toMatchObject({
      kind: 'capture',
      amount: 4000,
      isvAmount: 50,
      merchantTrns: 'night 2',
    });
  });

  it('answers a known session with 409 and takes no second payment', async () => {
    const shop = call.as(0);
    const session = await shop.paidSale(1500);

    const again = await shop.sale(1500, { sessionId: session.sessionId });

    expect([again.status, again.eventId]).toEqual([409, 1201]);
    expect(await kinds()).toEqual([['sale', 1500]]);
  });

  it('takes a second payment for a known session when the switch says so', async () => {
    const shop = call.as(0);
    await set({ duplicateSession: 'accepted' });
    const session = await shop.paidSale(1500);

    await shop.sale(1500, { sessionId: session.sessionId });
    await shop.finishedSession(session.sessionId);

    expect(await kinds()).toHaveLength(2);
  });

  it('declines by amount on the terminal and online, without a ledger entry', async () => {
    const shop = call.as(0);
    const declined = await shop.paidSale(9951);
    const sale = await shop.paidSale(1500);
    const charge = await shop.charge(await shop.cardToken(sale.transactionId), 9905);

    expect(declined).toMatchObject({ success: false, eventId: 1006, transactionEventId: 10051 });
    expect(charge).toMatchObject({ status: 400, eventId: 10005, json: { eventId: '10005' } });
    expect(await kinds()).toEqual([['sale', 1500]]);
  });

  it('accepts a charge token once, and only while it lives', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const used = (await shop.chargeToken(cardToken, 700)).json.chargeToken;
    await shop.transaction(used, 700);
    const old = (await shop.chargeToken(cardToken, 800)).json.chargeToken;

    const again = await shop.transaction(used, 700);
    await set({ ctokReuse: 'replay' });
    const replayed = await shop.transaction(used, 700);
    await advance(601);
    const late = await shop.transaction(old, 800);

    expect([again.status, replayed.status, late.status]).toEqual([400, 200, 400]);
    expect(await kinds()).toEqual([
      ['sale', 1500],
      ['charge', 700],
    ]);
  });

  it('asks for the payer’s authentication and charges only after it', async () => {
    const shop = call.as(0);
    await terminal(0, { card: 'challenge' });
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const token = await shop.chargeToken(cardToken, 700, {
      moto: false,
      sessionRedirectUrl: 'https://shop.example/return',
    });
    const action = /action="([^"]+)"/.exec(token.json.redirectToACSForm)?.[1] ?? '';
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

    const early = await shop.transaction(token.json.chargeToken, 700);
    const page = await call.send('POST', action, form, 'creq=x');
    const back = await call.send('POST', `${action}/decision`, form, 'decision=approve');
    const charge = await shop.transaction(token.json.chargeToken, 700);

    expect(early).toMatchObject({ status: 400, eventId: 2061, json: { eventId: '2061' } });
    expect(page.text).toContain('/decision');
    expect([back.status, back.headers.get('Location')]).toEqual([303, 'https://shop.example/return']);
    expect(charge.status).toBe(200);
  });

  it('refuses to tokenize a phone wallet or without the role', async () => {
    const shop = call.as(0);
    await terminal(0, { card: 'wallet' });
    const wallet = await shop.paidSale(1500);
    await terminal(0, { card: 'visa' });
    const card = await shop.paidSale(1500);

    const refused = await shop.smartCheckout('POST', '/acquiring/v1/cards/tokens', {
      transactionId: wallet.transactionId,
    });
    await call.control('PATCH', `/_sim/accounts/${shop.merchant.merchantId}`, { tokenizationRole: false });
    const forbidden = await shop.smartCheckout('POST', '/acquiring/v1/cards/tokens', {
      transactionId: card.transactionId,
    });

    expect([refused.status, forbidden.status]).toEqual([400, 403]);
  });

  it('captures a hold once, never above its amount, and not after the window', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const hold = (await shop.charge(cardToken, 5000, { preauth: true })).json.transactionId;
    const other = (await shop.charge(cardToken, 2000, { preauth: true })).json.transactionId;

    const above = await shop.native('POST', `/transactions/${hold}`, { amount: 5001 });
    const first = await shop.native('POST', `/transactions/${hold}`, { amount: 2000 });
    const second = await shop.native('POST', `/transactions/${hold}`, { amount: 1000 });
    await advance(31 * 86_400);
    const late = await shop.native('POST', `/transactions/${other}`, { amount: 2000 });

    expect([above.status, first.status, second.status, late.status]).toEqual([400, 200, 400, 400]);
    expect((await ledger()).totals.capture).toEqual({ count: 1, amount: 2000 });
  });

  it('charges a sale again when a POST names it and recurring is allowed, and refuses otherwise', async () => {
    const shop = call.as(0);
    const sale = await shop.paidSale(1500);
    const cardToken = await shop.cardToken(sale.transactionId);
    const recurring = (await shop.charge(cardToken, 700, { allowsRecurring: true })).json.transactionId;

    const refused = await shop.legacy('POST', `/api/transactions/${sale.transactionId}`, { amount: 1500 });
    const again = await shop.legacy('POST', `/api/transactions/${recurring}`, { amount: 700 });

    expect(refused.json).toMatchObject({ ErrorCode: 403, Success: false });
    expect(again.json).toMatchObject({ Success: true });
    expect((await ledger()).totals.charge).toEqual({ count: 2, amount: 1400 });
  });

  it('voids the whole on the same day, refunds a part, and never more than was taken', async () => {
    const shop = call.as(0);
    const voided = await shop.paidSale(1500);
    const refunded = await shop.paidSale(2000);

    await shop.legacy('DELETE', `/api/transactions/${voided.transactionId}?amount=1500`);
    await shop.legacy('DELETE', `/api/transactions/${refunded.transactionId}?amount=500`);
    const tooMuch = await shop.legacy('DELETE', `/api/transactions/${refunded.transactionId}?amount=1501`);

    const status = async (id: string) =>
      (await shop.legacy('GET', `/api/transactions/${id}`)).json.Transactions[0].StatusId;
    expect(tooMuch.json).toMatchObject({ ErrorCode: 403, Success: false });
    expect([await status(voided.transactionId), await status(refunded.transactionId)]).toEqual(['X', 'R']);
    expect((await ledger()).totals).toMatchObject({ void: { amount: 1500 }, refund: { amount: 500 }, net: 1500 });
  });

  it('lists the transactions of a day in Athens', async () => {
    const shop = call.as(0);
    const sale = await shop.paidSale(1500);
    const record = (await shop.legacy('GET', `/api/transactions/${sale.transactionId}`)).json.Transactions[0];

    const list = await shop.legacy('GET', `/api/transactions?date=${record.InsDate.slice(0, 10)}`);
    const byOrder = await shop.legacy('GET', `/api/transactions?ordercode=${sale.orderCode}`);
    const other = await call.as(1).legacy('GET', `/api/transactions?date=${record.InsDate.slice(0, 10)}`);

    expect(list.json.Transactions.map((one: { TransactionId: string }) => one.TransactionId)).toEqual([
      sale.transactionId,
    ]);
    expect(byOrder.json.Transactions).toHaveLength(1);
    expect(byOrder.text).toContain(`"OrderCode":${sale.orderCode}`);
    expect(BigInt(sale.orderCode) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(other.json.Transactions).toEqual([]);
  });
});

describe('a terminal of the simulator', () => {
  const openOn = async (index: number) => {
    const sessionId = crypto.randomUUID();
    await call.as(index).sale(1500, { sessionId });
    return sessionId;
  };

  it('waits for the payer in manual mode, and times out after a minute', async () => {
    const shop = call.as(0);
    await terminal(0, { mode: 'manual' });
    const tapped = await openOn(0);
    const pending = await shop.ecr('GET', `/sessions/${tapped}`);
    await act(0, { action: 'tap', card: 'mastercard' });
    const left = await openOn(0);
    await advance(61);

    expect(pending).toMatchObject({ status: 202, json: { detail: 'The session is being processed' } });
    expect((await shop.ecr('GET', `/sessions/${tapped}`)).json).toMatchObject({
      success: true,
      cardType: 'MasterCard',
    });
    expect((await shop.ecr('GET', `/sessions/${left}`)).json).toMatchObject({ success: false, eventId: 1003 });
    expect((await act(0, { action: 'tap' })).status).toBe(409);
  });

  it('is aborted by the register that opened the session, and only before the card is read', async () => {
    const shop = call.as(0);
    await terminal(0, { mode: 'manual' });
    const aborted = await openOn(0);
    const nameless = await shop.ecr('DELETE', `/sessions/${aborted}`);
    const stranger = await shop.ecr('DELETE', `/sessions/${aborted}?cashRegisterId=till-2`);
    const accepted = await shop.ecr('DELETE', `/sessions/${aborted}?cashRegisterId=till-1`);
    const again = await shop.ecr('DELETE', `/sessions/${aborted}?cashRegisterId=till-1`);
    const approved = await openOn(0);
    await act(0, { action: 'tap' });
    const late = await shop.ecr('DELETE', `/sessions/${approved}?cashRegisterId=till-1`);

    const events = [nameless, stranger, accepted, again, late].map(({ status, eventId }) => [status, eventId]);
    expect(events).toEqual([
      [400, 1200],
      [403, 1206],
      [200, 1104],
      [409, 1208],
      [409, 1204],
    ]);
    expect((await shop.ecr('GET', `/sessions/${aborted}`)).json).toMatchObject({ eventId: 1016, abortSuccess: true });
    expect((await shop.ecr('GET', `/sessions/${approved}`)).json.success).toBe(true);
  });

  it('never answers when it is offline, aborted or not', async () => {
    await terminal(0, { mode: 'offline' });
    const sessionId = await openOn(0);
    await call.as(0).ecr('DELETE', `/sessions/${sessionId}?cashRegisterId=till-1`);
    await advance(3600);

    expect((await call.as(0).ecr('GET', `/sessions/${sessionId}`)).status).toBe(202);
  });

  it('reverses a payment by itself on request', async () => {
    await terminal(0, { mode: 'manual' });
    await openOn(0);
    await act(0, { action: 'approve_then_reverse' });
    await advance(2);

    expect(await kinds()).toEqual([
      ['sale', 1500],
      ['reversal', 1500],
    ]);
    expect((await ledger()).totals.net).toBe(0);
  });

  it('refuses another merchant’s terminal, small amounts and unknown sessions', async () => {
    const shop = call.as(0);
    const foreign = await shop.sale(1500, { terminalId: platform.merchants[1]!.terminals[0] });
    const small = await shop.sale(29);
    const unknown = await shop.ecr('GET', '/sessions/nobody');

    expect([foreign, small, unknown].map(({ status, eventId }) => [status, eventId])).toEqual([
      [400, 1200],
      [400, 1200],
      [404, 1205],
    ]);
  });

  it('accepts an ISV’s sale with isvDetails and the ISV’s token', async () => {
    const { merchant } = call.as(2);
    const headers = await call.bearer(platform.isv);
    const sale = {
      sessionId: crypto.randomUUID(),
      terminalId: merchant.terminals[0],
      cashRegisterId: 'till-1',
      amount: 1500,
      currencyCode: '978',
      isvDetails: { amount: 50, terminalMerchantId: merchant.merchantId },
    };
    const url = `${platform.urls.apiUrl}/ecr/isv/v1/transactions:sale`;

    const accepted = await call.send('POST', url, headers, sale);
    const nameless = await call.send('POST', url, headers, { ...sale, sessionId: 'x', isvDetails: { amount: 50 } });
    await advance(1);

    expect([accepted.status, accepted.text, nameless.status]).toEqual([200, '', 400]);
    expect((await ledger()).entries[0]).toMatchObject({ kind: 'sale', isvAmount: 50 });
  });
});

describe('credentials of the simulator', () => {
  it('get a token with all scopes of their client, and 400 for an unknown client', async () => {
    const token = await call.token(platform.merchants[0]!.credentials.smartCheckout);
    const unknown = await call.token({ clientId: platform.merchants[0]!.merchantId, clientSecret: 'x' });

    expect(token.json).toMatchObject({ expires_in: 3600, token_type: 'Bearer' });
    expect(token.json.scope).toContain('urn:viva:payments:core:api:redirectcheckout');
    expect([unknown.status, unknown.json.error]).toEqual([400, 'invalid_client']);
  });

  it('get signed tokens with their owner and the requested scopes', async () => {
    const { authUrl } = platform.urls;
    const { credentials } = platform.merchants[0]!;
    const discovered = await call.send('GET', `${authUrl}/.well-known/openid-configuration`, {});
    const keys = createLocalJWKSet((await call.send('GET', discovered.json.jwks_uri, {})).json);
    const scope = 'urn:viva:payments:ecr:api';

    const token = await call.token(credentials.pos, `&scope=${scope}`);
    const refused = await call.token(credentials.pos, '&scope=urn:viva:payments:core:api:isv');
    const { payload } = await jwtVerify(token.json.access_token, keys, {
      issuer: authUrl,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    });

    expect(payload).toMatchObject({ client_id: credentials.pos.clientId, scope, aud: 'ecr_api' });
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_scope']);
  });

  it('get 403 for another credential set, and 401 for no, an unknown or an expired token', async () => {
    const { apiUrl, baseUrl } = platform.urls;
    const { credentials, merchantId } = platform.merchants[0]!;
    const pos = await call.bearer(credentials.pos);
    const orders = `${apiUrl}/checkout/v2/orders`;

    const wrongSet = await call.send('POST', orders, pos, { amount: 100 });
    const none = await call.send('POST', orders, {}, { amount: 100 });
    const clientAsBasic = basic(credentials.pos.clientId, credentials.pos.clientSecret);
    const wrongBasic = await call.send('GET', `${baseUrl}/api/transactions?date=2026-01-01`, {
      Authorization: clientAsBasic,
    });
    const wrongKey = await call.send('GET', `${baseUrl}/api/transactions?date=2026-01-01`, {
      Authorization: basic(merchantId, 'wrong'),
    });
    await advance(3601);
    const ended = await call.send('POST', `${apiUrl}/ecr/v1/devices:search`, pos, {});

    expect([wrongSet, none, wrongBasic, wrongKey, ended].map(({ status }) => status)).toEqual([
      403, 401, 403, 401, 401,
    ]);
  });

  it('get 404 on the wrong origin', async () => {
    const { authUrl, apiUrl, baseUrl } = platform.urls;
    const paths = [
      `${baseUrl}/ecr/v1/devices:search`,
      `${apiUrl}/api/transactions/x`,
      `${apiUrl}/connect/token`,
      `${authUrl}/checkout/v2/orders`,
    ];

    const replies = await Promise.all(paths.map((path) => call.send('POST', path, {}, {})));

    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('accept a rotated secret at once, and the old one only in its grace period', async () => {
    const { merchantId, credentials } = platform.merchants[1]!;
    const old = { ...credentials.pos };
    await call.control('POST', `/_sim/accounts/${merchantId}/credentials/pos/rotate`, { graceSeconds: 60 });

    const inGrace = await call.token(old);
    await advance(61);
    const afterGrace = await call.token(old);
    const current = await call.token(credentials.pos);

    expect([inGrace.status, afterGrace.status, current.status]).toEqual([200, 400, 200]);
  });

  it('get 401 for a revoked token', async () => {
    const headers = await call.bearer(platform.merchants[0]!.credentials.pos);
    await call.control('POST', '/_sim/tokens/revoke', { credentialSet: 'pos' });

    const reply = await call.send('POST', `${platform.urls.apiUrl}/ecr/v1/devices:search`, headers, {});

    expect(reply.status).toBe(401);
  });
});

describe('RF payments of the simulator', () => {
  const order = async (index: number, body: object) => {
    const shop = call.as(index);
    const created = await shop.smartCheckout('POST', '/checkout/v2/orders', body);
    const orderCode = /"orderCode":(\d+)/.exec(created.text)?.[1] ?? '';
    const session = await call.send(
      'POST',
      `${platform.urls.baseUrl}/web2/checkout/v2/paymentsessions`,
      { 'Content-Type': 'application/json' },
      `{"orderCode":${orderCode}}`,
    );
    return { shop, orderCode, session, rfCode: session.json?.rfPaymentCode as string };
  };
  const transfer = (rfCode: string, amount: number) => call.control('POST', '/_sim/bank/transfers', { rfCode, amount });
  const stateOf = async (shop: ReturnType<Caller['as']>, code: string) =>
    (await shop.legacy('GET', `/api/orders/${code}`)).json.StateId;

  it('give an order a code that the bank pays exactly, and once more later', async () => {
    const { shop, orderCode, rfCode } = await order(0, { amount: 4200, merchantTrns: 'invoice 9' });

    const wrong = await transfer(rfCode, 4100);
    const paid = await transfer(rfCode, 4200);
    const twice = await transfer(rfCode, 4200);
    const unknown = await transfer('RF00', 4200);

    expect(orderCode).toMatch(/^\d{15}[13579]$/);
    expect(rfCode).toMatch(/^RF\d{20}$/);
    expect([wrong, paid, twice, unknown].map(({ status }) => status)).toEqual([422, 201, 201, 422]);
    expect([wrong.json.code, unknown.json.code]).toEqual(['AMOUNT_NOT_EXACT', 'UNKNOWN_RF_CODE']);
    expect(await stateOf(shop, orderCode)).toBe(3);
    const list = await shop.legacy('GET', `/api/transactions?ordercode=${orderCode}`);
    expect(list.json.Transactions[0].TransactionType.TransactionTypeId).toBe(15);
    expect((await ledger()).entries[0]).toMatchObject({ kind: 'rf_credit', orderCode, merchantTrns: 'invoice 9' });
  });

  it('accept any amount for an open code, even after the expiry, and return it on request', async () => {
    const { shop, orderCode, rfCode } = await order(0, { amount: 4200, disableExactAmount: true, paymentTimeout: 60 });
    await advance(61);
    const expired = await stateOf(shop, orderCode);

    const late = await transfer(rfCode, 99);
    const returned = await call.control('POST', `/_sim/bank/transfers/${late.json.transferId}/return`);
    const again = await call.control('POST', `/_sim/bank/transfers/${late.json.transferId}/return`);

    expect([expired, late.status, returned.status, again.status]).toEqual([1, 201, 201, 409]);
    expect(await kinds()).toEqual([
      ['rf_credit', 99],
      ['rf_return', 99],
    ]);
  });

  it('have 23 digits when the switch says so, and one wrong digit under a fault', async () => {
    await set({ rfDigits: 23 });
    await fault('bad_rf_code');
    const { rfCode } = await order(0, { amount: 4200 });

    expect(rfCode).toMatch(/^RF\d{23}$/);
    expect((await transfer(rfCode, 4200)).json.code).toBe('UNKNOWN_RF_CODE');
  });

  it('never expire with 65535, are cancelled once, and then cannot be paid', async () => {
    const { shop, orderCode, rfCode } = await order(0, { amount: 4200, paymentTimeout: 65_535 });
    await advance(40 * 86_400);
    const before = (await shop.legacy('GET', `/api/orders/${orderCode}`)).json;
    const cancelled = await shop.legacy('DELETE', `/api/orders/${orderCode}`);

    expect([before.StateId, before.ExpirationDate]).toEqual([0, null]);
    expect(cancelled.json.Success).toBe(true);
    expect(await stateOf(shop, orderCode)).toBe(2);
    expect((await transfer(rfCode, 4200)).json.code).toBe('ORDER_CANCELLED');
  });

  it('are not offered to an account outside Greece', async () => {
    const headers = await call.bearer(platform.isv);
    const { merchantId } = platform.merchants[3]!;
    const created = await call.send(
      'POST',
      `${platform.urls.apiUrl}/checkout/v2/isv/orders?merchantId=${merchantId}`,
      headers,
      {
        amount: 4200,
        isvAmount: 10,
      },
    );
    const session = await call.send(
      'POST',
      `${platform.urls.baseUrl}/web2/checkout/v2/paymentsessions`,
      {},
      {
        orderCode: /\d{16}/.exec(created.text)?.[0],
      },
    );

    expect([created.status, session.status]).toEqual([200, 403]);
  });
});

describe('faults of the simulator', () => {
  const openTransactions = async () => (await ledger()).totals.charge.count;

  it('apply before the commit, after it, or instead of the answer', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const path = '/nativecheckout/v2/transactions';
    const chargeUnder = async (name: string) => {
      await fault(name, { path });
      return shop.charge(cardToken, 700).then(
        (reply) => reply.status,
        () => 'no answer',
      );
    };

    const outcomes = [];
    for (const name of [
      'refused',
      'server_error_before',
      'too_many_requests',
      'server_error_after',
      'answer_lost',
      'malformed_200',
    ]) {
      outcomes.push([name, await chargeUnder(name), await openTransactions()]);
    }

    expect(outcomes).toEqual([
      ['refused', 'no answer', 0],
      ['server_error_before', 500, 0],
      ['too_many_requests', 429, 0],
      ['server_error_after', 500, 1],
      ['answer_lost', 'no answer', 2],
      ['malformed_200', 200, 3],
    ]);
  });

  it('commit late, in virtual time', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    await fault('late_commit', { path: '/nativecheckout/v2/transactions' }, { delaySeconds: 300 });

    const reply = await shop.charge(cardToken, 700);
    const before = await openTransactions();
    await advance(301);

    expect([reply.status, before, await openTransactions()]).toEqual([504, 0, 1]);
  });

  it('hide young transactions from lists, and change what a read shows', async () => {
    const shop = call.as(0);
    const sale = await shop.paidSale(1500);
    const read = () => shop.legacy('GET', `/api/transactions/${sale.transactionId}`);
    await fault('list_lag', {}, { times: null });
    const list = () => shop.legacy('GET', `/api/transactions?ordercode=${sale.orderCode}`);

    const young = await list();
    await advance(61);
    const old = await list();
    await fault('not_visible', { path: '/api/transactions/*' });
    const hidden = await read();
    await fault('wrong_amount', { path: '/api/transactions/*' });
    const changed = await read();

    expect([young.json.Transactions.length, old.json.Transactions.length, hidden.status]).toEqual([0, 1, 404]);
    expect(changed.text).toContain('"Amount":16.00');
  });

  it('delay an answer in virtual time, and drop it when the caller leaves', async () => {
    const shop = call.as(0);
    await fault('slow', { path: '/ecr/v1/transactions:sale' }, { delaySeconds: 600 });
    const reply = shop.sale(1500);
    while ((await call.control('GET', '/_sim/terminals')).json.terminals[0].openSessionId === null) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await advance(601);

    expect((await reply).status).toBe(200);
    expect(await kinds()).toEqual([['sale', 1500]]);
  });

  it('are named in the request log beside the request and its credentials', async () => {
    await fault('ecr_busy');
    const reply = await call.as(0).sale(1500);
    const { requests } = (await call.control('GET', '/_sim/requests?path=/ecr/')).json;

    expect([reply.status, reply.eventId]).toEqual([503, 1400]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      host: 'api',
      method: 'POST',
      credentialSet: 'pos',
      status: 503,
      eventId: 1400,
      fault: 'ecr_busy',
    });
    expect(JSON.parse(requests[0].bodyText).amount).toBe(1500);
  });
});

describe('switches of the simulator', () => {
  it('turn a pending session into a body with event id 1100', async () => {
    await terminal(0, { mode: 'manual' });
    await set({ pendingSession: 'body1100' });
    const sessionId = crypto.randomUUID();
    await call.as(0).sale(1500, { sessionId });

    const pending = await call.as(0).ecr('GET', `/sessions/${sessionId}`);

    expect(pending).toMatchObject({ status: 200, json: { success: false, eventId: 1100 } });
  });

  it('let the first tap fail before the sale succeeds', async () => {
    await set({ contactlessLimit: 'second_try' });
    const shop = call.as(0);
    const sale = await shop.paidSale(1500, 'room 12');
    const record = (await shop.legacy('GET', `/api/transactions/${sale.transactionId}`)).json.Transactions[0];
    const day = await shop.legacy('GET', `/api/transactions?date=${record.InsDate.slice(0, 10)}`);

    expect(sale.success).toBe(true);
    expect(day.json.Transactions.map((one: { StatusId: string }) => one.StatusId)).toEqual(['E', 'F']);
    expect(await kinds()).toEqual([['sale', 1500]]);
  });

  it('let an ISV capture with its bearer token instead of the reseller credentials', async () => {
    const shop = call.as(2);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const hold = await shop.charge(cardToken, 5000, { preauth: true });
    const path = `/api/transactions/${hold.json.transactionId}`;
    const isv = await call.bearer(platform.isv);
    const refused = await call.send('POST', `${platform.urls.baseUrl}${path}`, isv, { amount: 5000 });
    await set({ isvCapture: 'bearer' });

    const reseller = await shop.reseller('POST', path, { amount: 5000 });
    const bearer = await call.send('POST', `${platform.urls.baseUrl}${path}`, isv, { amount: 5000, isvAmount: 20 });

    expect([refused.status, reseller.json.ErrorCode, bearer.json.Success]).toEqual([403, 403, true]);
  });

  it('allow several captures, and more than the hold', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    const hold = (await shop.charge(cardToken, 5000, { preauth: true })).json.transactionId;
    await set({ partialCaptures: 'several', overCapture: 'accepted' });

    const captures = [
      await shop.native('POST', `/transactions/${hold}`, { amount: 3000 }),
      await shop.native('POST', `/transactions/${hold}`, { amount: 3000 }),
    ];

    expect(captures.map(({ status }) => status)).toEqual([200, 200]);
    expect((await ledger()).totals.capture).toEqual({ count: 2, amount: 6000 });
  });

  it('change the type of eventId and order codes between text and number, and the status of declines', async () => {
    const shop = call.as(0);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    await set({ eventIdType: 'number', orderCodeType: 'string', declineStatus: 402 });

    const declined = await shop.charge(cardToken, 9905);
    const order = await shop.smartCheckout('POST', '/checkout/v2/orders', { amount: 4200 });

    expect(declined).toMatchObject({ status: 402, json: { eventId: 10005 } });
    expect(order.json.orderCode).toMatch(/^\d{16}$/);
  });
});

describe('webhooks of the simulator', () => {
  const webhooks = async (query = '') => (await call.control('GET', `/_sim/webhooks${query}`)).json.webhooks;

  beforeEach(async () => {
    const shop = call.as(1);
    inbox.reset();
    inbox.key = (await shop.legacy('GET', '/api/messages/config/token')).json.Key;
    platform.setWebhookUrl(shop.merchant.merchantId, inbox.url);
  });

  it('report a terminal sale to the merchant after a handshake, each in its own units', async () => {
    const sale = await call.as(1).paidSale(1500, 'room 12');
    await advance(1);

    const of = (eventTypeId: number) => inbox.received.find(({ json }) => json.EventTypeId === eventTypeId);
    expect(inbox.handshakes).toBe(1);
    expect(of(1796)?.text).toContain('"Amount":15.00');
    expect(of(1796)?.text).toContain(`"OrderCode":${sale.orderCode},`);
    expect(of(1796)?.json.EventData).toMatchObject({ MerchantTrns: 'room 12', TransactionId: sale.transactionId });
    expect(of(1802)?.json.EventData).toMatchObject({
      Amount: 1500,
      SessionId: sale.sessionId,
      OrderCode: sale.orderCode,
    });
    expect(inbox.received.map(({ json }) => json.EventTypeId).sort()).toEqual([1796, 1799, 1802, 2054]);
  });

  it('are repeated hourly until they are accepted, at most 24 times', async () => {
    inbox.status = 500;
    await call.as(1).paidSale(9905);
    await advance(3 * 3600 + 60);
    const tried = (await webhooks('?eventTypeId=1803'))[0].attempts.length;
    await advance(40 * 3600);
    const [exhausted] = await webhooks('?eventTypeId=1803');

    expect(tried).toBe(4);
    expect(exhausted.attempts).toHaveLength(24);
  });

  it('are lost, duplicated or reordered by a fault, and redelivered on demand', async () => {
    const { merchantId } = platform.merchants[1]!;
    await fault('lost_webhook', { path: `/${merchantId}/1799` });
    await fault('duplicate_webhook', { path: '/1796' });
    await fault('reordered_webhook', { path: '/1802' });
    await call.as(1).paidSale(1500);
    await advance(5);
    const order = inbox.received.map(({ json }) => json.EventTypeId);
    const [lost] = await webhooks('?eventTypeId=1799');

    const again = await call.control('POST', `/_sim/webhooks/${lost.messageId}/redeliver`, {
      times: 2,
      parallel: true,
    });

    expect(order).toEqual([1796, 1796, 2054, 1802]);
    expect(again.json.attempts).toHaveLength(2);
  });

  it('are forged with any content and source address', async () => {
    const { merchantId } = platform.merchants[1]!;
    const forged = await call.control('POST', '/_sim/webhooks/forge', {
      recipient: merchantId,
      eventTypeId: 1796,
      eventData: { OrderCode: 1 },
      sourceIp: '203.0.113.9',
    });

    expect(forged.json.status).toBe(200);
    expect(inbox.received[0]?.sourceIp).toBe('203.0.113.9');
    expect(await kinds()).toEqual([]);
  });

  it('arrive before the answer of the call that caused them when they are early', async () => {
    const shop = call.as(1);
    const cardToken = await shop.cardToken((await shop.paidSale(1500)).transactionId);
    await advance(1);
    inbox.received.length = 0;
    await fault('early_webhook', { path: '/1796' });

    await shop.charge(cardToken, 700);

    expect(inbox.received.map(({ json }) => json.EventTypeId)).toEqual([1796]);
  });

  it('can be registered by an ISV for the types that ISVs have', async () => {
    const headers = await call.bearer(platform.isv);
    const url = `${platform.urls.apiUrl}/isv/v1/webhooks`;
    inbox.key = (await call.send('GET', `${url}/token`, headers)).json.key;

    const registered = await call.send('POST', url, headers, { url: inbox.url, eventTypeId: 1796 });
    const refused = await call.send('POST', url, headers, { url: inbox.url, eventTypeId: 2054 });
    await call.as(2).paidSale(1500);
    await advance(1);

    expect([registered.status, refused.status]).toEqual([200, 400]);
    expect(inbox.received.map(({ json }) => json.EventTypeId)).toEqual([1796]);
  });
});

describe('the control API', () => {
  it('describes itself', async () => {
    const { json } = await call.control('GET', '/_sim');

    expect(Object.keys(json)).toEqual(['version', 'seed', 'now', 'routes', 'faults', 'switches', 'cards']);
    expect(json.routes).toContain('POST /_sim/bank/transfers/:id/return');
    expect(json.switches.rfDigits).toMatchObject({ value: 20, values: [20, 23] });
  });

  it('answers 404 to an unknown route, and 400 with the valid ones to an unknown field, name or value', async () => {
    const route = await call.control('GET', '/_sim/nothing');
    const field = await call.control('POST', '/_sim/faults', { name: 'refused', tmies: 1 });
    const name = await fault('gremlin');
    const value = await set({ rfDigits: 22 });
    const unknownSwitch = await set({ nothing: 1 });
    const query = await call.control('GET', '/_sim/ledger?merchant=x');

    expect([route, field, name, value, unknownSwitch, query].map(({ status }) => status)).toEqual([
      404, 400, 400, 400, 400, 400,
    ]);
    expect(field.json.validFields).toContain('times');
    expect(name.json.errors[0].detail).toContain('answer_lost');
    expect(value.json.errors).toEqual([{ pointer: '/rfDigits', detail: 'must be one of 20, 23' }]);
    expect(unknownSwitch.json.validFields).toContain('rfDigits');
    expect(query.json.validFields).toContain('merchantTrns');
  });

  it('resets ledger, faults, switches and terminal settings, and keeps the accounts', async () => {
    const { merchantId } = platform.merchants[0]!;
    await call.as(0).paidSale(1500);
    await fault('refused', { path: '/never' });
    await set({ rfDigits: 23 });
    await terminal(0, { mode: 'offline' });

    const reset = await call.control('POST', '/_sim/reset', { seed: 11 });

    expect(reset.status).toBe(204);
    expect(await kinds()).toEqual([]);
    expect((await call.control('GET', '/_sim/faults')).json.faults).toEqual([]);
    expect((await call.control('GET', '/_sim/switches')).json.rfDigits).toBe(20);
    expect((await call.control('GET', '/_sim/terminals')).json.terminals[0].mode).toBe('auto');
    expect((await call.control('GET', '/_sim')).json.seed).toBe(11);
    expect(platform.merchants[0]!.merchantId).toBe(merchantId);
  });
});
