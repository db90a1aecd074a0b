/**
 * The queue of webhooks: one item per subject. A webhook that comes before its subject is parked there. Neither can
 * miss the other: a webhook is stored before its subject is searched for, and a subject is written before its webhooks
 * are searched for.
 *
 * Storing a webhook twice changes nothing, because recipient and message id identify it. Of many webhooks about one
 * subject only the latest are kept, because acting reconciles the subject and not a single webhook.
 */

import type { Inbox, Webhook } from '../payments/items/inbox.ts';
import type { Patch, Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';
import { spent } from './read-budget.ts';
import { hasEffect, type WebhookBody } from './webhook.ts';

/** How long the woken function has until the webhook is due for the reconciler. */
const WAKE_MS = MINUTE_MS;
const MAX_WEBHOOKS = 50;
/**
 * If so many webhooks of a kind wait, and one of them is so young, another one is dropped: the reconciliation that they
 * wait for comes after it, too.
 */
const MAX_WAITING = 3;
const YOUNG_MS = MINUTE_MS;

export interface ReceivedWebhook {
  /** The merchant id, or `isv`, in the path of the webhook. */
  readonly recipient: string;
  readonly body: WebhookBody;
  readonly sourceIp: string;
}

/** Stores the webhook. Resolves to its subject if it should be acted on now. */
export async function storeWebhook(
  payments: Payments,
  received: ReceivedWebhook,
  now: number,
): Promise<string | undefined> {
  const { recipient, body } = received;
  const subject = await inboxOf(body, payments);
  const webhook = webhookOf(received, now);
  const waits = webhook.state === 'new';
  const first = { subject, merchantId: recipient, webhooks: [webhook], ...(waits && due(now + WAKE_MS)) };
  if (await payments.create('inbox', subject, first)) {
    return waits ? subject : undefined;
  }
  const { item, won } = await payments.claim('inbox', subject, (inbox) =>
    inbox.webhooks.some((known) => isSame(known, webhook)) ? undefined : added(inbox, webhook, now),
  );
  return won && waits && spent(item.spentUntil, now) !== undefined ? subject : undefined;
}

/** Whether no reconciliation has begun for it. */
export function isFresh({ state, attempts }: Webhook): boolean {
  return state === 'new' && attempts === 0;
}

/**
 * An RF order has one inbox, whether a webhook names our id or its order code. So one reconciliation is enough for all.
 */
async function inboxOf({ subject, orderCode }: WebhookBody, payments: Payments): Promise<string> {
  const pointer = subject === orderCode ? await payments.get('order-pointer', subject) : undefined;
  return pointer?.rfOrderId ?? subject;
}

/**
 * For the creator of a subject, after it was written: makes the webhooks that came before due. False if there are none.
 */
export async function unpark(payments: Payments, subject: string, now: number): Promise<boolean> {
  const inbox = await payments.get('inbox', subject);
  if (inbox === undefined) {
    return false;
  }
  const isParked = ({ state }: Webhook) => state === 'parked';
  const { won } = await payments.claim('inbox', subject, ({ webhooks }) =>
    webhooks.some(isParked)
      ? { webhooks: webhooks.map((one) => (isParked(one) ? { ...one, state: 'new' } : one)), ...due(now) }
      : undefined,
  );
  return won;
}

/** For an operator: the webhooks with an effect are new again, as if they had just come. */
export function requeued(
  inbox: Inbox,
  picks: (webhook: Webhook) => boolean,
  now: number,
): { readonly count: number; readonly patch: Patch<'inbox'> | undefined } {
  const isPicked = (one: Webhook) => one.state !== 'ignored' && picks(one);
  const count = inbox.webhooks.filter(isPicked).length;
  const again = { state: 'new' as const, attempts: 0, replayedAt: iso(now) };
  const webhooks = inbox.webhooks.map((one) => (isPicked(one) ? { ...one, ...again } : one));
  return { count, patch: count > 0 ? { webhooks, ...due(now) } : undefined };
}

export function isSame(one: Webhook, other: Webhook): boolean {
  return one.messageId === other.messageId && one.recipient === other.recipient;
}

/** Webhooks of one kind cause the same reconciliation. */
function isSameKind(one: Webhook, other: Webhook): boolean {
  return one.recipient === other.recipient && one.eventTypeId === other.eventTypeId;
}

function due(at: number): { dueAt: string } {
  return { dueAt: iso(at) };
}

/** Undefined if the webhook is dropped. */
function added(inbox: Inbox, webhook: Webhook, now: number): Patch<'inbox'> | undefined {
  if (webhook.state !== 'new') {
    return { webhooks: latest([...inbox.webhooks, webhook]) };
  }
  const waiting = inbox.webhooks.filter((known) => isFresh(known) && isSameKind(known, webhook));
  const surplus = waiting.length >= MAX_WAITING ? waiting[0] : undefined;
  if (surplus !== undefined && waiting.some(({ receivedAt }) => Date.parse(receivedAt) + YOUNG_MS > now)) {
    return undefined;
  }
  const { dueAt = '9' } = inbox;
  const byWake = iso(now + WAKE_MS);
  return {
    webhooks: latest([...inbox.webhooks.filter((one) => one !== surplus), webhook]),
    dueAt: dueAt < byWake ? dueAt : byWake,
  };
}

/** At most MAX_WEBHOOKS. Webhooks that wait are dropped last. */
function latest(webhooks: readonly Webhook[]): Webhook[] {
  const surplus = Math.max(0, webhooks.length - MAX_WEBHOOKS);
  const oldest = webhooks.filter(({ state }) => state !== 'new').slice(0, surplus);
  return webhooks.filter((one) => !oldest.includes(one)).slice(-MAX_WEBHOOKS);
}

function webhookOf({ recipient, body, sourceIp }: ReceivedWebhook, now: number): Webhook {
  const { messageId, eventTypeId, subject: _, subTypeId: __, ...named } = body;
  return {
    messageId,
    recipient,
    eventTypeId,
    receivedAt: iso(now),
    sourceIp,
    ...named,
    state: hasEffect(body) ? 'new' : 'ignored',
    attempts: 0,
  };
}
