/** A request as received. Header names keep their case, as in API Gateway. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from './refusal.ts';

/** Simulates the caller's address, in this sandbox only; functions never see it. */
const SOURCE_IP_HEADER = 'x-sandbox-source-ip';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface GatewayRequest {
  readonly requestId: string;
  readonly httpMethod: string;
  /** As received, still percent-encoded. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly sourceIp: string;
  readonly receivedAt: number;
  readonly protocol: string;
  /** The connection of the request. */
  readonly port: string;
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
    port: String(message.socket.localPort ?? ''),
  };
}

/** The last value of a header, whatever the case of its name. */
export function header(request: GatewayRequest, name: string): string | undefined {
  return request.headers.findLast(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Reads even a body that is too long to its end; otherwise the caller would not get the answer. */
export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (length > MAX_BODY_BYTES) {
    throw new Refusal('REQUEST_TOO_LARGE');
  }
  return Buffer.concat(chunks);
}
