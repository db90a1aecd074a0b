/** How a webhook reaches its recipient: the handshake before the first one, the envelope, and the POST. */
import { createHmac } from 'node:crypto';
import { correlationId } from '../http/answers.ts';
import type { Simulator } from '../simulator.ts';
import type { Webhook } from './webhook.ts';

const ANSWER_TIMEOUT_MS = 5000;

export function newWebhook(sim: Simulator, recipient: string, eventTypeId: number, eventData: unknown): Webhook {
  return {
    messageId: sim.random.uuid(),
    eventTypeId,
    recipient,
    createdMs: sim.clock.now(),
    correlationId: correlationId(sim),
    eventData,
    attempts: [],
  };
}

/**
 * Posts a webhook, logs the attempt, and resolves to the status. `sourceIp` is the sender's address that a forged
 * webhook claims.
 */
export async function deliver(sim: Simulator, webhook: Webhook, sourceIp?: string): Promise<number | null> {
  const address = sim.recipients.find(webhook.recipient, webhook.eventTypeId);
  const at = new Date(sim.clock.now()).toISOString();
  const status = address === undefined ? null : await post(sim, webhook, address.url, sourceIp);
  webhook.attempts.push({ at, status });
  return status;
}

/**
 * Whether the recipient's address answered with its key. It is asked before the first webhook, and again after a
 * failure.
 */
export async function isVerified(sim: Simulator, recipient: string, eventTypeId: number): Promise<boolean> {
  const address = sim.recipients.find(recipient, eventTypeId);
  if (address === undefined) {
    return false;
  }
  address.handshake ??= shakeHands(sim, address.url, keyOf(sim, recipient));
  const verified = await address.handshake;
  if (!verified) {
    address.handshake = null;
  }
  return verified;
}

async function shakeHands(sim: Simulator, url: string, key: string): Promise<boolean> {
  try {
    const response = await sim.fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const body = (await response.json()) as { Key?: string; key?: string };
    return response.status === 200 && (body.Key ?? body.key) === key;
  } catch {
    return false;
  }
}

async function post(sim: Simulator, webhook: Webhook, url: string, sourceIp?: string): Promise<number | null> {
  const body = JSON.stringify(envelope(sim, webhook, url));
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (sourceIp !== undefined) {
    headers.set('X-Sandbox-Source-Ip', sourceIp);
  }
  if (sim.switches.get('webhookSignature') === 'header') {
    headers.set('X-Viva-Signature', createHmac('sha256', keyOf(sim, webhook.recipient)).update(body).digest('hex'));
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await sim.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

function envelope(sim: Simulator, webhook: Webhook, url: string) {
  const isv = webhook.recipient === 'isv';
  return {
    Url: url,
    EventData: webhook.eventData,
    Created: new Date(webhook.createdMs).toISOString().replace('Z', '0000Z'),
    CorrelationId: webhook.correlationId,
    EventTypeId: webhook.eventTypeId,
    Delay: null,
    RetryCount: webhook.attempts.length,
    RetryDelay: null,
    RetryDelayInSeconds: null,
    MessageId: webhook.messageId,
    RecipientId: isv ? sim.accounts.isv.resellerId : webhook.recipient,
    MessageTypeId: 512,
  };
}

function keyOf(sim: Simulator, recipient: string): string {
  return sim.accounts.find(recipient)?.webhookKey ?? sim.accounts.isv.webhookKey;
}
