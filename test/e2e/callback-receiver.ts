/** A storefront’s receiver of callbacks, which verifies them as docs/api.md says. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './till.ts';

export interface CallbackReceiver {
  readonly url: string;
  /** The status that it answers. */
  status: number;
  /** What it received, and whether the signature is ours. */
  readonly received: { readonly id: string; readonly verified: boolean; readonly event: Json }[];
  close(): Promise<void>;
}

export async function openReceiver(secret: string): Promise<CallbackReceiver> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const header = (name: string) => String(request.headers[name]);
    const id = header('webhook-id');
    const signed = `${id}.${header('webhook-timestamp')}.${body}`;
    const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(signed)
      .digest();
    const given = Buffer.from(header('webhook-signature').slice(3), 'base64');
    const verified = given.length === expected.length && timingSafeEqual(given, expected);
    receiver.received.push({ id, verified, event: JSON.parse(body) });
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: CallbackReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tillflow`,
    status: 204,
    received: [],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
