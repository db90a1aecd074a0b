/** An origin of the platform: a loopback HTTP server that can also end a connection without an answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FOREIGN_CALLER, isByLoopbackName } from '../../own-callers.ts';

/** Undefined: end the connection without an answer. */
export type Answer = (request: Request, signal: AbortSignal) => Promise<Response | undefined>;

export interface Origin {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 256 * 1024;

/** Rejects when the port is in use. */
export async function listen(port: number, respond: Answer): Promise<Origin> {
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing, respond));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => close(server),
  };
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, respond: Answer): Promise<void> {
  // Origins are not checked: a payer's browser comes to the issuer's page from the page of a storefront.
  if (!isByLoopbackName(incoming.headers)) {
    outgoing.writeHead(403, { 'Content-Type': 'text/plain' }).end(FOREIGN_CALLER);
    return;
  }
  const left = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) {
      left.abort();
    }
  });
  try {
    const request = await requestOf(incoming);
    const response = request && (await respond(request, left.signal));
    if (response === undefined) {
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    // A bug of the simulator. It says so, because it must not look like an answer of the platform.
    outgoing.writeHead(500, { 'Content-Type': 'text/plain' }).end(`the simulator failed: ${error}`);
  }
}

/** Undefined for a body that is too large. */
async function requestOf(incoming: IncomingMessage): Promise<Request | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      return undefined;
    }
    chunks.push(chunk);
  }
  const method = incoming.method ?? 'GET';
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers.set(name, String(value));
  }
  const body = method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks);
  return new Request(new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`), {
    method,
    headers,
    body,
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
