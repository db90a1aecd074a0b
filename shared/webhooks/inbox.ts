/**
 * The queue of webhooks: one item per subject. A message that comes before its subject is parked there. Neither can
 * miss the other: a message is stored before its subject is searched for, and a subject is written before its messages
 * are searched for.
 *
 * Storing a message twice changes nothing, because recipient and message id identify it. Of many messages about one
 * subject only the latest are kept, because acting reconciles the subject and not a single message.
 */

import type { Inbox, Message } from '../payments/items.ts';
import type { Patch, Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';
import { hasEffect, type PlatformEvent } from './message.ts';
import { spent } from './read-budget.ts';

/** How long the woken function has until the message is due for the reconciler. */
const WAKE_MS = MINUTE_MS;
const MAX_MESSAGES = 50;
/**
 * If so many messages of a kind wait, and one of them is so young, another one is dropped: the reconciliation that they
 * wait for comes after it, too.
 */
const MAX_WAITING = 3;
const YOUNG_MS = MINUTE_MS;

export interface Arrival {
  /** The merchant id, or `isv`, in the path of the webhook. */
  readonly recipient: string;
  readonly event: PlatformEvent;
  readonly sourceIp: string;
}

/** Stores the message. Resolves to its subject if it should be acted on now. */
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

/** Whether no reconciliation has begun for it. */
export function isFresh({ state, attempts }: Message): boolean {
  return state === 'new' && attempts === 0;
}

/**
 * An RF order has one inbox, whether a message names our id or its order code. So one reconciliation is enough for all.
 */
async function inboxOf({ subject, orderCode }: PlatformEvent, payments: Payments): Promise<string> {
  const pointer = subject === orderCode ? await payments.get('order-pointer', subject) : undefined;
  return pointer?.rfOrderId ?? subject;
}

/**
 * For the creator of a subject, after it was written: makes the messages that came before due. False if there are none.
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

/** For an operator: the messages with an effect are new again, as if they had just come. */
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

/** Messages of one kind cause the same reconciliation. */
function isSameKind(one: Message, other: Message): boolean {
  return one.recipient === other.recipient && one.eventTypeId === other.eventTypeId;
}

function due(at: number): { dueAt: string } {
  return { dueAt: iso(at) };
}

/** Undefined if the message is dropped. */
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

/** At most MAX_MESSAGES. Messages that wait are dropped last. */
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
