/** A storefront against endpoints in memory: it sends what API Gateway would pass on, and reads what it would get. */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { createEndpointHandler, type Endpoint } from '../../shared/api/endpoint.ts';
import type { ExecutionInput, Executions } from '../../shared/flow/executions.ts';
import type { Account } from '../../shared/payments/items/account.ts';
import type { NewItem } from '../../shared/payments/store.ts';
import { MemoryPayments } from './payments.ts';

export const merchantId = '8d3a6c1e-52b4-4f0a-9a4e-6f1d2c3b4a59';
export const otherMerchantId = '1b9e7f60-3c2d-4e5f-8a6b-7c8d9e0f1a2b';
export const terminalId = '16001369';

export interface Sent {
  /** As in the route table. */
  readonly route: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON unless it is text, or bytes as the API receives them. */
  readonly body?: unknown;
  readonly client?: string;
  readonly merchants?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the test expects it to be
  readonly body: any;
}

/** The environment of an endpoint: the tables, the executions and the clock. */
export class Shop {
  now = Date.parse('2026-11-21T09:00:00.000Z');
  readonly payments = new MemoryPayments(() => this.now);
  readonly started: { readonly name: string; readonly input: ExecutionInput }[] = [];
  /** Set to make StartExecution fail. */
  outage: Error | undefined;
  readonly executions: Executions = {
    arnOf: (name) => `arn:aws:states:eu-west-1:1:execution:payment:${name}`,
    start: async (name, input) => {
      if (this.outage !== undefined) {
        throw this.outage;
      }
      this.started.push({ name, input });
    },
  };
  readonly deps = {
    payments: this.payments,
    executions: this.executions,
    stackId: 'stack-1',
    now: () => this.now,
    sleep: async (ms: number) => {
      this.now += ms;
      await Promise.resolve();
    },
  };

  constructor() {
    this.payments.put('account', merchantId, account({}));
    this.payments.put('account', otherMerchantId, account({ merchantId: otherMerchantId, terminals: ['16009999'] }));
  }
}

export function account(settings: Partial<Account>): NewItem<'account'> {
  return {
    merchantId,
    mode: 'merchant',
    country: 'GR',
    currency: 'EUR',
    industry: 'Hospitality',
    terminalApi: 'merchant',
    isvCapture: 'reseller',
    terminals: [terminalId, '16001370'],
    returnUrls: [],
    captureDays: 5,
    sendSessionRedirectUrl: true,
    ...settings,
  };
}

export async function call<Deps>(endpoint: Endpoint<Deps>, deps: Deps, sent: Sent): Promise<Got> {
  const handler = createEndpointHandler(endpoint, deps, {
    logger: new Logger({ logLevel: 'SILENT' }),
    metrics: new Metrics({ namespace: 'tillflow', serviceName: endpoint.name, logger: quiet }),
  });
  const context = { getRemainingTimeInMillis: () => 24_000, functionName: endpoint.name } as Context;
  const result: APIGatewayProxyResult = await handler(proxyEvent(sent), context);
  return {
    status: result.statusCode,
    headers: result.headers ?? {},
    text: result.body,
    body: result.body === '' ? undefined : JSON.parse(result.body),
  };
}

const nothing = () => {};
const quiet = { ...console, log: nothing, info: nothing, warn: nothing, debug: nothing };

function proxyEvent(sent: Sent): APIGatewayProxyEvent {
  const { parameters = {}, query = {}, headers = {}, client = 'till', merchants = 'all' } = sent;
  const [httpMethod = '', resource = ''] = sent.route.split(' ');
  const path = `/v1${resource.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '')}`;
  const bytes = bytesOf(sent.body);
  const sentHeaders = { ...(bytes !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  const lists = (values: Readonly<Record<string, string | readonly string[]>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value].flat()]));
  return {
    httpMethod,
    resource,
    path,
    pathParameters: parameters,
    multiValueQueryStringParameters: lists(query),
    multiValueHeaders: lists(sentHeaders),
    body: bytes?.toString('base64') ?? null,
    isBase64Encoded: bytes !== undefined,
    requestContext: {
      requestId: 'request-1',
      path,
      authorizer: { client, issuer: 'https://issuer.example', merchants, scopes: '' },
    },
  } as unknown as APIGatewayProxyEvent;
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) {
    return body;
  }
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
