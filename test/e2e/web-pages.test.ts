import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Till } from './till.ts';

const till = new Till();
const { controlUrl, issuerUrl, aws, platform } = till.ready;

/** With `node:http`, because fetch does not allow setting `Host`. */
function send(method: string, url: string, headers: Record<string, string>, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { 'content-type': 'text/plain', ...headers } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
const rebound = { host: 'evil.example' };
const seed = async () => (await till.control('GET', '/_sim')).seed;

describe('a web page', () => {
  it('of another origin can neither reset nor change nor read the sandbox', async () => {
    const before = await seed();
    const ask = (method: string, path: string, body = '') => send(method, `${controlUrl}${path}`, page, body);

    const answers = await Promise.all([
      ask('POST', '/_sim/reset', '{"seed":4711}'),
      ask('POST', '/_sim/clock', '{"advanceSeconds":1}'),
      ask('POST', '/_cloud/reconcile'),
      ask('PUT', '/_cloud/secrets/tillflow/local/isv', '{"value":"x"}'),
      ask('GET', '/_cloud/tables/tokens'),
      ask('GET', '/_sim'),
      ask('OPTIONS', '/_sim/reset'),
      ask('GET', '/nothing'),
    ]);

    expect(answers).toEqual(answers.map(() => 403));
    expect(await seed()).toBe(before);
  });

  it('whose name points at this machine reaches nothing', async () => {
    const urls = [`${controlUrl}/_sim`, aws.endpointUrl, issuerUrl, ...Object.values(platform)];
    const port = (url: string) => ({ host: `${rebound.host}:${new URL(url).port}` });

    const answers = await Promise.all(urls.map((url) => send('POST', url, { ...port(url), origin: 'null' })));

    expect(answers).toEqual(urls.map(() => 403));
  });

  it('of another origin reaches no table, secret or function', async () => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${aws.accessKeyId}/20260101/x/dynamodb/aws4_request`;

    expect(await send('POST', aws.endpointUrl, { ...page, authorization }, '{}')).toBe(403);
  });

  it('may send a payer’s browser to the issuer’s page', async () => {
    expect(await send('POST', `${platform.baseUrl}/acs/unknown`, page)).toBe(404);
  });
});

describe('a program', () => {
  it.each(['localhost', '127.0.0.1', '[::1]'])('may call the sandbox as %s', async (name) => {
    const { port } = new URL(controlUrl);

    expect(await send('GET', `${controlUrl}/_sim`, { host: `${name}:${port}` })).toBe(200);
  });
});
