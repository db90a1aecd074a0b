/** How a webhook reaches its recipient: the handshake before the first one, the envelope, and the POST. */
import { createHmac } from 'node:crypto';
import { correlationId } from '../http/answers.ts';
import type { Simulator } from '../simulator.ts';
import type { Message } from './message.ts';

const ANSWER_TIMEOUT_MS = 5000;

export function newMessage(sim: Simulator, recipient: string, eventTypeId: number, eventData: unknown): Message {
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
 * Posts a message, logs the attempt, and resolves to the status. `sourceIp` is the sender's address that a forged
 * message claims.
 */
export async function deliver(sim: Simulator, message: Message, sourceIp?: string): Promise<number | null> {
  const address = sim.recipients.find(message.recipient, message.eventTypeId);
  const at = new Date(sim.clock.now()).toISOString();
  const status = address === undefined ? null : await post(sim, message, address.url, sourceIp);
  message.attempts.push({ at, status });
  return status;
}

/**
 * Whether the recipient's address answered with its key. It is asked before the first message, and again after a
 * failure.
 */
export async function isVerified(sim: Simulator, recipient: string, eventTypeId: number): Promise<boolean> {
  const address = sim.recipients.find(recipient, eventTypeId);
  if (address === undefined) {
    return false;
  }
  address.handshake ??= shakeHands(address.url, keyOf(sim, recipient));
  const verified = await address.handshake;
  if (!verified) {
    address.handshake = null;
  }
  return verified;
}

async function shakeHands(url: string, key: string): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const body = (await response.json()) as { Key?: string; key?: string };
    return response.status === 200 && (body.Key ?? body.key) === key;
  } catch {
    return false;
  }
}

async function post(sim: Simulator, message: Message, url: string, sourceIp?: string): Promise<number | null> {
  const body = JSON.stringify(envelope(sim, message, url));
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (sourceIp !== undefined) {
    headers.set('X-Sandbox-Source-Ip', sourceIp);
  }
  if (sim.switches.get('webhookSignature') === 'header') {
    headers.set('X-Viva-Signature', createHmac('sha256', keyOf(sim, message.recipient)).update(body).digest('hex'));
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

function envelope(sim: Simulator, message: Message, url: string) {
  const isv = message.recipient === 'isv';
  return {
    Url: url,
    EventData: message.eventData,
    Created: new Date(message.createdMs).toISOString().replace('Z', '0000Z'),
    CorrelationId: message.correlationId,
    EventTypeId: message.eventTypeId,
    Delay: null,
    RetryCount: message.attempts.length,
    RetryDelay: null,
    RetryDelayInSeconds: null,
    MessageId: message.messageId,
    RecipientId: isv ? sim.accounts.isv.resellerId : message.recipient,
    MessageTypeId: 512,
  };
}

function keyOf(sim: Simulator, recipient: string): string {
  return sim.accounts.find(recipient)?.webhookKey ?? sim.accounts.isv.webhookKey;
}
