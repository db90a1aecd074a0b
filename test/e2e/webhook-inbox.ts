/** A receiver of webhooks that answers the handshake and keeps what it received. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Inbox {
  readonly url: string;
  key: string;
  /** The status that it answers to a webhook. */
  status: number;
  handshakes: number;
  // biome-ignore lint/suspicious/noExplicitAny: webhooks are read as the tests need them
  readonly received: { readonly text: string; readonly json: any; readonly sourceIp: string | undefined }[];
  reset(): void;
  close(): Promise<void>;
}

export async function openInbox(): Promise<Inbox> {
  const server = createServer(async (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET') {
      inbox.handshakes++;
      response.end(JSON.stringify({ Key: inbox.key }));
      return;
    }
    const text = Buffer.concat(await request.toArray()).toString();
    const sourceIp = request.headers['x-sandbox-source-ip'];
    inbox.received.push({ text, json: JSON.parse(text), sourceIp: sourceIp?.toString() });
    response.writeHead(inbox.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const inbox: Inbox = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    key: '',
    status: 200,
    handshakes: 0,
    received: [],
    reset() {
      this.status = 200;
      this.handshakes = 0;
      this.received.length = 0;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return inbox;
}
