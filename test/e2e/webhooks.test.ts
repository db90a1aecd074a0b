import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
const isvTill = new Till('isv');

beforeEach(() => till.reset());

const forge = (recipient: string, eventTypeId: number, eventData: object, more: object = {}) =>
  till.control('POST', '/_sim/webhooks/forge', { recipient, eventTypeId, eventData, ...more });
const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
const { merchantId, webhookUrl } = till.merchant;

const untilPaid = (id: string) => till.until(`/rf-orders/${id}`, ({ status }) => status === 'paid', 15);

describe('the handshake of a webhook', () => {
  it.each([
    ['a merchant', webhookUrl],
    ['a connected merchant', isvTill.merchant.webhookUrl],
    ['the ISV', till.ready.isv.webhookUrl],
  ])('answers the key of %s in both spellings', async (_, url) => {
    const answer = await fetch(url);
    const body = (await answer.json()) as Json;

    expect(answer.status).toBe(200);
    expect(body.Key).toEqual(expect.stringMatching(/^\S{8,}$/));
    expect(body.key).toBe(body.Key);
  });

  it('requests a key from the platform once, however often it is called', async () => {
    const asked = async () => (await till.requests('/api/messages/config/token')).length;
    for (let n = 0; n < 5; n++) {
      await fetch(webhookUrl);
    }

    expect(await asked()).toBe(1);
  });

  it('does not reveal whether account or token were wrong', async () => {
    const base = webhookUrl.slice(0, webhookUrl.lastIndexOf('/'));
    const urls = [
      `${base}/${'0'.repeat(48)}`,
      webhookUrl.replace(merchantId, randomUUID()),
      webhookUrl.replace(merchantId, 'isv'),
      webhookUrl.replace(merchantId, 'nobody'),
    ];
    const answers = await Promise.all([...urls.map((url) => fetch(url)), ...urls.map((url) => post(url, '{}'))]);
    const texts = await Promise.all(
      answers.map(async (answer) => `${answer.status} ${(await answer.text()).replace(/"requestId":"[^"]+"/, '')}`),
    );

    expect(new Set(texts).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.headers.get('content-type')).toContain('application/problem+json');
  });

  it('refuses other methods', async () => {
    const answer = await fetch(webhookUrl, { method: 'DELETE' });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });
});

describe('a webhook', () => {
  const odd: readonly (readonly [string, string, number])[] = [
    ['1 MB', JSON.stringify({ EventTypeId: 1796, MessageId: 'a', EventData: { Filler: 'x'.repeat(1_000_000) } }), 413],
    ['64 kB and more', `{"EventTypeId":1796,"MessageId":"a","EventData":{"F":"${'x'.repeat(65_536)}"}}`, 413],
    ['10,000 levels', `${'{"EventData":'.repeat(4_000)}1${'}'.repeat(4_000)}`, 400],
    ['10,000 lists', '['.repeat(10_000), 400],
    ['a key twice', '{"EventTypeId":1796,"EventTypeId":1796,"MessageId":"a","EventData":{}}', 400],
    ['a prototype', '{"EventTypeId":1796,"MessageId":"a","EventData":{"__proto__":{"a":1}}}', 400],
    ['wrong types', '{"EventTypeId":{},"MessageId":[],"EventData":"x"}', 400],
    ['an id of the wrong type', '{"EventTypeId":1796,"MessageId":"a","EventData":{"OrderCode":{"a":1}}}', 400],
    ['nothing', '', 400],
    ['no JSON', '<xml/>', 400],
  ];

  it.each(odd)('is refused without effect when it is malformed: %s', async (_, body, status) => {
    const answer = await post(webhookUrl, body);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(((await answer.json()) as Json).code).toEqual(expect.any(String));
    expect(await till.inboxes()).toEqual([]);
  });

  it('of an unknown type is stored and answered with 200', async () => {
    const messageId = randomUUID();
    const answer = await post(
      webhookUrl,
      JSON.stringify({ EventTypeId: 31337, MessageId: messageId, EventData: { Anything: [1] } }),
    );

    expect(answer.status).toBe(200);
    expect(await till.inboxes()).toEqual([expect.objectContaining({ pk: `inbox#${messageId}` })]);
  });

  it('from an address that is not the platform’s is refused, whatever it contains', async () => {
    const forged = await forge(merchantId, 1796, { MerchantTrns: randomUUID() }, { sourceIp: '203.0.113.7' });
    const claimed = await post(webhookUrl, '{}', {
      'x-forwarded-for': '127.0.0.1',
      'x-sandbox-source-ip': '203.0.113.7',
    });

    expect([forged.status, claimed.status]).toEqual([403, 403]);
    expect(await till.inboxes()).toEqual([]);
  });

  it('leaves neither its path nor its content in any log', async () => {
    const eventData = { MerchantTrns: 'LOGCANARY', Email: 'LOGCANARY@example.invalid', CardToken: 'LOGCANARY' };
    const body = JSON.stringify({ EventTypeId: 1796, MessageId: randomUUID(), EventData: eventData });
    await post(webhookUrl, body);
    await post(webhookUrl, `${body}LOGCANARY`);
    await fetch(webhookUrl, { method: 'PUT' });
    const logs = JSON.stringify(await till.control('GET', '/_cloud/logs'));

    expect(logs).not.toContain('LOGCANARY');
    expect(logs).not.toContain(webhookUrl.slice(webhookUrl.lastIndexOf('/') + 1));
  });
});

describe('an RF order', () => {
  it.each([
    ['merchant', till],
    ['isv', isvTill],
  ] as const)('of a %s account is paid by the platform’s webhooks, each of them delivered 24 times', async (_, of) => {
    const order = await of.orderRf();
    await till.payRf(order);
    await untilPaid(order.rfOrderId);
    await till.pass(2);
    const before = await of.api('GET', `/rf-orders/${order.rfOrderId}`);
    const { webhooks } = await till.control('GET', '/_sim/webhooks');

    for (const { messageId } of webhooks) {
      await till.control('POST', `/_sim/webhooks/${messageId}/redeliver`, { times: 12 });
      await till.control('POST', `/_sim/webhooks/${messageId}/redeliver`, { times: 12, parallel: true });
    }
    await till.pass(1);

    const after = await of.api('GET', `/rf-orders/${order.rfOrderId}`);
    expect(webhooks.length).toBeGreaterThanOrEqual(3);
    expect(webhooks.every(({ attempts }: Json) => attempts[0]?.status === 200)).toBe(true);
    expect({ ...after.body, timeline: [] }).toEqual({ ...before.body, timeline: [] });
    expect(after.body.amountPaid).toBe(5000);
  });

  it.each([
    ['sent', 'filled'],
    ['sent', 'null'],
    ['not_sent', 'filled'],
    ['not_sent', 'null'],
  ])('is paid when 1796 is %s and SaleTransactionId %s', async (rfMerchantPaymentWebhook, rfSaleTransactionId) => {
    await till.control('PATCH', '/_sim/switches', { rfMerchantPaymentWebhook, rfSaleTransactionId });
    const order = await till.orderRf();

    await till.payRf(order);

    await untilPaid(order.rfOrderId);
  });

  it('is paid soon when only a movement of the account was delivered', async () => {
    for (const eventTypeId of [1796, 1799]) {
      await till.control('POST', '/_sim/faults', {
        name: 'lost_webhook',
        match: { path: `/${merchantId}/${eventTypeId}` },
        times: 1,
      });
    }
    const order = await till.orderRf();

    await till.payRf(order);
    await till.pass(2);
    await till.control('POST', '/_cloud/reconcile');

    await untilPaid(order.rfOrderId);
  });

  it('is paid by webhooks that arrive late, out of order and twice', async () => {
    for (const [name, path] of [
      ['reordered_webhook', `/${merchantId}/1796`],
      ['duplicate_webhook', `/${merchantId}/1799`],
      ['delayed_webhook', `/${merchantId}/2054`],
    ]) {
      await till.control('POST', '/_sim/faults', { name, match: { path }, times: 1 });
    }
    const order = await till.orderRf();

    await till.payRf(order);
    await till.pass(3_700);

    const paid = await untilPaid(order.rfOrderId);
    expect(paid).toMatchObject({ amountPaid: 5000, overpaid: false });
  });

  it('does not trust a forged payment', async () => {
    const order = await till.orderRf();
    const before = await till.facts();

    for (const eventTypeId of [1796, 1797, 1798, 1799, 4865]) {
      await forge(merchantId, eventTypeId, {
        ...{ OrderCode: order.orderCode, MerchantTrns: order.rfOrderId, Amount: 50, StatusId: 'F', IsCancelled: true },
        TransactionId: randomUUID(),
      });
    }
    await till.pass(1);

    expect(await till.facts()).toEqual(before);
  });
});

it('a tapped card is found at once, not at the next read of the terminal', async () => {
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'manual' });
  const { saleId } = await till.startSale({ tokenize: false });
  await till.until(`/sales/${saleId}`, ({ status }) => status === 'awaiting_card', 10);
  await till.betweenAttempts(saleId);

  await till.control('POST', `/_sim/terminals/${till.terminalId}/actions`, { action: 'tap', card: 'visa' });
  await till.pass(1);

  expect((await till.api('GET', `/sales/${saleId}`)).body.status).toBe('paid');
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'auto' });
});

describe('the operator', () => {
  const operatorSays = async (...args: string[]): Promise<string> => {
    const { endpointUrl, accessKeyId, secretAccessKey } = till.ready.aws;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['operator/webhooks.ts', ...args, '--environment', 'local'],
      {
        env: {
          ...process.env,
          AWS_ENDPOINT_URL: endpointUrl,
          AWS_ACCESS_KEY_ID: accessKeyId,
          AWS_SECRET_ACCESS_KEY: secretAccessKey,
        },
      },
    );
    return stdout;
  };

  it('lists what arrived and what it led to, and retries it safely', async () => {
    const order = await till.orderRf();
    await till.payRf(order);
    await untilPaid(order.rfOrderId);
    await till.pass(2);
    const before = (await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body;

    const listed = await operatorSays('list', merchantId, '--type', '1796');
    expect(listed.trim().split('\n')).toHaveLength(1);
    expect(listed).toMatch(new RegExp(` 1796 +acted +1 +paid +127\\.0\\.0\\.1 +${order.rfOrderId}`));
    for (const name of [order.rfOrderId, order.orderCode]) {
      const shown: Json[] = JSON.parse(await operatorSays('show', name));
      expect(shown.find(({ subject }) => subject === order.rfOrderId)).toMatchObject({
        webhooks: [1796, 1799].map((eventTypeId) => ({ eventTypeId, state: 'acted', outcome: 'paid' })),
      });
    }

    expect(await operatorSays('replay', merchantId, '--type', '1796')).toBe('Replayed webhooks: 1\n');
    await till.pass(1);
    expect(await operatorSays('list', merchantId, '--type', '1796')).toMatch(/ acted +1 +paid /);
    expect(await operatorSays('replay', '--subject', order.rfOrderId)).toBe('Replayed webhooks: 2\n');
    expect(await operatorSays('replay', merchantId, '--to', '2020-01-01T00:00:00Z')).toBe('Replayed webhooks: 0\n');
    await till.pass(1);
    const { timeline: _, ...after } = (await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body;
    expect(before).toMatchObject(after);
  });

  it('finds the webhooks of an account that was not the first one to report their subject', async () => {
    const subject = randomUUID();
    const connected = isvTill.merchant.merchantId;
    await forge('isv', 1796, { MerchantTrns: subject });
    await forge(connected, 1796, { MerchantTrns: subject });

    const listed = await operatorSays('list', connected);

    expect(listed.trim().split('\n')).toEqual([expect.stringContaining(subject)]);
    expect(await operatorSays('list', 'isv')).toContain(subject);
    expect(await operatorSays('list', merchantId)).toBe('');
    expect(await operatorSays('replay', connected)).toBe('Replayed webhooks: 1\n');
  });

  it('gets an error message for a wrong command', async () => {
    await expect(operatorSays('destroy', merchantId)).rejects.toThrow(/command is unknown/);
    await expect(operatorSays('show', 'nothing')).rejects.toThrow(/no webhooks about nothing/);
    await expect(operatorSays('list', merchantId, '--from', 'soon')).rejects.toThrow(/is not a time/);
    await expect(operatorSays('list', merchantId, '--from', '2026-02-01', '--to', '2026-01-01')).rejects.toThrow(
      /after/,
    );
    await expect(operatorSays('list', merchantId, '--state', 'failed')).rejects.toThrow(/must be one of new, parked/);
    await expect(operatorSays('list', merchantId, '--type', 'paid')).rejects.toThrow(/number of a webhook type/);
    await expect(operatorSays('list', 'nobody')).rejects.toThrow(/nobody is not an account/);
  });
});

it.each([
  ['merchant', till],
  ['isv', isvTill],
] as const)(
  'a refund in the platform’s portal of a sale of a %s account is shown within half an hour',
  async (_, of) => {
    const { saleId } = await of.sell({ tokenize: false });
    const [payment] = await till.ledger(saleId);
    const { merchantId: id, credentials } = of.merchant;
    await till.pass(86_400);
    await fetch(`${till.ready.platform.baseUrl}/api/transactions/${payment!.transactionId}?amount=500`, {
      method: 'DELETE',
      headers: { authorization: `Basic ${btoa(`${id}:${credentials.apiKey}`)}` },
    });
    await till.pass(1_800);

    expect((await of.api('GET', `/sales/${saleId}`)).body).toMatchObject({ status: 'paid', refundedAmount: 500 });
  },
);
