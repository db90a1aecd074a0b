/** How long each secret lives in the tokens table, for every writer. */
import { describe, expect, it } from 'vitest';
import { createChargeToken } from '../../../../functions/charge/create-charge-token/step.ts';
import { createCardToken } from '../../../../functions/sale/create-card-token/step.ts';
import { retrieveTransaction } from '../../../../functions/sale/retrieve-transaction/step.ts';
import { cardIdOf } from '../../../../shared/payments/references.ts';
import type { TokenKind } from '../../../../shared/tokens/store.ts';
import { createAccessTokens } from '../../../../shared/viva/access-tokens.ts';
import { createCredentials } from '../../../../shared/viva/credentials.ts';
import { createWebhookKey } from '../../../../shared/viva/webhook-key.ts';
import { FakeNetwork, json } from '../../../fakes/network.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';
import { anyCall, FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The card of the tests is valid until December 2030 has ended in every time zone. */
const CARD_ENDS_AT = Date.parse('2031-01-01T12:00:00Z') / 1000;
const CARD_ID = cardIdOf('stack', MERCHANT_ID, 'one-card');

const secondsOf = (world: World) => world.at / 1000;
const expiryOf = (world: World, kind: TokenKind) =>
  [...world.tokens.rows].filter(([pk]) => pk.startsWith(`${kind}#`)).map(([, { expiresAt }]) => expiresAt);

async function readSale(world: World): Promise<void> {
  world.putSale({ status: 'awaiting_card', transactionId: TRANSACTION_ID, requestedAt: world.seconds(0) });
  const deps = { ...world, vivaFor: new FakeViva().for, stackId: 'stack' };
  await retrieveTransaction.run({ saleId: SALE_ID }, deps, world.invocation);
}

async function storeCard(world: World): Promise<void> {
  const deps = { ...world, vivaFor: new FakeViva().for };
  await createCardToken.run({ saleId: SALE_ID }, deps, world.invocation);
}

/** With the issuer's form, so that the form is stored as well. */
async function startCharge(world: World): Promise<void> {
  world.putCharge({ cardId: CARD_ID });
  const viva = new FakeViva({
    createChargeToken: async () => ({ chargeToken: 'ctok_CANARY', form: '<form></form>', call: anyCall }),
  });
  await createChargeToken.run(
    { chargeId: CHARGE_ID },
    { ...world, vivaFor: viva.for, newId: () => 'ref-1' },
    world.invocation,
  );
}

function clientOf(world: World, answer: () => Response) {
  const secrets = new MemorySecrets();
  const pos = { clientId: 'pos', clientSecret: 'secret' };
  secrets.put(`test/accounts/${MERCHANT_ID}`, { pos, apiKey: 'key' });
  const credentials = createCredentials(secrets.client, 'test', world.now);
  const { fetch } = new FakeNetwork(answer);
  const urls = { authUrl: 'http://auth.test', apiUrl: 'http://api.test', baseUrl: 'http://base.test' };
  const { tokens, now } = world;
  const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens, fetch, now });
  return { urls, credentials, accessTokens, tokens, fetch, now };
}

const remainingMs = () => 20_000;

/** One entry per kind; a missing kind does not compile. */
const lives: Record<TokenKind, () => Promise<[expiresAt: readonly number[], expected: number]>> = {
  access: async () => {
    const world = new World();
    const issued = () => json(200, { access_token: 'CANARY', expires_in: 3600, token_type: 'Bearer' });
    await clientOf(world, issued).accessTokens.get(MERCHANT_ID, 'pos', remainingMs);
    return [expiryOf(world, 'access'), secondsOf(world) + HOUR];
  },
  ct: async () => {
    const world = new World();
    await readSale(world);
    await storeCard(world);
    return [expiryOf(world, 'ct'), CARD_ENDS_AT];
  },
  ctok: async () => {
    const world = new World();
    await readSale(world);
    await storeCard(world);
    await startCharge(world);
    return [expiryOf(world, 'ctok'), secondsOf(world) + 10 * MINUTE];
  },
  form: async () => {
    const world = new World();
    await readSale(world);
    await storeCard(world);
    await startCharge(world);
    return [expiryOf(world, 'form'), secondsOf(world) + 10 * MINUTE];
  },
  'webhook-key': async () => {
    const world = new World();
    await createWebhookKey(clientOf(world, () => json(200, { Key: 'CANARY' })))(MERCHANT_ID, remainingMs);
    return [expiryOf(world, 'webhook-key'), secondsOf(world) + DAY];
  },
};

describe('the lifetime of a secret in the tokens table', () => {
  it.each([
    ['access', 'an access token lives as long as the platform says'],
    ['ct', 'a card token lives until its card expires'],
    ['ctok', 'a charge token lives ten minutes'],
    ['form', 'the issuer’s form lives as long as its charge token'],
    ['webhook-key', 'the key of a webhook address lives a day'],
  ] as const)('%s: %s', async (kind, _life) => {
    const [expiresAt, expected] = await lives[kind]();

    expect(expiresAt).toEqual([expected]);
  });

  it('is one day for the holder’s name of a card that is not stored', async () => {
    const world = new World();

    await readSale(world);

    expect(expiryOf(world, 'ct')).toEqual([secondsOf(world) + DAY]);
  });

  it('lasts until the expiry of a stored card that is read again', async () => {
    const world = new World();
    await readSale(world);
    await storeCard(world);

    await readSale(world);

    expect(expiryOf(world, 'ct')).toEqual([CARD_ENDS_AT]);
  });

  it('is one day for a renewed card without a card token', async () => {
    const world = new World();
    const before = { token: 'ct_before', expirationMonth: 11, expirationYear: 2026 };
    await world.tokens.put('ct', CARD_ID, before, secondsOf(world) + 10 * DAY, 0);

    await readSale(world);

    expect(expiryOf(world, 'ct')).toEqual([secondsOf(world) + DAY]);
    expect(await world.tokens.get('ct', CARD_ID)).not.toHaveProperty('token');
  });

  it('of a failed lease of an access token ends one minute after the lease', async () => {
    const world = new World();
    const { accessTokens } = clientOf(world, () => json(503, {}));

    await expect(accessTokens.get(MERCHANT_ID, 'pos', remainingMs)).rejects.toThrow('IDENTITY_UNAVAILABLE');

    expect(expiryOf(world, 'access')).toEqual([secondsOf(world) + 1 + MINUTE]);
  });
});
