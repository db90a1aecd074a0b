/**
 * Called by the platform: GET is its handshake and returns the account's key; POST delivers a webhook. A webhook is
 * answered with 200 once it is stored. act-on-webhook then gets the id of its subject only; if that cannot be invoked,
 * the webhook is due and the reconciler finds it. Safe to repeat: a webhook is stored once, and a known one gets the
 * same answer.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { notFound } from '../../../shared/api/resources.ts';
import type { Wake } from '../../../shared/aws/wake.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import type { WebhookKey } from '../../../shared/viva/webhook-key.ts';
import { storeWebhook } from '../../../shared/webhooks/inbox.ts';
import type { IsPath } from '../../../shared/webhooks/path-tokens.ts';
import { readWebhook } from '../../../shared/webhooks/webhook.ts';

const MAX_BODY_BYTES = 64 * 1024;

export interface ReceiveWebhookDeps {
  readonly payments: Payments;
  readonly isPath: IsPath;
  readonly webhookKey: WebhookKey;
  readonly wake: Wake;
  /** Whether the platform is known to send from this address. */
  readonly isKnownSource: (sourceIp: string) => boolean;
  readonly count: (metric: WebhookMetric) => void;
  readonly now: () => number;
}

export type WebhookMetric = 'WebhookReceived' | 'WebhookFromUnlistedAddress' | 'WebhookWakeFailed';

export const receiveWebhook: Endpoint<ReceiveWebhookDeps> = {
  name: 'receive-webhook',
  query: 'any',
  secrets: ['pathToken'],
  run: async (request, deps, { remainingMs }) => {
    const accountId = request.parameters['accountId'] ?? '';
    // mutant logic: the route has both
    if (!(await deps.isPath(accountId, request.secrets['pathToken'] ?? ''))) {
      throw notFound();
    }
    if (request.route.startsWith('GET ')) {
      const key = await deps.webhookKey(accountId, remainingMs);
      return { status: 200, body: JSON.stringify({ Key: key, key }) };
    }
    return receive(accountId, request, deps);
  },
};

async function receive(recipient: string, request: ApiRequest, deps: ReceiveWebhookDeps): Promise<Answer> {
  const { payments, wake, isKnownSource, count, now } = deps;
  const { body = Buffer.alloc(0), sourceIp } = request;
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new Problem('BODY_TOO_LARGE', `A webhook may have at most ${MAX_BODY_BYTES} bytes.`);
  }
  const subject = await storeWebhook(payments, { recipient, body: readWebhook(body), sourceIp }, now());
  count('WebhookReceived');
  if (!isKnownSource(sourceIp)) {
    count('WebhookFromUnlistedAddress');
  }
  if (subject !== undefined) {
    await wake({ subject }).catch(() => count('WebhookWakeFailed'));
  }
  return { status: 200, body: '{}' };
}
