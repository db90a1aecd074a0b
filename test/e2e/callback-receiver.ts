/** A storefront's receiver of callbacks, which verifies them as docs/api.md says. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readContract } from '../contract.ts';
import type { Json } from './till.ts';

export interface CallbackReceiver {
  readonly url: string;
  /** The status that it answers. */
  status: number;
  /** What it received, and whether the signature is ours. */
  readonly received: { readonly id: string; readonly verified: boolean; readonly event: Json }[];
  /** Throws if one of them was not what the document says. */
  close(): Promise<void>;
}

export async function openReceiver(secret: string): Promise<CallbackReceiver> {
  const contract = readContract();
  const complaints: unknown[] = [];
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
    const event = JSON.parse(body);
    receiver.received.push({ id, verified, event });
    try {
      contract.checkEvent(event);
    } catch (error) {
      complaints.push(error);
    }
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: CallbackReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tillflow`,
    status: 204,
    received: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (complaints.length > 0) {
        throw new AggregateError(complaints);
      }
    },
  };
  return receiver;
}
