import { describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
const { accessToken } = till.ready.storefront;
const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${till.ready.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, ...headers },
  });
  return { status: answer.status, type: answer.headers.get('content-type'), body: (await answer.json()) as Json };
};
const webhookPath = new URL(till.merchant.webhookUrl).pathname;

describe('a path of another spelling', () => {
  it.each([
    ['DELETE', '/rf%2dorders/00000000-0000-4000-8000-000000000000'],
    ['GET', `/c%61rds?merchantId=${till.merchant.merchantId}`],
    ['GET', webhookPath.replace('/w', '/%77')],
    ['POST', webhookPath.replace('/w', '/%77')],
    ['GET', '//cards'],
    ['GET', '/cards/'],
    ['GET', '/nothing'],
    ['GET', '/'],
  ])('is found nowhere: %s %s', async (method, path) => {
    const answer = await ask(method, path);

    expect(answer).toMatchObject({ status: 404, type: 'application/problem+json', body: { code: 'NOT_FOUND' } });
  });

  it('is found nowhere from an address that is not the platform’s either', async () => {
    const answer = await ask('POST', webhookPath.replace('/w', '/%77'), { 'x-sandbox-source-ip': '203.0.113.7' });

    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('leaves the answer to an unknown method as it is', async () => {
    expect(await ask('PUT', '/cards')).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  });
});
