/** The accounts of a world: what an operator stores for them, and what a tester knows of them. */
import { createHmac } from 'node:crypto';
import { ISV_WEBHOOK_TYPES, MERCHANT_WEBHOOK_TYPES } from '../../sandbox/viva/webhooks/recipients.ts';
import { isvOwner } from '../../shared/viva/credentials.ts';
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import type { Platform } from './platform.ts';
import type { World } from './world.ts';

/** Secrets have a mark, so that a scan finds them where they may not be. */
const CALLBACK_SECRET = `whsec_${Buffer.from('CANARY-callback-secret-of-32-byte').toString('base64')}`;
const PATH_TOKEN = 'CANARY0123456789abcdef0123456789abcdef';
const CALLBACK_URL = 'https://shop.example/callbacks';
/** The dialect of the last account: it takes its sales through the ISV. */
const LAST = 3;

/** Whether a callback has the signature of the account's secret. */
export function isSigned(headers: Readonly<Record<string, string>>, body: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(CALLBACK_SECRET.slice('whsec_'.length), 'base64');
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

export function readyLineOf({ sim }: Platform): ReadyLine {
  const { clientId, clientSecret, resellerId, resellerApiKey } = sim.accounts.isv;
  return {
    apiUrl: 'http://tillflow.aws',
    controlUrl: 'http://control',
    issuerUrl: 'http://issuer',
    platform: sim.urls,
    aws: { endpointUrl: '', region: '', accessKeyId: '', secretAccessKey: '' },
    storefront: { clientId: '', clientSecret: '', accessToken: '' },
    storefronts: [],
    isv: { clientId, clientSecret, resellerId, ...{ resellerApiKey }, webhookUrl: webhookUrl(isvOwner) },
    merchants: sim.accounts.all.map((account) => ({
      ...account,
      webhookUrl: webhookUrl(account.merchantId),
      credentials: { ...account.credentials, callbackSecret: CALLBACK_SECRET },
    })),
  };
}

/** As an operator does it: secrets, settings and webhook addresses. */
export async function addAccounts(world: World, merchants: readonly number[]): Promise<void> {
  const { platform, secrets } = world;
  const { accounts, recipients } = platform.sim;
  for (const { merchantId } of accounts.all) {
    putSecret(world, merchantId);
    recipients.register(merchantId, webhookUrl(merchantId), MERCHANT_WEBHOOK_TYPES);
  }
  recipients.register(isvOwner, webhookUrl(isvOwner), ISV_WEBHOOK_TYPES);
  await putSettings(world, merchants);
  const { clientId, clientSecret, resellerId, resellerApiKey } = accounts.isv;
  secrets.put(
    'tillflow/local/isv',
    JSON.stringify({
      isv: { clientId, clientSecret },
      reseller: { resellerId, apiKey: resellerApiKey },
      webhookPathTokens: [PATH_TOKEN],
    }),
  );
}

/** Stores the credentials that the platform has now. */
export function putSecret({ platform, secrets }: World, merchantId: string): void {
  const { credentials } = platform.sim.accounts.find(merchantId)!;
  const secret = { ...credentials, webhookPathTokens: [PATH_TOKEN], callbackSecret: CALLBACK_SECRET };
  secrets.put(`tillflow/local/accounts/${merchantId}`, JSON.stringify(secret));
}

export async function putSettings({ platform, payments }: World, merchants: readonly number[]): Promise<void> {
  for (const index of merchants) {
    const account = platform.sim.accounts.all[index]!;
    const { merchantId, mode, country, industry, terminals } = account;
    await payments.create(
      'account',
      merchantId,
      {
        ...{ merchantId, mode, country, industry, terminals, currency: 'EUR' },
        terminalApi: index === LAST ? 'isv' : 'merchant',
        isvCapture: 'reseller',
        returnUrls: [],
        ...(index % 2 === 0 && { callbackUrl: CALLBACK_URL }),
        captureDays: 5,
        sendSessionRedirectUrl: true,
      },
      { listed: false },
    );
  }
}

function webhookUrl(recipient: string): string {
  return `http://tillflow.aws/webhooks/${recipient}/${PATH_TOKEN}`;
}
