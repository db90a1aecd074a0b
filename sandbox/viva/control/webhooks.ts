/** Control of webhooks: list them, send one again, forge one. */
import { Hono } from 'hono';
import * as z from 'zod';
import type { Simulator } from '../simulator.ts';
import { deliver, newWebhook } from '../webhooks/post.ts';
import { ISV_WEBHOOK_TYPES, MERCHANT_WEBHOOK_TYPES } from '../webhooks/recipients.ts';
import type { Webhook } from '../webhooks/webhook.ts';
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
    const webhooks = [...sim.books.webhooks.values()].filter(
      (webhook) =>
        (eventTypeId === undefined || webhook.eventTypeId === eventTypeId) &&
        (recipient === undefined || webhook.recipient === recipient),
    );
    return json({ webhooks: webhooks.map(view), dropped: sim.books.webhooks.dropped });
  });
  app.post('/_sim/webhooks/forge', async (c) => {
    const { recipient, eventTypeId, eventData, sourceIp } = await readBody(c.req.raw, forgery);
    if (sim.recipients.find(recipient, eventTypeId) === undefined) {
      const valid = ['isv', ...sim.accounts.all.map(({ merchantId }) => merchantId)];
      const eventTypeIds = [...new Set([...MERCHANT_WEBHOOK_TYPES, ...ISV_WEBHOOK_TYPES])];
      throw new Problem(400, 'Nobody has registered an address for webhooks of this type.', {
        valid: { recipient: valid, eventTypeId: eventTypeIds },
      });
    }
    const webhook = newWebhook(sim, recipient, eventTypeId, eventData);
    const status = await deliver(sim, webhook, sourceIp);
    return json({ messageId: webhook.messageId, status });
  });
  app.post('/_sim/webhooks/:id/redeliver', async (c) => {
    const webhook = sim.books.webhooks.get(c.req.param('id'));
    if (webhook === undefined) {
      throw new Problem(404, 'There is no such webhook.');
    }
    const { times, parallel } = await readBody(c.req.raw, again);
    if (parallel) {
      await Promise.all(Array.from({ length: times }, () => deliver(sim, webhook)));
    } else {
      for (let time = 0; time < times; time++) {
        await deliver(sim, webhook);
      }
    }
    return json(view(webhook));
  });
  return app;
}

function view({ messageId, eventTypeId, recipient, attempts }: Webhook) {
  return { messageId, eventTypeId, recipient, attempts };
}
