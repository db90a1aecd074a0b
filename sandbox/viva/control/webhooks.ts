/** Control of webhooks: list them, send one again, forge one. */
import { Hono } from 'hono';
import * as z from 'zod';
import type { Simulator } from '../simulator.ts';
import type { Message } from '../webhooks/message.ts';
import { deliver, newMessage } from '../webhooks/post.ts';
import { ISV_EVENT_TYPES, MERCHANT_EVENT_TYPES } from '../webhooks/recipients.ts';
import { json, Problem, queryNumber, readBody, readQuery } from './problem.ts';

const query = z.strictObject({ eventTypeId: queryNumber, recipient: z.string().optional() });
const again = z.strictObject({ times: z.int().min(1).max(100).default(1), parallel: z.boolean().default(false) });
const forgery = z.strictObject({
  recipient: z.string(),
  eventTypeId: z.int(),
  eventData: z.unknown(),
  sourceIp: z.union([z.ipv4(), z.ipv6()], 'must be an IP address').optional(),
});

export function webhookRoutes(sim: Simulator): Hono {
  const app = new Hono();
  app.get('/_sim/webhooks', (c) => {
    const { eventTypeId, recipient } = readQuery(c.req.raw, query);
    const messages = [...sim.books.messages.values()].filter(
      (message) =>
        (eventTypeId === undefined || message.eventTypeId === eventTypeId) &&
        (recipient === undefined || message.recipient === recipient),
    );
    return json({ messages: messages.map(view), dropped: sim.books.messages.dropped });
  });
  app.post('/_sim/webhooks/forge', async (c) => {
    const { recipient, eventTypeId, eventData, sourceIp } = await readBody(c.req.raw, forgery);
    if (sim.recipients.find(recipient, eventTypeId) === undefined) {
      const valid = ['isv', ...sim.accounts.all.map(({ merchantId }) => merchantId)];
      const eventTypeIds = [...new Set([...MERCHANT_EVENT_TYPES, ...ISV_EVENT_TYPES])];
      throw new Problem(400, 'Nobody has registered an address for this event.', {
        valid: { recipient: valid, eventTypeId: eventTypeIds },
      });
    }
    const message = newMessage(sim, recipient, eventTypeId, eventData);
    const status = await deliver(sim, message, sourceIp);
    return json({ messageId: message.messageId, status });
  });
  app.post('/_sim/webhooks/:id/redeliver', async (c) => {
    const message = sim.books.messages.get(c.req.param('id'));
    if (message === undefined) {
      throw new Problem(404, 'There is no such message.');
    }
    const { times, parallel } = await readBody(c.req.raw, again);
    if (parallel) {
      await Promise.all(Array.from({ length: times }, () => deliver(sim, message)));
    } else {
      for (let time = 0; time < times; time++) {
        await deliver(sim, message);
      }
    }
    return json(view(message));
  });
  return app;
}

function view({ messageId, eventTypeId, recipient, attempts }: Message) {
  return { messageId, eventTypeId, recipient, attempts };
}
