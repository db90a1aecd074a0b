import { describe, expect, it } from 'vitest';
import { Refusal, type ResponseType } from '../../../../../sandbox/cloud/gateway/refusal.ts';
import { GatewayResponses } from '../../../../../sandbox/cloud/gateway/responses.ts';

const responses = (...custom: object[]) =>
  new GatewayResponses(
    custom.map((response) => ({
      RestApiId: 'api',
      ResponseParameters: {},
      ResponseTemplates: {},
      StatusCode: undefined,
      ...response,
    })) as never,
  );
const answer = (
  type: ResponseType,
  custom: object[] = [],
  variables: Record<string, string | number | undefined> = {},
) => responses(...custom).answer(new Refusal(type), variables);

describe('a response that the gateway creates itself', () => {
  it.each([
    ['UNAUTHORIZED', 401, 'Unauthorized'],
    ['ACCESS_DENIED', 403, 'User is not authorized to access this resource'],
    ['MISSING_AUTHENTICATION_TOKEN', 403, 'Missing Authentication Token'],
    ['THROTTLED', 429, 'Too Many Requests'],
    ['REQUEST_TOO_LARGE', 413, 'Request Too Long'],
    ['INTEGRATION_TIMEOUT', 504, 'Endpoint request timed out'],
  ] as const)('for %s has status %i by default', (type, status, message) => {
    expect(answer(type)).toMatchObject({
      status,
      body: JSON.stringify({ message }),
      headers: { 'content-type': 'application/json' },
    });
  });

  it('follows the template', () => {
    const custom = {
      ResponseType: 'THROTTLED',
      StatusCode: 430,
      ResponseParameters: {
        'gatewayresponse.header.Retry-After': "'1'",
        'gatewayresponse.header.Content-Type': "'application/problem+json'",
        'gatewayresponse.header.X-Id': 'context.requestId',
      },
      ResponseTemplates: {
        'application/json':
          '{"detail":$context.error.messageString,"title":"$context.error.message","instance":"$context.path","id":"$context.requestId","who":"$context.authorizer.client"}',
      },
    };

    const { status, headers, body } = answer('THROTTLED', [custom], { path: '/sales/"7', requestId: 'r-1' });

    expect(status).toBe(430);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json', 'x-id': 'r-1' });
    expect(JSON.parse(String(body))).toEqual({
      detail: 'Too Many Requests',
      title: 'Too Many Requests',
      instance: '/sales/"7',
      id: 'r-1',
      who: '',
    });
  });

  it('falls back to the default of its class, with its own status', () => {
    const custom = [
      { ResponseType: 'DEFAULT_4XX', ResponseTemplates: { 'application/problem+json': '"4XX"' } },
      { ResponseType: 'DEFAULT_5XX', ResponseTemplates: { 'application/problem+json': '"5XX"' } },
    ];

    expect(answer('UNAUTHORIZED', custom)).toMatchObject({
      status: 401,
      body: '"4XX"',
      headers: { 'content-type': 'application/problem+json' },
    });
    expect(answer('INTEGRATION_FAILURE', custom)).toMatchObject({ status: 502, body: '"5XX"' });
  });

  it.each([
    ['an unknown type', { ResponseType: 'TEAPOT' }, 'TEAPOT'],
    [
      'an unknown variable',
      { ResponseType: 'THROTTLED', ResponseTemplates: { 'application/json': '$context.error.mesage' } },
      'error.mesage',
    ],
    [
      'a template function',
      { ResponseType: 'THROTTLED', ResponseTemplates: { 'application/json': "$util.escapeJavaScript('x')" } },
      '$util',
    ],
    [
      'a header value that is neither text nor a variable',
      { ResponseType: 'THROTTLED', ResponseParameters: { 'gatewayresponse.header.A': 'plain' } },
      'gatewayresponse.header.A',
    ],
  ])('is refused at start with %s', (_, custom, named) => {
    expect(() => responses(custom)).toThrow(named);
  });
});
