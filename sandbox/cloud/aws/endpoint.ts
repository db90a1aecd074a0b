/**
 * The single address of all AWS clients of the sandbox. It identifies the caller (each worker signs with its own key
 * id), the service and the operation, lets the policies decide, and answers in the SDK's format.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FOREIGN_CALLER, isOwnCaller } from '../../own-callers.ts';
import type { Caller } from '../functions/runtime.ts';
import type { Call } from '../iam.ts';
import { AwsError } from '../seams.ts';
import type { TableCall } from './dynamodb.ts';
import type { InvokeRequest } from './lambda.ts';
import type { AwsService } from './service.ts';

/** The access key id of the sandbox itself, which may do everything. */
export const adminKeyId = 'AKIDSANDBOXADMIN';

interface EndpointServices {
  /** Services with the AWS JSON protocols, by the prefix of their `x-amz-target`. */
  readonly json: Readonly<Record<string, AwsService>>;
  readonly dynamoDb: (call: TableCall) => Promise<WireAnswer>;
  readonly lambda: (request: InvokeRequest) => Promise<WireAnswer>;
  readonly callerOf: (accessKeyId: string) => Caller | undefined;
  readonly authorize: (roleArn: string, call: Call) => void;
  /** Reports DynamoDB writes on behalf of an execution. */
  readonly onWrites: (executionName: string, count: number) => void;
}

export interface Endpoint {
  readonly url: string;
  /** Starts answering calls; the services need the address before they exist. */
  serve(services: EndpointServices): void;
  close(): Promise<void>;
}

interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const DYNAMODB_TARGET = 'DynamoDB_20120810';

export async function startEndpoint(): Promise<Endpoint> {
  let services: EndpointServices | undefined;
  const server = createServer((request, response) => {
    void answer(services, request).then((wire) => write(response, wire));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (given) => {
      services = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(services: EndpointServices | undefined, request: IncomingMessage): Promise<WireAnswer> {
  try {
    if (!isOwnCaller(request.headers)) {
      throw new AwsError('AccessDeniedException', FOREIGN_CALLER, 403);
    }
    if (services === undefined) {
      throw new AwsError('ServiceUnavailableException', 'the local cloud is still starting', 503);
    }
    const body = await bodyOf(request);
    const caller = callerOf(services, request);
    const authorize = (call: Call) => caller === 'admin' || services.authorize(caller.roleArn, call);
    const executionName = caller === 'admin' ? undefined : caller.executionName;
    const [service = '', operation = ''] = header(request, 'x-amz-target').split('.');

    if (service === DYNAMODB_TARGET) {
      const onWrites = (count: number) => executionName !== undefined && services.onWrites(executionName, count);
      return await services.dynamoDb({ operation, body, authorize, onWrites });
    }
    if (service === '') {
      const { pathname } = new URL(request.url ?? '/', 'http://endpoint');
      const invocationType = header(request, 'x-amz-invocation-type');
      return await services.lambda({ path: pathname, invocationType, body, authorize });
    }
    const json = services.json[service];
    if (json === undefined) {
      throw new AwsError('UnknownOperationException', `the local cloud does not know the service ${service}`);
    }
    const output = await json({ operation, input: JSON.parse(body), authorize, executionName });
    return { status: 200, headers: {}, body: JSON.stringify(output) };
  } catch (error) {
    return failed(error);
  }
}

function callerOf({ callerOf }: EndpointServices, request: IncomingMessage): Caller | 'admin' {
  const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(header(request, 'authorization')) ?? [];
  if (accessKeyId === adminKeyId) {
    return 'admin';
  }
  const caller = callerOf(accessKeyId);
  if (caller === undefined) {
    throw new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.', 403);
  }
  return caller;
}

/** An error that is not an AwsError is a gap of the local cloud: it is answered as a 4xx, so that no client retries it. */
function failed(error: unknown): WireAnswer {
  const known = error instanceof AwsError ? error : new AwsError('SandboxException', String(error));
  const { code, message, status } = known;
  return { status, headers: { 'x-amzn-errortype': code }, body: JSON.stringify({ __type: code, message }) };
}

function write(response: ServerResponse, { status, headers, body }: WireAnswer): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
    ...headers,
  });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}
