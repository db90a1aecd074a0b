/**
 * A function may die after any of its calls: the other side has answered, and the answer is lost. Each story runs once
 * per call with a death there, and once without; it must end the same way. A death after more calls than a story makes
 * must not happen, so a call that is added to a function has to be added here.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const till = new Till();
const { merchantId } = till.merchant;

/** After this time warm functions have forgotten the credentials and access tokens that they had in the story before. */
const FORGOTTEN_SECONDS = 4_000;

beforeAll(() => till.pass(FORGOTTEN_SECONDS));
beforeEach(() => till.reset());

/** Only this webhook about a payment arrives, so that no other one repairs what its own left undone. */
const onlyWebhook = (eventTypeId: number) =>
  till.lose(...[1796, 1799, 1802, 2054].filter((one) => one !== eventTypeId));

/** A storefront that gets no answer repeats the request with the same key. */
async function orderIsCreated(): Promise<Json> {
  const body = { merchantId, amount: 5000, currency: 'EUR' };
  const key = randomUUID();
  await till.api('POST', '/rf-orders', body, { key });
  await till.pass(600);
  const answer = await till.api('POST', '/rf-orders', body, { key });
  const order = await till.until(`/rf-orders/${answer.body.rfOrderId}`, ({ status }) => status === 'pending');
  expect([201, 202]).toContain(answer.status);
  expect([order.rfCode, undefined]).toContain(answer.body.rfCode);
  return paid(order);
}

async function orderIsPaid(): Promise<Json> {
  return paid(await till.orderRf());
}

async function paid(order: Json): Promise<Json> {
  await till.payRf(order);
  await till.pass(FORGOTTEN_SECONDS);
  const { status, amountPaid, overpaid, payments } = await till.final(`/rf-orders/${order.rfOrderId}`);
  return { status, amountPaid, overpaid, ...(await leftBy(payments)) };
}

async function cardIsTapped(): Promise<Json> {
  await till.control('PATCH', `/_sim/terminals/${till.terminalId}`, { mode: 'manual' });
  const { saleId } = await till.startSale({ tokenize: false });
  await till.betweenAttempts(saleId);
  await till.control('POST', `/_sim/terminals/${till.terminalId}/actions`, { action: 'tap', card: 'visa' });
  await till.pass(1);
  await till.pass(FORGOTTEN_SECONDS);
  const { status, transactionId, totals } = await till.final(`/sales/${saleId}`);
  return { status, net: totals.net, ...(await leftBy([{ transactionId }])) };
}

/** The ledger, the published events and the inboxes at rest. */
async function leftBy(payments: readonly Json[]): Promise<Json> {
  const { entries } = await till.control('GET', '/_sim/ledger');
  const { events } = await till.control('GET', '/_cloud/events');
  const inboxes = await till.inboxes();
  return {
    booked: entries.map(({ kind, amount }: Json) => `${kind} ${amount}`),
    agrees: String(payments.map((one) => one.transactionId)) === String(entries.map((one: Json) => one.transactionId)),
    withEvent: [...new Map(events.map(({ detail }: Json) => [detail.id, detail.type])).values()],
    webhooks: inboxes.flatMap(({ webhooks }) => webhooks.map((one: Json) => `${one.eventTypeId} ${one.state}`)),
    due: inboxes.filter(({ dueAt }) => dueAt !== undefined),
  };
}

const orderEnd = {
  status: 'paid',
  amountPaid: 5000,
  overpaid: false,
  booked: ['rf_credit 5000'],
  agrees: true,
  withEvent: ['tillflow.rf-order.paid.v1'],
  due: [],
};
const saleEnd = {
  status: 'paid',
  net: 1500,
  booked: ['sale 1500'],
  agrees: true,
  withEvent: ['tillflow.sale.paid.v1'],
  due: [],
};

const stories = [
  {
    name: 'create-rf-order',
    when: 'when it creates an order',
    webhook: 1796,
    calls: 21,
    live: orderIsCreated,
    end: orderEnd,
  },
  { name: 'receive-webhook', when: 'about a payment', webhook: 1796, calls: 3, live: orderIsPaid, end: orderEnd },
  { name: 'receive-webhook', when: 'about a price', webhook: 1799, calls: 4, live: orderIsPaid, end: orderEnd },
  { name: 'act-on-webhook', when: 'about a price', webhook: 1799, calls: 21, live: orderIsPaid, end: orderEnd },
  {
    name: 'act-on-webhook',
    when: 'about money on the account',
    webhook: 2054,
    calls: 28,
    live: orderIsPaid,
    end: orderEnd,
  },
  { name: 'act-on-webhook', when: 'about a tapped card', webhook: 1802, calls: 17, live: cardIsTapped, end: saleEnd },
];

describe.each(stories)('$name $when', ({ name, webhook, calls, live, end }) => {
  it.each(Array.from({ length: calls + 1 }, (_, n) => n))(
    'reaches the same end when it dies after call %i',
    async (afterCall) => {
      await onlyWebhook(webhook);
      await till.kill(name, afterCall);

      expect(await live()).toEqual({ ...end, webhooks: [`${webhook} acted`] });

      expect(await till.deaths(name)).toBe(1);
    },
  );

  it(`makes ${calls} calls and no more`, async () => {
    await onlyWebhook(webhook);
    await till.kill(name, calls + 1);

    expect(await live()).toEqual({ ...end, webhooks: [`${webhook} acted`] });

    expect(await till.deaths(name)).toBe(0);
  });
});
