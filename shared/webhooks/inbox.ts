/**
 * The queue of the webhooks: one item per subject. A message that comes before its subject is parked in it. Neither can
 * miss the other: whoever acts on a message stored it before it looks for the subject, and the creator of a subject
 * writes that down before it looks for messages.
 *
 * Putting a message twice changes nothing: it is known by recipient and message id. Of many messages about one subject
 * only the latest are kept: acting reads the platform about the subject and not about a message.
 */

import type { Inbox, Message } from '../payments/items.ts';
import type { Patch, Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';
import { hasEffect, type PlatformEvent } from './message.ts';
import { spent } from './read-budget.ts';

/** How long the wake-up call has before the reconciler looks itself. */
const WAKE_MS = MINUTE_MS;
const MAX_MESSAGES = 50;
/**
 * With so many of a kind that no look was begun for, and one of them so young, one more says nothing new: the look that is
 * to come is after it, too, and looks for what was told for long enough.
 */
const MAX_WAITING = 3;
const YOUNG_MS = MINUTE_MS;

export interface Arrival {
  /** The merchant id or `isv` of the path it came by. */
  readonly recipient: string;
  readonly event: PlatformEvent;
  readonly sourceIp: string;
}

/** Resolves, once the message is stored, to the subject that is worth acting on now. */
export async function receive(payments: Payments, arrival: Arrival, now: number): Promise<string | undefined> {
  const { recipient, event } = arrival;
  const subject = await inboxOf(event, payments);
  const message = messageOf(arrival, now);
  const waits = message.state === 'new';
  const first = { subject, merchantId: recipient, messages: [message], ...(waits && due(now + WAKE_MS)) };
  if (await payments.create('inbox', subject, first)) {
    return waits ? subject : undefined;
  }
  const { item, won } = await payments.claim('inbox', subject, (inbox) =>
    inbox.messages.some((known) => isSame(known, message)) ? undefined : added(inbox, message, now),
  );
  return won && waits && spent(item.spentUntil, now) !== undefined ? subject : undefined;
}

/** Whether a look is still to begin because of it. */
export function isFresh({ state, attempts }: Message): boolean {
  return state === 'new' && attempts === 0;
}

/** An RF order has one, whether it is named by our id or by its order code: then one look is enough for all. */
async function inboxOf({ subject, orderCode }: PlatformEvent, payments: Payments): Promise<string> {
  const pointer = subject === orderCode ? await payments.get('order-pointer', subject) : undefined;
  return pointer?.rfOrderId ?? subject;
}

/**
 * For the creator of a subject, once it is written down: what came before is acted on soon. False when nothing did.
 */
export async function unpark(payments: Payments, subject: string, now: number): Promise<boolean> {
  const inbox = await payments.get('inbox', subject);
  if (inbox === undefined) {
    return false;
  }
  const isParked = ({ state }: Message) => state === 'parked';
  const { won } = await payments.claim('inbox', subject, ({ messages }) =>
    messages.some(isParked)
      ? { messages: messages.map((one) => (isParked(one) ? { ...one, state: 'new' } : one)), ...due(now) }
      : undefined,
  );
  return won;
}

/** For an operator: messages with an effect wait again, as if they had just come. */
export function requeued(
  inbox: Inbox,
  picks: (message: Message) => boolean,
  now: number,
): { readonly count: number; readonly patch: Patch<'inbox'> | undefined } {
  const isPicked = (one: Message) => one.state !== 'ignored' && picks(one);
  const count = inbox.messages.filter(isPicked).length;
  const again = { state: 'new' as const, attempts: 0, replayedAt: iso(now) };
  const messages = inbox.messages.map((one) => (isPicked(one) ? { ...one, ...again } : one));
  return { count, patch: count > 0 ? { messages, ...due(now) } : undefined };
}

export function isSame(one: Message, other: Message): boolean {
  return one.messageId === other.messageId && one.recipient === other.recipient;
}

/** What look a message causes depends on these. */
function isSameKind(one: Message, other: Message): boolean {
  return one.recipient === other.recipient && one.eventTypeId === other.eventTypeId;
}

function due(at: number): { dueAt: string } {
  return { dueAt: iso(at) };
}

/** Undefined where the message says nothing new. */
function added(inbox: Inbox, message: Message, now: number): Patch<'inbox'> | undefined {
  if (message.state !== 'new') {
    return { messages: latest([...inbox.messages, message]) };
  }
  const waiting = inbox.messages.filter((known) => isFresh(known) && isSameKind(known, message));
  const surplus = waiting.length >= MAX_WAITING ? waiting[0] : undefined;
  if (surplus !== undefined && waiting.some(({ receivedAt }) => Date.parse(receivedAt) + YOUNG_MS > now)) {
    return undefined;
  }
  const { dueAt = '9' } = inbox;
  const byWake = iso(now + WAKE_MS);
  return {
    messages: latest([...inbox.messages.filter((one) => one !== surplus), message]),
    dueAt: dueAt < byWake ? dueAt : byWake,
  };
}

/** Those that wait are the last to give way. */
function latest(messages: readonly Message[]): Message[] {
  const surplus = Math.max(0, messages.length - MAX_MESSAGES);
  const oldest = messages.filter(({ state }) => state !== 'new').slice(0, surplus);
  return messages.filter((one) => !oldest.includes(one)).slice(-MAX_MESSAGES);
}

function messageOf({ recipient, event, sourceIp }: Arrival, now: number): Message {
  const { messageId, eventTypeId, subject: _, subTypeId: __, ...named } = event;
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
