/** What a single HTTP call guarantees, on real sockets. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange } from '../../shared/viva/http.ts';

const http = { fetch: globalThis.fetch, now: Date.now };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (url: string, timeoutMs = 5_000) =>
  exchange(http, { call: 'POST /', method: 'POST', url, headers: {}, body: '{}', timeoutMs });

describe('one HTTP call', () => {
  it('uses its own connection, because a kept one may be dead by now', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.connection, request.socket.remotePort);
      response.end();
    });

    await post(url);
    await post(url);

    expect([seen[0], seen[2]]).toEqual(['close', 'close']);
    expect(seen[1]).not.toBe(seen[3]);
  });

  it('does not follow a redirect', async () => {
    let followed = 0;
    const other = await serve((_, response) => {
      followed++;
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(307, { location: other }).end());

    expect(await post(url)).toMatchObject({ kind: 'answer', status: 307 });
    expect(followed).toBe(0);
  });

  it('was not sent when nothing listens', async () => {
    const url = await serve(() => {});
    servers.splice(0).forEach((server) => void server.close());

    expect(await post(url)).toEqual({ kind: 'not_sent', cause: 'ECONNREFUSED' });
  });

  it('may have been sent when TLS fails, unless the certificate was refused', async () => {
    const url = await serve(() => {});

    expect(await post(url.replace('http:', 'https:'))).toMatchObject({ kind: 'no_answer' });
  });

  it.each<[string, RequestListener]>([
    ['is cut off before the answer', (request) => request.socket.destroy()],
    [
      'is cut off within the answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"transactionId"', () => response.destroy());
      },
    ],
    ['gets no answer in time', () => {}],
    ['gets only the headers of an answer in time', (_, response) => void response.writeHead(200).write('{')],
    ['gets an answer without an end', (_, response) => void response.write('x'.repeat(3 * 1024 * 1024))],
  ])('may have arrived when it %s', async (_, listener) => {
    expect(await post(await serve(listener), 500)).toMatchObject({ kind: 'no_answer' });
  });

  it('reports its duration and the platform’s ids, and drops malformed ids', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'X-Viva-EventId': '1100', 'X-Viva-CorrelationId': 'a sentence, not an id' });
      response.end('Ω');
    });

    expect(await post(url)).toEqual({
      kind: 'answer',
      status: 200,
      text: 'Ω',
      call: { call: 'POST /', status: 200, durationMs: expect.any(Number), eventId: '1100' },
    });
  });
});
