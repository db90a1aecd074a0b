import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readContract } from '../contract.ts';
import { type Json, Till } from './till.ts';

const till = new Till();
const contract = readContract();
const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const accessToken = await till.freshToken(); // Other files advance the clock past the end of the first token.
  const answer = await fetch(`${till.ready.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, ...headers },
  });
  const { status, headers: named } = answer;
  const text = await answer.text();
  contract.checkAnswer(method, path, { status, headers: named, text });
  return { status, type: named.get('content-type'), body: JSON.parse(text) as Json };
};
/** A valid webhook address; kept out of the names of tests. */
const disguisedWebhook = new URL(till.merchant.webhookUrl).pathname.replace('/w', '/%77');

beforeAll(() => till.reset());

describe('a path in another spelling', () => {
  it.each([
    ['DELETE', '/rf%2dorders/00000000-0000-4000-8000-000000000000'],
    ['GET', `/c%61rds?merchantId=${till.merchant.merchantId}`],
    ['GET', '/%77ebhooks/the/webhook’s'],
    ['POST', '/%77ebhooks/the/webhook’s'],
    ['GET', '//cards'],
    ['GET', '/cards/'],
    ['GET', '/nothing'],
    ['GET', '/'],
  ])('is not found: %s %s', async (method, path) => {
    const answer = await ask(method, path.startsWith('/%77') ? disguisedWebhook : path);

    expect(answer).toMatchObject({ status: 404, type: 'application/problem+json', body: { code: 'NOT_FOUND' } });
  });

  it('is not found, even from an address that is not the platform’s', async () => {
    const answer = await ask('POST', disguisedWebhook, { 'x-sandbox-source-ip': '203.0.113.7' });

    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('does not change the answer to an unknown method', async () => {
    expect(await ask('PUT', '/cards')).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  });
});

describe('a body that is not UTF-8', () => {
  /** JSON with a byte in a text that is invalid in UTF-8. */
  const broken = (body: object, byte: number) => {
    const text = Buffer.from(JSON.stringify(body));
    text[text.indexOf('#')] = byte;
    return text;
  };
  const post = async (url: string, body: Buffer, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${await till.freshToken()}`, 'content-type': 'application/json', ...headers },
      body: new Uint8Array(body),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };

  it('is refused, and is not stored under its key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const sale = till.saleOf({ merchantTrns: 'room #' });
    const answers = [
      await post(`${till.ready.apiUrl}/sales`, broken(sale, 0xff), key),
      await post(`${till.ready.apiUrl}/sales`, broken(sale, 0xc3), key),
    ];

    expect(answers).toMatchObject([
      { status: 400, body: { code: 'INVALID_JSON' } },
      { status: 400, body: { code: 'INVALID_JSON' } },
    ]);
    expect(await till.requests('/ecr/v1/transactions:sale')).toEqual([]);
  });

  it('is refused as a webhook', async () => {
    const webhook = { EventTypeId: 31337, MessageId: randomUUID(), EventData: { Text: '#' } };

    expect(await post(till.merchant.webhookUrl, broken(webhook, 0xff))).toMatchObject({ status: 400 });
  });

  it('differs from U+FFFD, which is ordinary text', async () => {
    const webhook = { EventTypeId: 31337, MessageId: randomUUID(), EventData: { Text: '\ufffd €' } };

    expect(await post(till.merchant.webhookUrl, Buffer.from(JSON.stringify(webhook)))).toMatchObject({ status: 200 });
  });
});

describe('a list of resources', () => {
  it.each(['createdFrom=9000-01-01T00:00:00Z', 'createdTo=9000-01-01T00:00:00Z', 'createdFrom=9999-12-31T23:59:59Z'])(
    'of a time at which nothing was created is empty: %s',
    async (query) => {
      const answer = await ask('GET', `/sales?merchantId=${till.merchant.merchantId}&${query}`);

      expect(answer).toMatchObject({ status: 200, body: { items: expect.any(Array) } });
    },
  );
});
