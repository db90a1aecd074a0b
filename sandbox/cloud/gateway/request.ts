/**
 * A request as it came over the wire, and the proxy event (version 1.0) that Lambda gets of it. Header names keep their
 * case, and a value that came more than once is whole only in the multi-value fields: both as API Gateway has it.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Api } from './api.ts';
import type { Route } from './routes.ts';

/** Plays the caller's address, in this sandbox only; functions never see it. */
const SOURCE_IP_HEADER = 'x-sandbox-source-ip';

export interface GatewayRequest {
  readonly requestId: string;
  readonly httpMethod: string;
  /** As it came, still percent-encoded. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly sourceIp: string;
  readonly receivedAt: number;
  readonly protocol: string;
}

export function readRequest(message: IncomingMessage, receivedAt: number): GatewayRequest {
  const [path = '/', ...query] = (message.url ?? '/').split('?');
  const pairs: [string, string][] = [];
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    pairs.push([message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '']);
  }
  const played = pairs.find(([name]) => name.toLowerCase() === SOURCE_IP_HEADER)?.[1];
  return {
    requestId: randomUUID(),
    httpMethod: message.method ?? 'GET',
    path,
    headers: pairs.filter(([name]) => name.toLowerCase() !== SOURCE_IP_HEADER),
    query: [...new URLSearchParams(query.join('?'))],
    sourceIp: played !== undefined && isIP(played) !== 0 ? played : (message.socket.remoteAddress ?? '127.0.0.1'),
    receivedAt,
    protocol: `HTTP/${message.httpVersion}`,
  };
}

/** The last value of a header, whatever the case of its name. */
export function header(request: GatewayRequest, name: string): string | undefined {
  return request.headers.findLast(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Everything of the event but the body. */
export function eventOf(
  request: GatewayRequest,
  route: Route,
  api: Api,
  authorizer?: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const headers = [...request.headers.filter(([name]) => !/^x-forwarded-/i.test(name)), ...forwarded(request)];
  return {
    resource: route.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: Object.fromEntries(headers),
    multiValueHeaders: multiValued(headers),
    queryStringParameters: request.query.length > 0 ? Object.fromEntries(request.query) : null,
    multiValueQueryStringParameters: request.query.length > 0 ? multiValued(request.query) : null,
    pathParameters: route.pathParameters,
    stageVariables: api.stage.Variables ?? null,
    requestContext: { ...requestContext(request, route, api), ...(authorizer !== undefined && { authorizer }) },
  };
}

function requestContext(request: GatewayRequest, route: Route, api: Api): Readonly<Record<string, unknown>> {
  return {
    resourceId: route.resourceId,
    resourcePath: route.resourcePath,
    httpMethod: request.httpMethod,
    extendedRequestId: request.requestId,
    requestTime: requestTime(request.receivedAt),
    path: request.path,
    accountId: api.account,
    protocol: request.protocol,
    stage: api.stage.StageName,
    domainName: header(request, 'host') ?? 'localhost',
    requestTimeEpoch: request.receivedAt,
    requestId: request.requestId,
    identity: {
      cognitoIdentityPoolId: null,
      accountId: null,
      cognitoIdentityId: null,
      caller: null,
      sourceIp: request.sourceIp,
      principalOrgId: null,
      accessKey: null,
      cognitoAuthenticationType: null,
      cognitoAuthenticationProvider: null,
      userArn: null,
      userAgent: header(request, 'user-agent') ?? null,
      user: null,
    },
    apiId: api.id,
  };
}

/** What the edge writes: the caller's own claim about where it comes from stays in, before the truth. */
function forwarded(request: GatewayRequest): [string, string][] {
  const claimed = header(request, 'x-forwarded-for');
  return [
    ['X-Forwarded-For', claimed === undefined ? request.sourceIp : `${claimed}, ${request.sourceIp}`],
    ['X-Forwarded-Port', '443'],
    ['X-Forwarded-Proto', 'https'],
  ];
}

function multiValued(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...grouped].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

/** As in `21/Nov/2026:09:30:00 +0000`. */
export function requestTime(atMs: number): string {
  const [, day, month, year, time] = new Date(atMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
