import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { type RestGateway, startGateway } from '../../sandbox/cloud/gateway/gateway.ts';
import type { FunctionHost, InvokeOptions, InvokeResult } from '../../sandbox/cloud/seams.ts';
import { type ApiParts, functionArn, invocationOf, stackOf } from '../unit/sandbox/cloud/gateway/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: an event is as loose as Lambda hands it over
type Event = any;
type Played = (event: Event) => unknown;

const gateways: RestGateway[] = [];

/** A gateway whose functions `work` and `auth` are scripted by the test; a scripted Error is a function that threw. */
async function start(parts: ApiParts, played: Readonly<Record<string, Played>> = {}) {
  const clock = new Clock();
  const events: { name: string; event: Event; options: InvokeOptions | undefined }[] = [];
  const functions: FunctionHost = {
    invoke: async (arn, event, options): Promise<InvokeResult> => {
      const name = arn.split(':').at(-1) ?? '';
      events.push({ name, event, options });
      const payload = await (played[name] ?? (() => ({ statusCode: 200, body: 'ok' })))(event);
      return payload instanceof Error
        ? { ok: false, errorType: payload.name, errorMessage: payload.message }
        : { ok: true, payload };
    },
    invokeAsync: () => undefined,
  };
  const gateway = await startGateway({ stack: stackOf(parts), clock, functions, port: 0 });
  gateways.push(gateway);
  const call = (route: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = route.split(' ');
    return fetch(`${gateway.url}${path}`, { method, ...init });
  };
  const eventsOf = (name: string) => events.filter((one) => one.name === name).map(({ event }) => event);
  return { gateway, clock, events, eventsOf, call };
}

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
});

describe('the proxy event', () => {
  const routes = { 'POST /sales/{saleId}': {}, 'GET /sales/{saleId}': {} };

  it('has the shape that Lambda gets from API Gateway', async () => {
    const { call, events } = await start({ routes });

    await call('POST /sales/a%20b?x=1&x=2%203&y=', {
      body: '{"a":"€"}',
      headers: { 'content-type': 'application/json', 'user-agent': 'till/1' },
    });

    const { event, options } = events[0]!;
    expect(event).toMatchObject({
      resource: '/sales/{saleId}',
      path: '/sales/a%20b',
      httpMethod: 'POST',
      queryStringParameters: { x: '2 3', y: '' },
      multiValueQueryStringParameters: { x: ['1', '2 3'], y: [''] },
      pathParameters: { saleId: 'a b' },
      stageVariables: null,
      body: '{"a":"€"}',
      isBase64Encoded: false,
      requestContext: {
        resourcePath: '/sales/{saleId}',
        httpMethod: 'POST',
        path: '/sales/a%20b',
        stage: 'v1',
        apiId: 'ref-Api',
        accountId: '000000000000',
        protocol: 'HTTP/1.1',
        domainName: expect.stringMatching(/^127\.0\.0\.1:/),
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        requestTime: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        requestTimeEpoch: expect.any(Number),
        identity: { sourceIp: '127.0.0.1', userAgent: 'till/1', user: null },
      },
    });
    expect(event.requestContext).not.toHaveProperty('authorizer');
    expect(event.headers).toMatchObject({ 'content-type': 'application/json', 'X-Forwarded-For': '127.0.0.1' });
    expect(event.multiValueHeaders['content-type']).toEqual(['application/json']);
    expect(options?.invoker).toEqual({
      service: 'apigateway.amazonaws.com',
      sourceArn: 'arn:aws:execute-api:eu-west-1:000000000000:ref-Api/v1/POST/sales/a%20b',
    });
  });

  it('has null for what the request does not contain', async () => {
    const { call, eventsOf } = await start({ routes: { 'GET /sales': {} } });

    await call('GET /sales');

    expect(eventsOf('work')[0]).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
      isBase64Encoded: false,
    });
  });

  it('carries bodies of binary media types in Base64, and forms as text', async () => {
    const { call, eventsOf } = await start({ routes, api: { BinaryMediaTypes: ['application/octet-stream'] } });
    const post = (type: string, body: string) => call('POST /sales/7', { body, headers: { 'content-type': type } });

    await post('application/octet-stream', 'bytes');
    await post('application/x-www-form-urlencoded', 'a=b&c=%20');

    expect(eventsOf('work').map(({ body, isBase64Encoded }) => [body, isBase64Encoded])).toEqual([
      ['Ynl0ZXM=', true],
      ['a=b&c=%20', false],
    ]);
  });

  it('takes the source address from the sandbox header, and hides that header from the function', async () => {
    const { call, eventsOf } = await start({ routes });

    await call('GET /sales/7', { headers: { 'x-sandbox-source-ip': '20.54.89.16', 'x-forwarded-for': '1.2.3.4' } });

    const [event] = eventsOf('work');
    expect(event.requestContext.identity.sourceIp).toBe('20.54.89.16');
    expect(event.headers['X-Forwarded-For']).toBe('1.2.3.4, 20.54.89.16');
    expect(JSON.stringify(event)).not.toContain('x-sandbox');
  });
});

describe('the response of a function', () => {
  const routes = { 'GET /': {} };

  it('is passed on with status, headers in both forms, and a default content type', async () => {
    const { call } = await start(
      { routes },
      {
        work: () => ({
          statusCode: 202,
          headers: { Location: '/sales/7', ETag: 5 },
          multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
          body: '{}',
        }),
      },
    );

    const response = await call('GET /');

    expect(response.status).toBe(202);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location: '/sales/7',
      etag: '5',
      'content-type': 'application/json',
      'content-length': '2',
      'x-amzn-requestid': expect.any(String),
    });
  });

  it('may be empty', async () => {
    const { call } = await start({ routes }, { work: () => ({ statusCode: 204 }) });

    expect((await call('GET /')).status).toBe(204);
  });

  it('is decoded from Base64 only for callers that accept a binary media type', async () => {
    const work = () => ({ statusCode: 200, body: 'aGk=', isBase64Encoded: true });
    const { call } = await start({ routes, api: { BinaryMediaTypes: ['image/png'] } }, { work });

    expect(await (await call('GET /', { headers: { accept: 'image/png' } })).text()).toBe('hi');
    expect(await (await call('GET /')).text()).toBe('aGk=');
  });

  it.each([
    ['not an object', null],
    ['no status', { body: 'x' }],
    ['a body that is not text', { statusCode: 200, body: { a: 1 } }],
    ['a header that is not a scalar', { statusCode: 200, headers: { a: { b: 1 } } }],
    ['a header that would split the response', { statusCode: 200, headers: { a: 'b\r\nc: d' } }],
    ['an error of the function', new TypeError('secret detail')],
  ])('becomes a 502 without details for %s', async (_, payload) => {
    const { call } = await start({ routes }, { work: () => payload });

    const response = await call('GET /');

    expect([response.status, await response.text()]).toEqual([502, '{"message":"Internal server error"}']);
  });

  it('becomes a 500 when Lambda refuses the call', async () => {
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'Lambda.TooManyRequestsException' });
    const { call } = await start({ routes }, { work: () => throttled });

    expect((await call('GET /')).status).toBe(500);
  });

  it('becomes a 504 when it takes longer than 29 seconds of virtual time', async () => {
    const { call, clock, events } = await start({ routes }, { work: () => new Promise(() => undefined) });
    const response = call('GET /');
    while (events.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }

    await clock.advance(clock.now() + 29_000);

    expect([(await response).status, await (await response).json()]).toEqual([
      504,
      { message: 'Endpoint request timed out' },
    ]);
  });
});

describe('a request that never reaches a function', () => {
  it.each(['GET /unknown', 'HEAD /sales', 'OPTIONS /sales', 'DELETE /sales'])('has no method: %s', async (route) => {
    const { call, events } = await start({ routes: { 'GET /sales': {} } });

    const response = await call(route);

    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([
      403,
      'MissingAuthenticationTokenException',
    ]);
    expect(events).toEqual([]);
  });

  it('has a path that is not correctly encoded', async () => {
    const { gateway } = await start({ routes: { 'GET /sales/{saleId}': {} } });

    expect(await rawAnswer(gateway.url, 'GET /sales/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });

  it('is not HTTP', async () => {
    const { gateway, call } = await start({ routes: { 'GET /': {} } });

    expect(await rawAnswer(gateway.url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect((await call('GET /')).status).toBe(200);
  });

  it('has a body over 10 MB', async () => {
    const { call, events } = await start({ routes: { 'POST /': {} } });

    const response = await call('POST /', { body: Buffer.alloc(10 * 1024 * 1024 + 1) });

    expect([response.status, events]).toEqual([413, []]);
  });

  it('exceeds the rate of its method, until the bucket fills again', async () => {
    const MethodSettings = [
      { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 100, ThrottlingBurstLimit: 100 },
      { HttpMethod: 'GET', ResourcePath: '/~1sales~1{saleId}', ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 },
    ];
    const { call, clock } = await start({
      routes: { 'GET /sales/{saleId}': {}, 'GET /cards': {} },
      stage: { MethodSettings },
    });
    const statuses = async (...routes: string[]) =>
      (await Promise.all(routes.map((route) => call(route)))).map(({ status }) => status);

    expect((await statuses('GET /sales/1', 'GET /sales/2', 'GET /sales/3')).toSorted()).toEqual([200, 200, 429]);
    expect(await statuses('GET /cards')).toEqual([200]);
    await clock.advance(clock.now() + 1000);
    expect(await statuses('GET /sales/4')).toEqual([200]);
  });

  it('has a body or parameters that the method’s validator refuses', async () => {
    const Schema = {
      type: 'object',
      required: ['amount'],
      properties: { amount: { type: 'integer' } },
      additionalProperties: false,
    };
    const { call, events } = await start({
      routes: {
        'POST /sales': {
          RequestValidatorId: 'ref-Strict',
          RequestModels: { 'application/json': 'ref-Sale' },
          RequestParameters: { 'method.request.header.Idempotency-Key': true, 'method.request.querystring.dry': false },
        },
      },
      validators: { Strict: { ValidateRequestBody: true, ValidateRequestParameters: true } },
      models: { Sale: { Schema } },
    });
    const post = async (
      body: string,
      headers: Record<string, string> = { 'idempotency-key': 'k', 'content-type': 'application/json' },
    ) => {
      const response = await call('POST /sales', { body, headers });
      return [response.status, ((await response.json().catch(() => ({}))) as { message?: string }).message];
    };

    expect(await post('{"amount":1}', { 'content-type': 'application/json' })).toEqual([
      400,
      'Missing required request parameters: [Idempotency-Key]',
    ]);
    expect(await post('{"amount":"1"}')).toEqual([400, 'Invalid request body']);
    expect(await post('{')).toEqual([400, 'Invalid request body']);
    expect(events).toEqual([]);
    expect((await post('{"amount":1}'))[0]).toBe(200);
  });

  it('comes from an address that the resource policy does not name', async () => {
    const Condition = { NotIpAddress: { 'aws:SourceIp': ['20.54.89.16'] } };
    const anyone = { Principal: { AWS: '*' }, Action: 'execute-api:Invoke' };
    const Policy = {
      Version: '2012-10-17',
      Statement: [
        { ...anyone, Effect: 'Allow', Resource: 'execute-api:/*' },
        { ...anyone, Effect: 'Deny', Resource: 'execute-api:/*/POST/webhooks/*', Condition },
      ],
    };
    const { call } = await start({ routes: { 'POST /webhooks/{path}': {}, 'GET /sales': {} }, api: { Policy } });
    const from = async (route: string, sourceIp: string) =>
      (await call(route, { headers: { 'x-sandbox-source-ip': sourceIp } })).status;

    expect(await from('POST /webhooks/x', '20.54.89.16')).toBe(200);
    expect(await from('POST /webhooks/x', '20.54.89.17')).toBe(403);
    expect(await from('GET /sales', '20.54.89.17')).toBe(200);
  });
});

describe('an authorizer', () => {
  const guarded = { AuthorizationType: 'CUSTOM', AuthorizerId: 'ref-Auth' };
  const routes = { 'GET /sales/{saleId}': guarded, 'POST /sales': guarded };
  const authorizer = (more: object = {}) => ({
    Auth: {
      Name: 'auth',
      Type: 'REQUEST',
      AuthorizerUri: invocationOf('auth'),
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 300,
      ...more,
    },
  });
  const allowing = (...methods: string[]) => ({
    principalId: 'till',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: 'execute-api:Invoke',
          Resource: methods.map((method) => `arn:aws:execute-api:eu-west-1:000000000000:ref-Api/v1/${method}`),
        },
      ],
    },
    context: { merchants: 'all', count: 2, good: true },
  });
  const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it('lets a request through that its policy allows, with its context as text', async () => {
    const { call, eventsOf } = await start(
      { routes, authorizers: authorizer() },
      { auth: () => allowing('GET/sales/*') },
    );

    expect((await call('GET /sales/7', bearing('t'))).status).toBe(200);
    expect((await call('POST /sales', bearing('t'))).status).toBe(403);
    expect(eventsOf('auth')[0]).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-west-1:000000000000:ref-Api/v1/GET/sales/7',
      pathParameters: { saleId: '7' },
    });
    expect(eventsOf('work').map(({ requestContext }) => requestContext.authorizer)).toEqual([
      { principalId: 'till', merchants: 'all', count: '2', good: 'true' },
    ]);
  });

  it('is asked once for each identity until its answer expires', async () => {
    const { call, clock, eventsOf, gateway } = await start(
      { routes, authorizers: authorizer() },
      { auth: () => allowing('*') },
    );

    await call('GET /sales/1', bearing('a'));
    await call('POST /sales', bearing('a'));
    await call('GET /sales/1', bearing('b'));
    expect(eventsOf('auth')).toHaveLength(2);
    await clock.advance(clock.now() + 301_000);
    await call('GET /sales/1', bearing('a'));
    expect(eventsOf('auth')).toHaveLength(3);
    gateway.clear();
    await call('GET /sales/1', bearing('a'));
    expect(eventsOf('auth')).toHaveLength(4);
  });

  it('is not asked about a caller whom the resource policy denies', async () => {
    const anyone = { Principal: { AWS: '*' }, Action: 'execute-api:Invoke' };
    const Condition = { IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } };
    const Policy = { Statement: [{ ...anyone, Effect: 'Deny', Resource: 'execute-api:/*', Condition }] };
    const { call, events } = await start({ routes, authorizers: authorizer(), api: { Policy } });

    expect((await call('GET /sales/7', bearing('t'))).status).toBe(403);
    expect(events).toEqual([]);
  });

  it('is not asked about a caller without identity', async () => {
    const { call, events } = await start({ routes, authorizers: authorizer() });

    expect((await call('GET /sales/7')).status).toBe(401);
    expect(events).toEqual([]);
  });

  it('of tokens gets only the token, and only in the right form', async () => {
    const authorizers = authorizer({ Type: 'TOKEN', IdentityValidationExpression: 'Bearer \\w+' });
    const { call, eventsOf } = await start({ routes, authorizers }, { auth: () => allowing('*') });

    expect((await call('GET /sales/7', bearing('not one word'))).status).toBe(401);
    expect((await call('GET /sales/7', bearing('word'))).status).toBe(200);
    expect(eventsOf('auth')).toEqual([
      {
        type: 'TOKEN',
        authorizationToken: 'Bearer word',
        methodArn: 'arn:aws:execute-api:eu-west-1:000000000000:ref-Api/v1/GET/sales/7',
      },
    ]);
  });

  it.each([
    ['says Unauthorized', new Error('Unauthorized'), 401],
    ['throws another error', new Error('unexpected'), 500],
    ['returns no policy', { principalId: 'till' }, 500],
    ['returns a context with objects', { ...allowing('*'), context: { a: {} } }, 500],
  ])('that %s lets no request through', async (_, payload, status) => {
    const { call, eventsOf } = await start({ routes, authorizers: authorizer() }, { auth: () => payload });

    expect((await call('GET /sales/7', bearing('t'))).status).toBe(status);
    expect(eventsOf('work')).toEqual([]);
  });
});

describe('the gateway', () => {
  it('writes one access log line for each request, in the format of the stage and with nothing else', async () => {
    const Format =
      '{"id":"$context.requestId","route":"$context.httpMethod $context.resourcePath","status":$context.status,"why":"$context.error.responseType","length":$context.responseLength}';
    const stage = { AccessLogSetting: { DestinationArn: 'arn:aws:logs:eu-west-1:000000000000:log-group:x', Format } };
    const { call, gateway } = await start({ routes: { 'GET /webhooks/{pathToken}': {} }, stage });

    await call('GET /webhooks/unguessable');
    await call('GET /nowhere/unguessable');

    const id = expect.any(String);
    expect(gateway.accessLog().map((line) => JSON.parse(line))).toEqual([
      { id, route: 'GET /webhooks/{pathToken}', status: 200, why: '-', length: 2 },
      { id, route: 'GET -', status: 403, why: 'MISSING_AUTHENTICATION_TOKEN', length: expect.any(Number) },
    ]);
    expect(gateway.accessLog().join()).not.toContain('unguessable');
  });

  it('survives callers that leave and bodies that never end', async () => {
    const { call, gateway, events } = await start(
      {
        routes: { 'POST /': {} },
        stage: { AccessLogSetting: { DestinationArn: functionArn('x'), Format: '$context.status' } },
      },
      {
        work: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          return { statusCode: 200 };
        },
      },
    );
    const impatient = httpRequest(gateway.url, { method: 'POST' }).on('error', () => undefined);
    impatient.end('{}');
    while (events.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    impatient.destroy();
    const endless = httpRequest(gateway.url, { method: 'POST' }).on('error', () => undefined);
    endless.write('{');
    await new Promise((resolve) => setTimeout(resolve, 30));
    endless.destroy();
    await new Promise((resolve) => setTimeout(resolve, 30));

    expect((await call('POST /', { body: '{}' })).status).toBe(200);
    expect(events).toHaveLength(2);
    expect(gateway.accessLog()).toEqual(['200']);
  });

  it('reports which port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const functions: FunctionHost = { invoke: async () => ({ ok: true, payload: null }), invokeAsync: () => undefined };

    await expect(startGateway({ stack: stackOf({ routes: {} }), clock: new Clock(), functions, port })).rejects.toThrow(
      `Port ${port} is already in use. Choose another port with --port.`,
    );
    other.close();
  });

  it('closes at once, whatever is still open', async () => {
    const { call, gateway, events } = await start(
      { routes: { 'GET /': {} } },
      { work: () => new Promise(() => undefined) },
    );
    const waiting = call('GET /').catch((error: unknown) => error);
    while (events.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }

    await gateway.close();

    expect(await waiting).toBeInstanceOf(Error);
  });

  it.each([
    ['an unsupported integration', { routes: { 'GET /': { Integration: { Type: 'MOCK' } } } }, 'Integration'],
    ['an unknown property', { routes: { 'GET /': { ApiKeyRequired: true } } }, 'ApiKeyRequired'],
    [
      'a cache of responses',
      {
        routes: {},
        authorizers: { Auth: { Name: 'auth', Type: 'REQUEST', AuthorizerUri: invocationOf('auth') } },
      },
      'IdentitySource',
    ],
    [
      'an access log with unknown variables',
      { routes: {}, stage: { AccessLogSetting: { DestinationArn: functionArn('x'), Format: '$context.sourceIp' } } },
      'sourceIp',
    ],
  ])('does not start with %s', async (_, parts, named) => {
    await expect(start(parts)).rejects.toThrow(named);
  });
});

/** Returns what the gateway answers to exactly these bytes. */
async function rawAnswer(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(bytes);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
  }
  return answer;
}
