/** A request to the storefront API as its endpoints see it, read from API Gateway's proxy event. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

/** Who calls: what the authorizer found in the access token. */
export interface Caller {
  readonly client: string;
  readonly issuer: string;
  mayActFor(merchantId: string): boolean;
}

export interface ApiRequest {
  readonly requestId: string;
  /** Method and path of the route, as `POST /sales/{saleId}/abort`. */
  readonly route: string;
  /** Path as the caller sees it, with the stage; the route's where the path holds a secret. */
  readonly path: string;
  /** The address the request came from, as the gateway saw it. */
  readonly sourceIp: string;
  /** Parameters of the path, in lower case: all our ids are. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parameters of the path that are secrets, as they came. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Every value of a header, whatever the case of its name. */
  header(name: string): readonly string[];
  /** Undefined when there is none. */
  readonly body: Buffer | undefined;
  readonly caller: Caller;
}

/** What the authorizer passes on; API Gateway takes flat strings only. */
export interface AuthorizerContext {
  readonly client: string;
  readonly issuer: string;
  /** `all`, or ids separated by spaces. */
  readonly merchants: string;
  readonly scopes: string;
}

const ID = /^(card_)?[0-9a-f-]{32,36}$/;

/** Whether it looks like an id of ours; anything else in a path is the caller's own. */
export function isId(value: string | undefined): value is string {
  return value !== undefined && ID.test(value);
}

/** `secrets` names the path's parameters that are secrets. */
export function readApiRequest(event: APIGatewayProxyEvent, secrets: readonly string[] = []): ApiRequest {
  const headers = Object.entries(event.multiValueHeaders ?? {});
  const all = Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? ''] as const);
  const isSecret = ([name]: readonly [string, string]) => secrets.includes(name);
  return {
    requestId: event.requestContext.requestId,
    route: `${event.httpMethod} ${event.resource}`,
    path: all.some(isSecret) ? event.resource : (event.requestContext.path ?? event.path),
    sourceIp: event.requestContext.identity?.sourceIp ?? '',
    parameters: Object.fromEntries(
      all.filter((one) => !isSecret(one)).map(([name, value]) => [name, value.toLowerCase()]),
    ),
    secrets: Object.fromEntries(all.filter(isSecret)),
    query: (event.multiValueQueryStringParameters ?? {}) as Record<string, string[]>,
    header: (name) =>
      headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).flatMap(([, values]) => values ?? []),
    body: event.body ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined,
    caller: callerOf(event.requestContext.authorizer as Partial<AuthorizerContext> | null | undefined),
  };
}

function callerOf(context: Partial<AuthorizerContext> | null | undefined): Caller {
  const merchants = new Set((context?.merchants ?? '').split(' '));
  return {
    client: context?.client ?? '',
    issuer: context?.issuer ?? '',
    mayActFor: (merchantId) => merchants.has('all') || merchants.has(merchantId),
  };
}
