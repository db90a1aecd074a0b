/**
 * The queue of the webhooks: one item per subject, in which messages and whatever they are about meet. A message that
 * comes before its subject is parked there, and the creator of a subject finds it, because both write the same item.
 *
 * Putting a message twice changes nothing: it is known by recipient and message id. Of many messages about one subject
 * only the latest are kept: acting reads the platform about the subject and not about a message.
 */
import type { Inbox, Message } from '../items.ts';
import type { Patch, Payments } from '../payments.ts';
import { hasEffect, type PlatformEvent } from './event.ts';

/** How long the nudge has before the reconciler looks itself. */
export const NUDGE_MS = 60_000;
const MAX_MESSAGES = 50;

export interface Arrival {
  /** The merchant id or `isv` of the path it came by. */
  readonly recipient: string;
  readonly event: PlatformEvent;
  readonly sourceIp: string;
}

/** Resolves, once the message is stored, to whether it is worth acting now. */
export async function receive(payments: Payments, arrival: Arrival, now: number): Promise<boolean> {
  const { recipient, event } = arrival;
  const message = messageOf(arrival, now);
  const waits = message.state === 'new';
  const first = {
    subject: event.subject,
    merchantId: recipient,
    messages: [message],
    ...(waits && due(now + NUDGE_MS)),
  };
  if (await payments.create('message', event.subject, first)) {
    return waits;
  }
  let actNow = false;
  await payments.change('message', event.subject, (inbox) => {
    const patch = inbox.messages.some((known) => isSame(known, message)) ? undefined : added(inbox, message, now);
    actNow = patch !== undefined && waits && (inbox.quietUntil ?? '') <= iso(now);
    return patch;
  });
  return actNow;
}

/**
 * For the creator of an order, once its order code is written down: messages that name only the order code lead to the
 * order from here on, and those that came before are acted on.
 */
export async function joinOrder(
  payments: Payments,
  {
    rfOrderId,
    merchantId,
    orderCode,
  }: { readonly rfOrderId: string; readonly merchantId: string; readonly orderCode: string },
  now: number,
): Promise<void> {
  const fresh = { subject: orderCode, merchantId, messages: [], rfOrderId };
  if (await payments.create('message', orderCode, fresh, { listed: false })) {
    return;
  }
  await payments.change('message', orderCode, (inbox) => {
    if (inbox.rfOrderId !== undefined) {
      return undefined;
    }
    const messages = inbox.messages.map((one) => (one.state === 'parked' ? { ...one, state: 'new' as const } : one));
    return { rfOrderId, messages, ...(messages.some(({ state }) => state === 'new') && due(now)) };
  });
}

export function isSame(one: Message, other: Message): boolean {
  return one.messageId === other.messageId && one.recipient === other.recipient;
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function due(at: number): { dueAt: string } {
  return { dueAt: iso(at) };
}

function added(inbox: Inbox, message: Message, now: number): Patch<'message'> {
  const messages = [...inbox.messages, message].slice(-MAX_MESSAGES);
  const byNudge = iso(now + NUDGE_MS);
  const { quietUntil = byNudge } = inbox;
  const dueAt = inbox.dueAt ?? (quietUntil > byNudge ? quietUntil : byNudge);
  return message.state === 'new' ? { messages, dueAt } : { messages };
}

function messageOf({ recipient, event, sourceIp }: Arrival, now: number): Message {
  const { messageId, eventTypeId, subject: _, ...named } = event;
  return {
    messageId,
    recipient,
    eventTypeId,
    receivedAt: iso(now),
    sourceIp,
    ...named,
    state: hasEffect(event) ? 'new' : 'ignored',
    attempts: 0,
  };
}
