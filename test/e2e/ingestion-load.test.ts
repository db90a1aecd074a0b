/** Webhooks and orders in large numbers; `npm run prove` sends 10,000 webhooks, `EVENTS=n` any number. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { postWebhook } from './forged-webhook.ts';
import { type Json, Till } from './till.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 200);
const ORDERS = EVENTS / 10;

const till = new Till();
const { merchantId, webhookUrl } = till.merchant;

/** For five minutes from then on everything is reconciled because of a webhook; the schedule comes later. */
beforeEach(() => till.reset());

/** Runs the work for 0 to `count` - 1 with limited concurrency, and resolves to the results in that order. */
async function inParallel<T>(count: number, atOnce: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) {
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Minutes of the sandbox's clock. */
async function minutes(): Promise<number> {
  return Date.parse((await till.control('GET', '/_sim/clock')).now) / 60_000;
}

it('many forged webhooks change nothing and cost five reads, and one more each minute', {
  timeout: 300_000,
}, async () => {
  const { rfOrderId, orderCode } = await till.orderRf();
  const before = { facts: await till.facts(), reads: (await till.reads()).length, minutes: await minutes() };
  const ofOurs = [{ MerchantTrns: rfOrderId, StatusId: 'F', Amount: 50 }, { OrderCode: orderCode }];
  const garbage = { MerchantTrns: `<${rfOrderId}>`, SessionId: '../' };
  const ofNobody = [
    () => ({ OrderCode: String(9_999_999_999_999_999n - BigInt(Math.floor(Math.random() * 1e15))) }),
    () => ({ MerchantTrns: randomUUID(), SessionId: randomUUID(), TransactionId: randomUUID() }),
  ];
  /** Half of them name our order, a tenth name something unknown, the others name nothing. */
  const forged = (n: number) => {
    const ofTwenty = n % 20;
    return ofTwenty < 10 ? ofOurs[n % 2] : (ofNobody[ofTwenty - 10]?.() ?? garbage);
  };

  const statuses = await inParallel(EVENTS, 3, (n) =>
    postWebhook(webhookUrl, { EventTypeId: 1796 + (n % 4), MessageId: randomUUID(), EventData: forged(n) }),
  );
  await till.pass(1);

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await till.facts()).toEqual(before.facts);
  const reconcilers = 5 + Math.ceil((await minutes()) - before.minutes);
  expect((await till.reads()).length - before.reads).toBeLessThanOrEqual(reconcilers);
});

it('odd order codes above 2^53 survive the way to the platform and back', { timeout: 300_000 }, async () => {
  await till.lose(1796, 2054); // The remaining webhook, 1799, names the order code and no id of ours.
  const orders: Json[] = [];
  for (const orderCodeType of ['number', 'string']) {
    await till.control('PATCH', '/_sim/switches', { orderCodeType });
    const half = await inParallel(ORDERS / 2, 3, async (n) => {
      const order = await till.orderRf({ amount: 1000 + orders.length + n });
      await till.payRf(order);
      return order;
    });
    orders.push(...half);
  }
  const codes = orders.map(({ orderCode }) => orderCode);
  expect(codes.filter((code) => !/^\d{15}[13579]$/.test(code) || BigInt(code) <= 2n ** 53n)).toEqual([]);
  expect(new Set(codes).size).toBe(ORDERS);

  const paid = async () => (await listed()).filter(({ status }) => status === 'paid').length;
  await expect.poll(paid, { timeout: 60_000, interval: 1_000 }).toBe(ORDERS);
  await till.pass(1); // An order is paid before the webhook in its inbox has its outcome.

  const stored = new Map((await till.items()).map((item) => [item.pk, item]));
  const shown = new Map((await listed()).map((order) => [order.rfOrderId, order]));
  const { entries } = await till.control('GET', '/_sim/ledger');
  const booked = Map.groupBy<string, Json>(entries, ({ merchantTrns }) => merchantTrns.slice(-36));
  for (const { rfOrderId, orderCode, amount } of orders) {
    const [credit, ...more] = booked.get(rfOrderId) ?? [];
    expect(more).toEqual([]);
    expect(credit).toMatchObject({ kind: 'rf_credit', orderCode, amount });
    expect(stored.get(`order-pointer#${orderCode}`)).toMatchObject({ rfOrderId });
    expect(stored.get(`rf-order#${rfOrderId}`)).toMatchObject({ orderCode });
    expect(stored.get(`inbox#${rfOrderId}`)).toMatchObject({
      subject: rfOrderId,
      webhooks: [{ eventTypeId: 1799, orderCode, outcome: 'paid' }],
    });
    const payments = [{ transactionId: credit.transactionId, amount }];
    expect(shown.get(rfOrderId)).toMatchObject({ orderCode, amountPaid: amount, overpaid: false, payments });
  }
  const asked = (await till.reads()).flatMap(
    ({ path, query }) => query.ordercode ?? path.split('/api/orders/').slice(1),
  );
  expect(new Set(asked)).toEqual(new Set(codes));
});

/** All RF orders as the API lists them. */
async function listed(): Promise<Json[]> {
  const orders: Json[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await till.api('GET', `/rf-orders?merchantId=${merchantId}&limit=100${cursor}`);
    orders.push(...body.items);
    if (body.next === undefined) {
      return orders;
    }
    cursor = `&cursor=${encodeURIComponent(body.next)}`;
  }
}
