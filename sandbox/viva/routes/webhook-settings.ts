/** The key of the handshake for merchants and ISVs, and the registration of an ISV's address. */
import * as z from 'zod';
import { basicCaller, bearerCaller } from '../http/access.ts';
import { answer, apiRefusal, invalidField } from '../http/answers.ts';
import { bodyOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { isVerified } from '../webhooks/post.ts';
import { ISV_WEBHOOK_TYPES } from '../webhooks/recipients.ts';
import { newRoutes, type Routes } from './routes.ts';

const registration = z.looseObject({ url: z.url(), eventTypeId: z.int() });

export function merchantWebhookRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.get('/api/messages/config/token', (c) => answer({ Key: basicCaller(sim, c.req.raw).account.webhookKey }));
  return app;
}

export function isvWebhookRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.get('/isv/v1/webhooks/token', (c) => {
    bearerCaller(sim, c.req.raw, 'isv');
    return answer({ key: sim.accounts.isv.webhookKey });
  });
  app.post('/isv/v1/webhooks', async (c) => {
    bearerCaller(sim, c.req.raw, 'isv');
    const { url, eventTypeId } = await bodyOf(c.req.raw, registration, (where) => invalidField(sim, where));
    if (!ISV_WEBHOOK_TYPES.includes(eventTypeId)) {
      throw apiRefusal(sim, 400, 'IsvCreateWebhookFailedInvalidEventTypeId');
    }
    sim.recipients.register('isv', url, [eventTypeId]);
    if (!(await isVerified(sim, 'isv', eventTypeId))) {
      throw apiRefusal(sim, 400, 'IsvCreateWebhookFailedVerification');
    }
    return answer({ url, eventTypeId });
  });
  app.on(['GET', 'DELETE', 'PUT'], '/isv/v1/webhooks', () => answer(undefined, { status: 405 }));
  return app;
}
