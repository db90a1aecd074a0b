/**
 * What the platform calls: GET is its handshake, which wants the account's key; POST brings a message. It is answered
 * 200 once it is stored, and whatever follows happens later: the function that acts gets the subject's id and nothing of
 * the message, and if it cannot be asked the reconciler finds the message due.
 *
 * Safe to repeat: a message is stored once, and a known one is answered like a new one.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import type { ApiRequest } from '../../../shared/api/request.ts';
import { notFound } from '../../../shared/api/resources.ts';
import type { Wake } from '../../../shared/aws/wake.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import type { WebhookKey } from '../../../shared/viva/webhook-key.ts';
import { receive } from '../../../shared/webhooks/inbox.ts';
import { readEvent } from '../../../shared/webhooks/message.ts';
import type { IsPath } from '../../../shared/webhooks/path-tokens.ts';

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
    return store(accountId, request, deps);
  },
};

async function store(recipient: string, request: ApiRequest, deps: ReceiveWebhookDeps): Promise<Answer> {
  const { payments, wake, isKnownSource, count, now } = deps;
  const { body = Buffer.alloc(0), sourceIp } = request;
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new Problem('BODY_TOO_LARGE', `A message may have at most ${MAX_BODY_BYTES} bytes.`);
  }
  const event = readEvent(body);
  const subject = await receive(payments, { recipient, event, sourceIp }, now());
  count('WebhookReceived');
  if (!isKnownSource(sourceIp)) {
    count('WebhookFromUnlistedAddress');
  }
  if (subject !== undefined) {
    await wake({ subject }).catch(() => count('WebhookWakeFailed'));
  }
  return { status: 200, body: '{}' };
}
