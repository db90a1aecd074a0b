import { describe, expect, it } from 'vitest';
import { createAccessTokens } from '../../../../shared/viva/access-tokens.ts';
import { createCredentials, isvOwner } from '../../../../shared/viva/credentials.ts';
import { createWebhookKey } from '../../../../shared/viva/webhook-key.ts';
import { FakeNetwork, json, networkFailure, type Script } from '../../../fakes/network.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';
import { MemoryTokens } from '../../../fakes/tokens.ts';
import { basic, MERCHANT_ID, rejection } from './account.ts';

const DAY_MS = 86_400_000;
const plenty = () => 20_000;

class World {
  at = Date.parse('2026-11-21T10:00:00Z');
  readonly now = () => this.at;
  readonly tokens = new MemoryTokens(this.now);
  readonly network: FakeNetwork;

  constructor(script: Script) {
    this.network = new FakeNetwork((asked) =>
      asked.path === '/connect/token'
        ? json(200, { access_token: 'isv-token', expires_in: 3600, token_type: 'Bearer' })
        : script(asked),
    );
  }

  get asked() {
    return this.network.asked.filter(({ path }) => path !== '/connect/token');
  }

  /** A function instance. */
  instance() {
    const urls = { authUrl: 'http://auth.test', apiUrl: 'http://api.test', baseUrl: 'http://base.test' };
    const secrets = new MemorySecrets();
    secrets.put(`tillflow/test/accounts/${MERCHANT_ID}`, { apiKey: 'key' });
    secrets.put('tillflow/test/isv', { isv: { clientId: 'isv', clientSecret: 'secret' } });
    const { now, tokens } = this;
    const { fetch } = this.network;
    const credentials = createCredentials(secrets.client, 'tillflow/test', now);
    const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens, fetch, now });
    return createWebhookKey({ urls, credentials, accessTokens, tokens, fetch, now });
  }
}

describe('the verification key of a webhook address', () => {
  it.each([
    ['a merchant', MERCHANT_ID, 'base.test', '/api/messages/config/token', basic(MERCHANT_ID, 'key')],
    ['the ISV', isvOwner, 'api.test', '/isv/v1/webhooks/token', 'Bearer isv-token'],
  ])('of %s is requested with its own credentials', async (_, account, host, path, authorization) => {
    const world = new World(() => json(200, { Key: 'the-key' }));

    expect(await world.instance()(account, plenty)).toBe('the-key');
    expect(world.asked).toMatchObject([{ method: 'GET', host, path, authorization }]);
  });

  it.each([
    ['Key', { Key: 'the-key' }],
    ['key', { key: 'the-key' }],
  ])('is read from the field %s', async (_, answer) => {
    const world = new World(() => json(200, answer));

    expect(await world.instance()(MERCHANT_ID, plenty)).toBe('the-key');
  });

  it('is kept for a day for all instances, one per account', async () => {
    let asked = 0;
    const world = new World(() => json(200, { Key: `key-${++asked}` }));
    await world.instance()(MERCHANT_ID, plenty);

    world.at += DAY_MS - 1_000;
    expect(await world.instance()(MERCHANT_ID, plenty)).toBe('key-1');
    expect(await world.instance()(isvOwner, plenty)).toBe('key-2');
    world.at += 1_000;
    expect(await world.instance()(MERCHANT_ID, plenty)).toBe('key-3');
  });

  it.each<readonly [string, Script, string]>([
    ['contains no key', () => json(200, {}), 'TransientError'],
    ['has another status', () => json(202, { Key: 'the-key' }), 'TransientError'],
    ['does not arrive', () => networkFailure('ECONNRESET'), 'TransientError'],
    ['is a refusal', () => json(403, { Key: 'the-key' }), 'FaultError'],
  ])('is missing, and nothing is stored, when the answer %s', async (_, script, name) => {
    const world = new World(script);

    expect(await rejection(world.instance()(MERCHANT_ID, plenty))).toMatchObject({ name });
    expect(world.tokens.rows.size).toBe(0);
  });

  it('is requested only when four seconds and the time of a write remain', async () => {
    const world = new World(() => json(200, { Key: 'the-key' }));

    expect(await rejection(world.instance()(MERCHANT_ID, () => 5_999))).toMatchObject({ code: 'NOT_ENOUGH_TIME' });
    expect(await world.instance()(MERCHANT_ID, () => 6_000)).toBe('the-key');
  });
});
