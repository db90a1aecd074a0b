import { beforeEach, describe, expect, it } from 'vitest';
import { receiveWebhook } from '../../../../functions/webhooks/receive-webhook/endpoint.ts';
import { createCredentials } from '../../../../shared/viva/credentials.ts';
import { createIsPath, type IsPath } from '../../../../shared/webhooks/path-tokens.ts';
import { knownSources } from '../../../../shared/webhooks/sources.ts';
import { MemoryPayments } from '../../../fakes/payments.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';
import { call } from '../../../fakes/storefront.ts';
import { envelope, ORDER_CODE } from '../../../fakes/webhooks.ts';
import { MERCHANT_ID, SALE_ID } from '../../../fakes/world.ts';

const OLD = 'Path-CANARY-00000000000000000000000000000001';
const NEW = 'Path-CANARY-00000000000000000000000000000002';
const START = Date.parse('2026-11-21T10:00:00Z');

let payments: MemoryPayments;
let secrets: MemorySecrets;
let woken: string[];
let counted: string[];
let outage: Error | undefined;
let at: number;
let isPath: IsPath;

beforeEach(() => {
  at = START;
  payments = new MemoryPayments(() => at);
  secrets = new MemorySecrets();
  secrets.put(`test/accounts/${MERCHANT_ID}`, { webhookPathTokens: [OLD, NEW], apiKey: 'key' });
  secrets.put('test/isv', { webhookPathTokens: [NEW] });
  isPath = createIsPath(
    createCredentials(secrets.client, 'test', () => at),
    () => at,
  );
  woken = [];
  counted = [];
  outage = undefined;
});

const deps = () => ({
  payments,
  isPath,
  webhookKey: async (accountId: string) => `key-of-${accountId}`,
  wake: async ({ subject = '' }: Readonly<Record<string, string>>) => {
    if (outage !== undefined) {
      throw outage;
    }
    woken.push(subject);
  },
  isKnownSource: () => true,
  count: (metric: string) => counted.push(metric),
  now: () => at,
});

const sent = (method: 'GET' | 'POST', accountId: string, pathToken: string, body?: string) =>
  call(receiveWebhook, deps(), {
    route: `${method} /webhooks/{accountId}/{pathToken}`,
    parameters: { accountId, pathToken },
    ...(body !== undefined && { body }),
  });
const post = (body: string, accountId = MERCHANT_ID, pathToken = NEW) => sent('POST', accountId, pathToken, body);
const inbox = (subject: string) => payments.get('inbox', subject);

describe('the handshake of a webhook path', () => {
  it.each([
    [MERCHANT_ID, OLD],
    [MERCHANT_ID, NEW],
    ['isv', NEW],
  ])('answers the key of %s in both spellings, on each valid path', async (accountId, pathToken) => {
    const answer = await sent('GET', accountId, pathToken);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ Key: `key-of-${accountId}`, key: `key-of-${accountId}` });
  });

  it('is refused for a wrong path token, without a hint how close it was', async () => {
    const answers = await Promise.all([
      sent('GET', MERCHANT_ID, `${NEW}x`),
      sent('GET', MERCHANT_ID, NEW.toLowerCase()),
      sent('GET', MERCHANT_ID, ''),
      sent('GET', 'isv', OLD),
      sent('GET', SALE_ID, NEW),
      sent('GET', '../isv', NEW),
      post(envelope(1796, {}), SALE_ID),
    ]);

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.body).toMatchObject({ code: 'NOT_FOUND', instance: '/webhooks/{accountId}/{pathToken}' });
  });
});

describe('the token in a webhook path', () => {
  /** Counts the reads of Secrets Manager that refusing or accepting a path takes. */
  async function cost(accountId: string, pathToken: string): Promise<[status: number, reads: number]> {
    const before = secrets.reads;
    const { status } = await sent('GET', accountId, pathToken);
    return [status, secrets.reads - before];
  }
  const wrong = `${NEW}x`;

  it.each([
    ['an account that exists', MERCHANT_ID, async () => {}],
    ['an account that had webhooks lately', MERCHANT_ID, () => sent('GET', MERCHANT_ID, NEW)],
    ['no account', SALE_ID, async () => {}],
    ['the ISV', 'isv', () => sent('GET', 'isv', NEW)],
  ])('costs the same when it is wrong for %s: one read a minute', async (_, accountId, before) => {
    await before();

    expect(await cost(accountId, wrong)).toEqual([404, 1]);
    for (let guess = 0; guess < 10; guess++) {
      at += 5_000;
      expect(await cost(accountId, `${wrong}${guess}`)).toEqual([404, 0]);
    }
    at += 10_000;
    expect(await cost(accountId, wrong)).toEqual([404, 1]);
  });

  it('is recognized at once when it is right, however many wrong ones arrive', async () => {
    const seen: number[] = [];
    for (let second = 0; second < 700; second += 10) {
      at = START + second * 1_000;
      await sent('GET', MERCHANT_ID, wrong);
      seen.push((await cost(MERCHANT_ID, OLD))[0]);
    }

    expect(new Set(seen)).toEqual(new Set([200]));
  });

  it('costs one read in five minutes when it is right', async () => {
    const reads: number[] = [];
    for (const second of [0, 1, 299, 300, 301]) {
      at = START + second * 1_000;
      reads.push((await cost(MERCHANT_ID, NEW))[1]);
    }

    expect(reads).toEqual([1, 0, 0, 1, 0]);
  });

  it('is recognized at once after a change, and the old one is accepted for at most five minutes', async () => {
    await sent('GET', MERCHANT_ID, OLD);
    secrets.put(`test/accounts/${MERCHANT_ID}`, { webhookPathTokens: [`${NEW}-next`] });

    expect(await cost(MERCHANT_ID, `${NEW}-next`)).toEqual([200, 1]);
    expect(await cost(MERCHANT_ID, OLD)).toEqual([404, 1]);
  });

  it('of invented accounts takes no more memory than a thousand of them', async () => {
    const madeUp = (n: number) => `5b0f4c57-9a53-4a1b-8f2f-${String(n).padStart(12, '0')}`;
    await isPath(MERCHANT_ID, NEW);
    for (let n = 0; n < 1_000; n++) {
      await isPath(madeUp(n), wrong);
    }

    expect(await cost(madeUp(0), wrong)).toEqual([404, 0]);
    expect(await cost(MERCHANT_ID, NEW)).toEqual([200, 1]);
    expect(await cost(madeUp(0), wrong)).toEqual([404, 1]);
  });

  it.each(['..', '../isv', 'ISV', '', MERCHANT_ID.toUpperCase(), `${MERCHANT_ID}x`, '*', 'accounts'])(
    'is refused without a read of a secret when the path names %s',
    async (accountId) => {
      expect(await isPath(accountId, NEW)).toBe(false);
      expect(secrets.reads).toBe(0);
    },
  );
});

describe('POST /webhooks', () => {
  it('stores ids only, before it answers, and asks for the subject to be acted on', async () => {
    const text = envelope(1796, { MerchantTrns: SALE_ID, OrderCode: ORDER_CODE, Email: 'CANARY@example.invalid' });
    const answer = await post(text);

    expect(answer.status).toBe(200);
    expect(woken).toEqual([SALE_ID]);
    const stored = await inbox(SALE_ID);
    expect(stored).toMatchObject({ merchantId: MERCHANT_ID, dueAt: '2026-11-21T10:01:00.000Z' });
    expect(stored?.webhooks).toEqual([
      expect.objectContaining({ recipient: MERCHANT_ID, eventTypeId: 1796, orderCode: ORDER_CODE, state: 'new' }),
    ]);
    expect(JSON.stringify(stored)).not.toContain('CANARY');
  });

  it('writes once for a webhook that arrives 24 times, one after the other and all at once', async () => {
    const text = envelope(1796, { MerchantTrns: SALE_ID });
    await post(text);
    const { writes } = payments;

    for (let again = 0; again < 12; again++) {
      at += 3_600_000;
      expect((await post(text)).status).toBe(200);
    }
    await Promise.all(Array.from({ length: 12 }, () => post(text)));

    expect(payments.writes).toBe(writes);
    expect(woken).toEqual([SALE_ID]);
    expect((await inbox(SALE_ID))?.webhooks).toHaveLength(1);
  });

  it('treats equal webhooks to different recipients as different', async () => {
    const text = envelope(1796, { MerchantTrns: SALE_ID });
    await post(text);
    await post(text, 'isv');

    expect((await inbox(SALE_ID))?.webhooks.map(({ recipient }) => recipient)).toEqual([MERCHANT_ID, 'isv']);
  });

  it('adds a webhook to the inbox of its subject, and keeps only the latest ones', async () => {
    for (let n = 0; n < 60; n++) {
      await post(envelope(5632, { OrderCode: ORDER_CODE }));
    }

    expect((await inbox(ORDER_CODE))?.webhooks).toHaveLength(50);
  });

  it('writes nothing when three others of the same type are already waiting for the subject', async () => {
    for (let n = 0; n < 3; n++) {
      await post(envelope(1799, { OrderCode: ORDER_CODE }));
    }
    const { writes } = payments;

    expect((await post(envelope(1799, { OrderCode: ORDER_CODE }))).status).toBe(200);
    expect(payments.writes).toBe(writes);
    expect((await inbox(ORDER_CODE))?.dueAt).toBe('2026-11-21T10:01:00.000Z');
  });

  it('stores a webhook of another recipient or type, and one that follows a started reconciliation', async () => {
    for (let n = 0; n < 5; n++) {
      await post(envelope(1797, { OrderCode: ORDER_CODE }), 'isv');
      await post(envelope(1796, { OrderCode: ORDER_CODE }));
    }
    const ofMerchant = async () =>
      (await inbox(ORDER_CODE))?.webhooks.filter(({ recipient }) => recipient === MERCHANT_ID).length;
    expect(await ofMerchant()).toBe(3);

    await post(envelope(1797, { OrderCode: ORDER_CODE }));
    expect(await ofMerchant()).toBe(4);
    await payments.change('inbox', ORDER_CODE, ({ webhooks }) => ({
      webhooks: webhooks.map((one) => ({ ...one, attempts: 1 })),
    }));
    await post(envelope(1796, { OrderCode: ORDER_CODE }));

    expect(await ofMerchant()).toBe(5);
    expect(woken.at(-1)).toBe(ORDER_CODE);
  });

  it('replaces the oldest of three for which no reconciliation began within a minute', async () => {
    for (let n = 0; n < 4; n++) {
      await post(envelope(1799, { OrderCode: ORDER_CODE }));
    }
    const before = (await inbox(ORDER_CODE))?.webhooks.map(({ messageId }) => messageId);
    at += 60_000;

    await post(envelope(1799, { OrderCode: ORDER_CODE }));

    const after = (await inbox(ORDER_CODE))?.webhooks;
    expect(after?.map(({ messageId }) => messageId).slice(0, 2)).toEqual(before?.slice(1));
    expect(after).toHaveLength(3);
    expect(after?.[2]?.receivedAt).toBe(new Date(at).toISOString());
  });

  it('keeps a waiting webhook when 50 others without effect follow', async () => {
    await post(envelope(1796, { OrderCode: ORDER_CODE }));
    for (let n = 0; n < 60; n++) {
      await post(envelope(5632, { OrderCode: ORDER_CODE }));
    }

    expect((await inbox(ORDER_CODE))?.webhooks[0]).toMatchObject({ eventTypeId: 1796, state: 'new' });
    expect((await inbox(ORDER_CODE))?.webhooks).toHaveLength(50);
  });

  it('stores a webhook without effect and does not ask for its subject to be acted on', async () => {
    await post(envelope(1796, { MerchantTrns: SALE_ID }));
    await payments.change('inbox', SALE_ID, ({ webhooks }) => ({
      webhooks: webhooks.map((one) => ({ ...one, state: 'acted' as const })),
      dueAt: undefined,
    }));
    woken.length = 0;

    for (let n = 0; n < 4; n++) {
      await post(envelope(5632, { MerchantTrns: SALE_ID }));
    }

    const stored = await inbox(SALE_ID);
    expect(stored?.webhooks.map(({ state }) => state)).toEqual(['acted', 'ignored', 'ignored', 'ignored', 'ignored']);
    expect(stored).not.toHaveProperty('dueAt');
    expect(woken).toEqual([]);
  });

  it('puts a webhook that names an RF order only by its code into the inbox of that code', async () => {
    payments.put('order-pointer', ORDER_CODE, { merchantId: MERCHANT_ID, rfOrderId: SALE_ID });
    await post(envelope(1796, { MerchantTrns: SALE_ID }));
    await post(envelope(1799, { OrderCode: ORDER_CODE }));

    expect((await inbox(SALE_ID))?.webhooks.map(({ eventTypeId }) => eventTypeId)).toEqual([1796, 1799]);
    expect(woken).toEqual([SALE_ID, SALE_ID]);
    expect(await inbox(ORDER_CODE)).toBeUndefined();
  });

  it.each([768, 5632, 8193, 31337])(
    'stores and answers webhook type %i, and does nothing else',
    async (eventTypeId) => {
      expect((await post(envelope(eventTypeId, { OrderCode: ORDER_CODE }))).status).toBe(200);

      expect(woken).toEqual([]);
      const stored = await inbox(ORDER_CODE);
      expect(stored?.webhooks[0]).toMatchObject({ eventTypeId, state: 'ignored' });
      expect(stored?.dueAt).toBeUndefined();
    },
  );

  it('leaves a webhook to the reconciler when the invocation of act-on-webhook fails', async () => {
    outage = new Error('no capacity');

    expect((await post(envelope(1796, { MerchantTrns: SALE_ID }))).status).toBe(200);
    expect((await inbox(SALE_ID))?.dueAt).toBe('2026-11-21T10:01:00.000Z');
    expect(counted).toContain('WebhookWakeFailed');
  });

  it('does not answer with success when the webhook could not be stored', async () => {
    payments.create = async () => {
      throw Object.assign(new Error('throttled'), { $retryable: {} });
    };

    expect((await post(envelope(1796, { MerchantTrns: SALE_ID }))).status).toBe(503);
    expect(woken).toEqual([]);
  });

  it('asks for nothing while no read is left, and makes the inbox due within a minute', async () => {
    await post(envelope(1799, { OrderCode: ORDER_CODE }));
    await payments.change('inbox', ORDER_CODE, ({ webhooks }) => ({
      webhooks: webhooks.map((one) => ({ ...one, state: 'acted' as const })),
      dueAt: undefined,
      spentUntil: '2026-11-21T10:05:00.000Z',
    }));
    woken = [];

    await post(envelope(1799, { OrderCode: ORDER_CODE }));
    expect(woken).toEqual([]);
    expect((await inbox(ORDER_CODE))?.dueAt).toBe('2026-11-21T10:01:00.000Z');
    at += 60_000;
    await post(envelope(1799, { OrderCode: ORDER_CODE }));

    expect(woken).toEqual([ORDER_CODE]);
  });

  it('makes an inbox that is due later due within a minute', async () => {
    await post(envelope(1799, { OrderCode: ORDER_CODE }));
    await payments.change('inbox', ORDER_CODE, () => ({ dueAt: '2026-11-21T10:30:00.000Z' }));

    await post(envelope(1796, { OrderCode: ORDER_CODE }));

    expect((await inbox(ORDER_CODE))?.dueAt).toBe('2026-11-21T10:01:00.000Z');
  });

  it.each([
    ['too large', envelope(1796, { Filler: 'x'.repeat(64 * 1024) }), 413, 'BODY_TOO_LARGE'],
    ['nested too deeply', '['.repeat(10_000), 400, 'INVALID_JSON'],
    ['ambiguous', '{"EventTypeId":1,"EventTypeId":2}', 400, 'INVALID_JSON'],
    ['not a webhook', '{"hello":"world"}', 400, 'INVALID_REQUEST'],
    ['nothing', '', 400, 'INVALID_JSON'],
  ])('refuses a body that is %s, and writes nothing', async (_, body, status, code) => {
    const answer = await post(body);

    expect(answer.status).toBe(status);
    expect(answer.headers['Content-Type']).toBe('application/problem+json');
    expect(answer.body.code).toBe(code);
    expect(payments.writes).toBe(0);
    expect(woken).toEqual([]);
  });
});

describe('the known source addresses of webhooks', () => {
  it('match single addresses and ranges', () => {
    const isKnown = knownSources('20.50.240.57 40.127.253.112/28 ::1');

    expect(['20.50.240.57', '40.127.253.112', '40.127.253.127', '::1'].every(isKnown)).toBe(true);
    expect(['20.50.240.58', '40.127.253.128', '', '::2', 'nonsense'].some(isKnown)).toBe(false);
  });

  it('are only counted: a webhook from another address is accepted', async () => {
    const unlisted = { ...deps(), isKnownSource: () => false };
    const answer = await call(receiveWebhook, unlisted, {
      route: 'POST /webhooks/{accountId}/{pathToken}',
      parameters: { accountId: MERCHANT_ID, pathToken: NEW },
      body: envelope(1796, { MerchantTrns: SALE_ID }),
    });

    expect(answer.status).toBe(200);
    expect(counted).toEqual(['WebhookReceived', 'WebhookFromUnlistedAddress']);
  });
});
