/** The production client against the simulator over real sockets: the outcomes that it reports match the ledger. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { startPlatform, type Platform as World } from '../../sandbox/viva/viva.ts';
import type { Account } from '../../shared/payments/items/account.ts';
import { createAccessTokens } from '../../shared/viva/access-tokens.ts';
import { createVivaFor } from '../../shared/viva/client.ts';
import { createCredentials } from '../../shared/viva/credentials.ts';
import type { ChargeRequest, SaleRequest, Viva } from '../../shared/viva/viva.ts';
import { MemorySecrets } from '../fakes/secrets.ts';
import { MemoryTokens } from '../fakes/tokens.ts';

const clock = new Clock();
const now = () => clock.now();
let world: World;
let secrets: MemorySecrets;
let clients: (settings?: Partial<Account>) => { merchant: Viva; isv: Viva };

beforeAll(async () => {
  world = await startPlatform({ clock, seed: 11 });
});
afterAll(async () => {
  clock.stop();
  await world.close();
});

beforeEach(async () => {
  await control('POST', '/_sim/reset', {});
  secrets = new MemorySecrets();
  for (const { merchantId, credentials } of world.merchants) {
    secrets.put(`tillflow/test/accounts/${merchantId}`, credentials);
  }
  const { clientId, clientSecret, resellerId, resellerApiKey } = world.isv;
  secrets.put('tillflow/test/isv', {
    isv: { clientId, clientSecret },
    reseller: { resellerId, apiKey: resellerApiKey },
  });
  const credentials = createCredentials(secrets.client, 'tillflow/test', now);
  const { urls } = world;
  const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens: new MemoryTokens(now), now });
  const vivaFor = createVivaFor({ urls, credentials, accessTokens, now });
  clients = (settings = {}) => ({
    merchant: vivaFor({ ...accountAt(0), ...settings }, () => 20_000),
    isv: vivaFor({ ...accountAt(2), ...settings }, () => 20_000),
  });
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests need them
async function control(method: string, path: string, body?: object): Promise<any> {
  const response = await world.control.request(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return response.status === 204 ? undefined : response.json();
}

const fault = (name: string, path: string, times: number | null = 1) =>
  control('POST', '/_sim/faults', { name, match: { path }, times });
const ledger = async (): Promise<{ kind: string; amount: number; merchantTrns: string }[]> =>
  (await control('GET', '/_sim/ledger')).entries;
const requests = async (path: string): Promise<unknown[]> =>
  (await control('GET', `/_sim/requests?path=${encodeURIComponent(path)}`)).requests;

function accountAt(index: number): Account {
  const { merchantId, mode, country, industry, terminals } = world.merchants[index]!;
  return {
    merchantId,
    mode,
    country,
    industry,
    terminals,
    currency: 'EUR',
    terminalApi: 'merchant',
    isvCapture: 'reseller',
    returnUrls: [],
    captureDays: 5,
    sendSessionRedirectUrl: true,
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:00.000Z',
    revision: 1,
  };
}

function saleOf(index: number, amount = 1500): SaleRequest {
  const saleId = crypto.randomUUID();
  const [terminalId = ''] = world.merchants[index]!.terminals;
  return {
    saleId,
    terminalId,
    cashRegisterId: 'till-1',
    amount,
    currency: 'EUR',
    merchantReference: `room 12 ${saleId}`,
    tipAmount: 0,
    isvAmount: 0,
    maxInstallments: 0,
    sendBefore: '2100-01-01T00:00:00.000Z',
  };
}

/** A finished session, its transaction, and a charge token of its card. */
async function presented(viva: Viva, index: number, amount = 4000) {
  const sale = saleOf(index);
  await viva.sendSale(sale);
  await clock.advance(clock.now() + 10_000);
  const session = await viva.readSession(sale.saleId);
  if (session.state !== 'finished' || session.transactionId === undefined) {
    throw new Error('the sale was not paid');
  }
  const { record } = await viva.readTransaction(session.transactionId);
  const { cardToken } = await viva.createCardToken(session.transactionId);
  const { chargeToken } = await viva.createChargeToken({
    amount,
    currency: 'EUR',
    cardToken,
    holderName: record.holderName ?? '',
    expirationMonth: record.expirationMonth ?? 0,
    expirationYear: record.expirationYear ?? 0,
    moto: true,
  });
  return { sale, session, record, chargeToken };
}

function chargeOf(chargeToken: string, more: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    chargeToken,
    amount: 4000,
    isvAmount: 0,
    currency: 'EUR',
    preauth: false,
    installments: 0,
    allowsRecurring: false,
    merchantTrns: 'minibar charge-1',
    ...more,
  };
}

describe.each(['merchant', 'isv'] as const)('the card flow of an account in mode %s', (mode) => {
  const index = mode === 'merchant' ? 0 : 2;

  it('takes a sale and a charge, and reads what it took', async () => {
    const viva = clients()[mode];
    const { sale, session, record, chargeToken } = await presented(viva, index);

    const { transactionId, call } = await viva.createTransaction(chargeOf(chargeToken));

    expect(session).toMatchObject({ success: true, amount: 1500, currency: 'EUR', terminalId: sale.terminalId });
    expect(record).toMatchObject({
      amount: 1500,
      currency: 'EUR',
      merchantId: world.merchants[index]!.merchantId,
      statusId: 'F',
      merchantTrns: sale.merchantReference,
      expirationMonth: 12,
      expirationYear: 2031,
    });
    expect(record.orderCode).toMatch(/^\d{16}$/);
    expect((await viva.readTransaction(transactionId)).record).toMatchObject({
      amount: 4000,
      transactionTypeId: 5,
    });
    expect(call.correlationId).toMatch(/^\d\d-\d{3}-[0-9A-F]{8}$/);
    expect((await ledger()).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['sale', 1500],
      ['charge', 4000],
    ]);
  });

  it('captures part of a hold once, and does not report a second capture as refused', async () => {
    const viva = clients()[mode];
    const { chargeToken } = await presented(viva, index);
    const { transactionId } = await viva.createTransaction(chargeOf(chargeToken, { preauth: true }));
    const request = { transactionId, amount: 3000, isvAmount: 0, merchantTrns: 'capture-1' };

    const captured = await viva.capture(request);

    expect(captured.transactionId).not.toBe(transactionId);
    await expect(viva.capture(request)).rejects.toMatchObject({ name: 'UnknownOutcomeError' });
    expect((await ledger()).filter(({ kind }) => kind === 'capture').map(({ amount }) => amount)).toEqual([3000]);
  });

  it('releases a hold', async () => {
    const viva = clients()[mode];
    const { chargeToken } = await presented(viva, index);
    const { transactionId } = await viva.createTransaction(chargeOf(chargeToken, { preauth: true }));

    await viva.voidPreauth({ transactionId, amount: 4000, merchantTrns: 'charge-1' });

    expect((await ledger()).at(-1)).toMatchObject({ kind: 'void', amount: 4000 });
  });

  it('reports a repeated sale as already sent', async () => {
    const viva = clients()[mode];
    const sale = saleOf(index);

    expect(await viva.sendSale(sale)).toMatchObject({ alreadySent: false });
    expect(await viva.sendSale(sale)).toMatchObject({ alreadySent: true });
  });
});

describe('an ISV', () => {
  it('uses its own credentials for a terminal when the account says so', async () => {
    const { isv } = clients({ terminalApi: 'isv' });
    const sale = { ...saleOf(2), isvAmount: 50 };

    await isv.sendSale(sale);
    await clock.advance(clock.now() + 10_000);
    const session = await isv.readSession(sale.saleId);

    expect(session).toMatchObject({ state: 'finished', success: true });
    const transactionId = session.state === 'finished' ? (session.transactionId ?? '') : '';
    expect((await isv.readTransaction(transactionId)).record.amount).toBe(1500);
    expect((await ledger())[0]).toMatchObject({ kind: 'sale', isvAmount: 50 });
  });

  it('captures with its bearer token when platform and account say so', async () => {
    await control('PATCH', '/_sim/switches', { isvCapture: 'bearer' });
    const { isv } = clients({ isvCapture: 'bearer' });
    const { chargeToken } = await presented(isv, 2);
    const { transactionId } = await isv.createTransaction(chargeOf(chargeToken, { preauth: true }));

    await isv.capture({ transactionId, amount: 4000, isvAmount: 20, merchantTrns: 'capture-1' });

    expect((await ledger()).at(-1)).toMatchObject({ kind: 'capture', amount: 4000, isvAmount: 20 });
  });
});

describe('a charge under faults', () => {
  const path = '/nativecheckout/v2/transactions';

  it.each([
    'answer_lost',
    'server_error_before',
    'server_error_after',
    'malformed_200',
    'success_false',
    'too_many_requests',
    'late_commit',
    'refused',
  ])('has an unknown outcome after exactly one request with %s', async (name) => {
    const { merchant } = clients();
    const { chargeToken } = await presented(merchant, 0);
    await fault(name, path);

    await expect(merchant.createTransaction(chargeOf(chargeToken))).rejects.toMatchObject({
      name: 'UnknownOutcomeError',
    });

    expect(await requests(path)).toHaveLength(1);
  });

  it('is made once when a token is revoked in between', async () => {
    const { merchant } = clients();
    const { chargeToken } = await presented(merchant, 0);
    await control('POST', '/_sim/tokens/revoke', {
      credentialSet: 'native',
      merchantId: world.merchants[0]!.merchantId,
    });

    await merchant.createTransaction(chargeOf(chargeToken));

    expect((await ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1);
  });

  it.each([400, 402, 403, 500])('is declined when the issuer declines with status %i', async (declineStatus) => {
    await control('PATCH', '/_sim/switches', { declineStatus });
    const { merchant } = clients();
    const { chargeToken } = await presented(merchant, 0, 9951);

    await expect(merchant.createTransaction(chargeOf(chargeToken, { amount: 9951 }))).rejects.toMatchObject({
      name: 'RejectedError',
      code: 'CARD_INSUFFICIENT_FUNDS',
    });
  });

  it('proves nothing about money when its charge token was used before', async () => {
    const { merchant } = clients();
    const { chargeToken } = await presented(merchant, 0);
    await merchant.createTransaction(chargeOf(chargeToken));

    await expect(merchant.createTransaction(chargeOf(chargeToken))).rejects.toMatchObject({ code: 'SAID_TO_BE_DONE' });
  });
});

describe('an account without a role', () => {
  it.each([
    [{ tokenizationRole: false }, 'TOKENIZATION_NOT_ENABLED'],
    [{ nativeCheckout: false }, 'NATIVE_CHECKOUT_NOT_ENABLED'],
  ])('with %j is refused with %s', async (rights, code) => {
    const { merchant } = clients();
    await control('PATCH', `/_sim/accounts/${world.merchants[0]!.merchantId}`, rights);

    await expect(presented(merchant, 0)).rejects.toMatchObject({ name: 'RejectedError', code });
  });
});

describe('a rotated credential', () => {
  it.each(['pos', 'native', 'smartCheckout', 'apiKey'])(
    'of the set %s is read from the secret as soon as the old one is refused',
    async (set) => {
      const { merchantId, credentials } = world.merchants[0]!;
      const { merchant } = clients();
      await presented(merchant, 0);
      const before = JSON.parse(secrets.current.get(`tillflow/test/accounts/${merchantId}`) ?? '');
      await control('POST', `/_sim/accounts/${merchantId}/credentials/${set}/rotate`, {});
      if (set !== 'apiKey') {
        await control('POST', '/_sim/tokens/revoke', { credentialSet: set, merchantId });
      }
      secrets.put(`tillflow/test/accounts/${merchantId}`, { ...before, [set]: credentials[set as 'pos'] });

      expect((await presented(merchant, 0)).record.statusId).toBe('F');
    },
  );
});

describe('the terminal service', () => {
  it.each(['ecr_busy', 'too_many_requests'])(
    'has started nothing when it is busy (%s), so the sale may be sent again',
    async (busy) => {
      const { merchant } = clients();
      await fault(busy, 'transactions:sale');
      const sale = saleOf(0);

      await expect(merchant.sendSale(sale)).rejects.toMatchObject({ name: 'TransientError', code: 'PLATFORM_BUSY' });
      expect((await merchant.readSession(sale.saleId)).state).toBe('not_found');
      expect(await merchant.sendSale(sale)).toMatchObject({ alreadySent: false });
    },
  );

  it.each(['http202', 'body1100'])(
    'shows an open session as pending by %s, and stops it on request',
    async (pendingSession) => {
      await control('PATCH', '/_sim/switches', { pendingSession });
      const sale = saleOf(0);
      await control('PATCH', `/_sim/terminals/${sale.terminalId}`, { mode: 'manual' });
      const { merchant } = clients();
      await merchant.sendSale(sale);

      expect(await merchant.readSession(sale.saleId)).toMatchObject({ state: 'pending' });
      expect(await merchant.abortSession(sale.saleId, 'till-1')).toMatchObject({ accepted: true });
      expect(await merchant.readSession(sale.saleId)).toMatchObject({
        state: 'finished',
        eventId: 1016,
      });
      // Asked again it reports that the session was stopped, which counts as accepted.
      expect(await merchant.abortSession(sale.saleId, 'till-1')).toMatchObject({ accepted: true });
      await control('PATCH', `/_sim/terminals/${sale.terminalId}`, { mode: 'auto' });
    },
  );

  it('does not find an unknown session', async () => {
    expect(await clients().merchant.readSession(crypto.randomUUID())).toMatchObject({ state: 'not_found' });
  });
});

describe('a transaction that was never made', () => {
  it('is not visible', async () => {
    await expect(clients().merchant.readTransaction(crypto.randomUUID())).rejects.toMatchObject({
      code: 'TRANSACTION_NOT_VISIBLE',
    });
  });
});

describe('the network', () => {
  it('has sent nothing when it refuses the connection', async () => {
    const { merchant } = clients();
    await merchant.readSession(crypto.randomUUID());
    const deadUrls = { ...world.urls, apiUrl: 'http://127.0.0.1:2' };
    const credentials = createCredentials(secrets.client, 'tillflow/test', now);
    const accessTokens = createAccessTokens({
      authUrl: world.urls.authUrl,
      credentials,
      tokens: new MemoryTokens(now),
      now,
    });
    const vivaFor = createVivaFor({ urls: deadUrls, credentials, accessTokens, now });

    await expect(vivaFor(accountAt(0), () => 20_000).sendSale(saleOf(0))).rejects.toMatchObject({
      code: 'NOT_SENT',
    });
  });

  it('gets two seconds to answer the read of a session', async () => {
    const { merchant } = clients();
    await merchant.readSession(crypto.randomUUID());
    await fault('slow', '/sessions/');
    const startedAt = performance.now();

    await expect(merchant.readSession(crypto.randomUUID())).rejects.toMatchObject({ name: 'TransientError' });

    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  });
});
