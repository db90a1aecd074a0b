import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../../shared/api/endpoint.ts';
import { readApiRequest } from '../../../../../shared/api/request.ts';
import { readBody } from '../../../../../shared/api/requests/body.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import { call, type Sent } from '../../../../fakes/storefront.ts';

/** Answers with the body that it read. */
const echo: Endpoint<object> = {
  name: 'echo',
  run: async (request) => ({ status: 200, body: JSON.stringify({ read: readBody(request) }) }),
};

function send(body: string | Buffer | undefined, sent: Partial<Sent> = {}) {
  return call(echo, {}, { route: 'POST /sales', body, ...sent });
}

function failing(error: unknown) {
  return call({ name: 'failing', run: () => Promise.reject(error) }, {}, { route: 'GET /sales' });
}

describe('a request body', () => {
  it('is read from Base64 and from text', () => {
    const bytesOf = (event: object) =>
      readApiRequest({ httpMethod: 'POST', requestContext: {}, ...event } as APIGatewayProxyEvent).body;

    expect(bytesOf({ body: '/yI=', isBase64Encoded: true })).toEqual(Buffer.from([0xff, 0x22]));
    expect(bytesOf({ body: '"Ä"', isBase64Encoded: false })).toEqual(Buffer.from('"Ä"'));
  });

  it('may declare its character set', async () => {
    expect((await send('{}', { headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } })).status).toBe(200);
  });

  it('may contain braces, commas and quotes inside strings', async () => {
    const body = { a: '{"a":1},[', 'b"': ['\\', { a: ',' }], c: { a: 1 } };

    expect((await send(JSON.stringify(body))).body).toEqual({ read: body });
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', '{"a":'],
    ['a comment', '{"a":1/**/}'],
    ['the same key twice', '{"a":1,"b":{"a":1},"a":2}'],
    ['the same key twice, spelled differently', '{"a":1,"\\u0061":2}'],
    ['__proto__', '{"a":{"__proto__":{"b":1}}}'],
    ['an empty key', '{"":1}'],
    ['a number that would be rounded', '{"a":[12345678901234567890]}'],
    ['a number that is too long', '{"a":1e999}'],
    ['half a surrogate pair', '{"a":"\\ud800"}'],
    ['nine levels of nesting', `${'['.repeat(9)}${']'.repeat(9)}`],
    ['thousands of levels of nesting', '['.repeat(16_000)],
  ])('with %s is answered with 400', async (_, body) => {
    const got = await send(body);

    expect(got.status).toBe(400);
    expect(got.body.code).toBe('INVALID_JSON');
  });

  it('that is not UTF-8 is answered with 400', async () => {
    const got = await send(Buffer.from([0x22, 0xff, 0x22]));

    expect(got).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  });

  it('larger than 16 kB is answered with 413', async () => {
    const got = await send(JSON.stringify('x'.repeat(16 * 1024)));

    expect(got.status).toBe(413);
    expect(got.body.code).toBe('BODY_TOO_LARGE');
  });

  it.each(['text/plain', 'application/json-patch+json', 'application/x-www-form-urlencoded'])(
    'of type %s is answered with 415',
    async (type) => {
      const got = await send('{}', { headers: { 'Content-Type': type } });

      expect(got.status).toBe(415);
      expect(got.headers['Content-Type']).toBe('application/problem+json');
    },
  );
});

describe('an error inside an endpoint', () => {
  it('is answered with 503 when it is transient', async () => {
    const got = await failing(new TransientError('ITEM_CONTENDED', 'secret-value'));

    expect(got.status).toBe(503);
    expect(got.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true, instance: '/v1/sales' });
    expect(got.headers['Retry-After']).toBe('1');
  });

  it.each([
    ['an AWS service fails', Object.assign(new Error('x'), { $fault: 'server' }), 503],
    [
      'an AWS service throttles',
      Object.assign(new Error('x'), { $fault: 'client', $retryable: { throttling: true } }),
      503,
    ],
    ['an AWS service refuses', Object.assign(new Error('x'), { name: 'AccessDeniedException', $fault: 'client' }), 500],
    ['nobody expected it', new TypeError('secret-value'), 500],
    ['a value that is not an error is thrown', 'secret-value', 500],
  ])('is classified when %s', async (_, error, status) => {
    const got = await failing(error);

    expect(got.status).toBe(status);
    expect(got.text).not.toContain('secret-value');
  });
});
