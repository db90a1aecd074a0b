/** A request to the storefront API, read from the proxy event of API Gateway. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

/** The caller, as the authorizer found it in the access token. */
export interface Caller {
  readonly client: string;
  readonly issuer: string;
  mayActFor(merchantId: string): boolean;
}

export interface ApiRequest {
  readonly requestId: string;
  /** Method and path of the route, for example `POST /sales/{saleId}/abort`. */
  readonly route: string;
  /** The path that the caller sees, with the stage. The route's path if the path contains a secret. */
  readonly path: string;
  /** The source address of the request, as the gateway saw it. */
  readonly sourceIp: string;
  /** The path parameters, in lower case like all our ids. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The path parameters that are secrets, unchanged. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** All values of a header. The case of the name makes no difference. */
  header(name: string): readonly string[];
  /** Undefined if there is no body. */
  readonly body: Buffer | undefined;
  readonly caller: Caller;
}

/** The context that the authorizer passes on. API Gateway accepts flat strings only. */
export interface AuthorizerContext {
  readonly client: string;
  readonly issuer: string;
  /** `all`, or ids separated by spaces. */
  readonly merchants: string;
  readonly scopes: string;
}

const ID = /^(card_)?[0-9a-f-]{32,36}$/;

/** Whether the text has the form of our ids. Other path parameters are the caller's own text. */
export function isId(value: string | undefined): value is string {
  return value !== undefined && ID.test(value);
}

/** `secrets`: the names of the path parameters that are secrets. */
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
