/**
 * The proxy event (version 1.0) that Lambda gets for a request. A header or parameter that was sent more than once is
 * complete only in the multi-value fields.
 */
import type { Api } from './api.ts';
import { type GatewayRequest, header } from './request.ts';
import type { Route } from './routes.ts';

/** Everything of the event except the body. */
export function eventOf(
  request: GatewayRequest,
  route: Route,
  api: Api,
  authorizer?: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const headers = [
    ...request.headers.filter(([name]) => !/^x-forwarded-(for|port|proto)$/i.test(name)),
    ...forwarded(request),
  ];
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

/** The headers that the edge adds. The caller's own claim about its address stays, before the real one. */
function forwarded(request: GatewayRequest): [string, string][] {
  const claimed = header(request, 'x-forwarded-for');
  return [
    ['X-Forwarded-For', claimed === undefined ? request.sourceIp : `${claimed}, ${request.sourceIp}`],
    ['X-Forwarded-Port', request.port],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function multiValued(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...grouped].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

/** For example `21/Nov/2026:09:30:00 +0000`. */
export function requestTime(atMs: number): string {
  const [, day, month, year, time] = new Date(atMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
