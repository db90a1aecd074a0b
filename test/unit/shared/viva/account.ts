/** The client of one account over a scripted network. The fake hands out tokens; the test scripts the rest. */

import type { Account } from '../../../../shared/payments/items/account.ts';
import { createAccessTokens } from '../../../../shared/viva/access-tokens.ts';
import { createVivaFor } from '../../../../shared/viva/client.ts';
import { createCredentials } from '../../../../shared/viva/credentials.ts';
import type { Viva } from '../../../../shared/viva/viva.ts';
import { type Asked, FakeNetwork, json, type Script } from '../../../fakes/network.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';
import { MemoryTokens } from '../../../fakes/tokens.ts';

export const MERCHANT_ID = '0b9f4a52-6d0e-4c53-8f1c-6a3f0d3c9a77';

const urls = { authUrl: 'http://auth.test', apiUrl: 'http://api.test', baseUrl: 'http://base.test' };

const account: Account = {
  merchantId: MERCHANT_ID,
  mode: 'merchant',
  country: 'GR',
  currency: 'EUR',
  terminalApi: 'merchant',
  isvCapture: 'reseller',
  terminals: ['16001369'],
  returnUrls: [],
  captureDays: 5,
  sendSessionRedirectUrl: true,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  revision: 1,
};

export interface TestClient {
  readonly viva: Viva;
  readonly secrets: MemorySecrets;
  /** The requests that the platform received, without token requests. */
  readonly asked: () => Asked[];
  readonly tokenRequests: () => Asked[];
}

/** Access tokens are `<client id>-<n>`; `script` answers all other requests. */
export function clientOf(
  script: Script,
  settings: Partial<Account> = {},
  remainingMs = () => 20_000,
  now = Date.now,
): TestClient {
  let issued = 0;
  const network = new FakeNetwork((asked) => {
    if (asked.path !== '/connect/token') {
      return script(asked);
    }
    const [clientId] = Buffer.from(asked.authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    return json(200, { access_token: `${clientId}-${++issued}`, expires_in: 3600, token_type: 'Bearer', scope: 'all' });
  });
  const secrets = new MemorySecrets();
  const client = (name: string) => ({ clientId: name, clientSecret: `${name}-secret` });
  secrets.put(`tillflow/test/accounts/${MERCHANT_ID}`, {
    pos: client('pos'),
    smartCheckout: client('smart'),
    native: client('native'),
    apiKey: 'key',
  });
  secrets.put('tillflow/test/isv', {
    isv: client('isv'),
    reseller: { resellerId: 'reseller', apiKey: 'reseller-key' },
  });
  const credentials = createCredentials(secrets.client, 'tillflow/test');
  const { fetch } = network;
  const tokens = new MemoryTokens();
  const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens, fetch });
  const vivaFor = createVivaFor({ urls, credentials, accessTokens, fetch, now });
  return {
    viva: vivaFor({ ...account, ...settings }, remainingMs),
    secrets,
    asked: () => network.asked.filter(({ path }) => path !== '/connect/token'),
    tokenRequests: () => network.asked.filter(({ path }) => path === '/connect/token'),
  };
}

/** Returns what a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Requests as a step makes them. */
export const sale = {
  saleId: 'sale-1',
  terminalId: '16001369',
  cashRegisterId: 'till-1',
  amount: 1500,
  currency: 'EUR',
  merchantReference: 'room 12 sale-1',
  tipAmount: 0,
  isvAmount: 0,
  maxInstallments: 0,
  sendBefore: '2100-01-01T00:00:00.000Z',
};

export const chargeTokenRequest = {
  amount: 4000,
  currency: 'EUR',
  cardToken: 'ct_1',
  holderName: 'A Guest',
  expirationMonth: 12,
  expirationYear: 2030,
  moto: true,
};

export const chargeRequest = {
  chargeToken: 'ctok_1',
  amount: 4000,
  isvAmount: 0,
  currency: 'EUR',
  preauth: false,
  installments: 0,
  allowsRecurring: false,
  merchantTrns: 'minibar charge-1',
};

export const captureRequest = { transactionId: 'tx-1', amount: 3000, isvAmount: 0, merchantTrns: 'capture-1' };
export const voidRequest = { transactionId: 'tx-1', amount: 4000, merchantTrns: 'charge-1' };
