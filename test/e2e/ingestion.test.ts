/** Webhooks in the numbers and orders in which they may arrive; `npm run prove` sends 10,000, `EVENTS=n` any number. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { beforeEach, expect, it } from 'vitest';
import { type Json, Till } from './till.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 500);
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

const agent = new Agent({ keepAlive: true });

/** Resolves to the status. Like the platform it repeats what was answered with 503, but at once. */
async function post(message: object, again = 3): Promise<number | undefined> {
  const status = await postOnce(message);
  return status === 503 && again > 0 ? post(message, again - 1) : status;
}

/** Without `fetch`, because ten thousand calls of it cost more than what they call. */
function postOnce(message: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { agent, method: 'POST', headers: { 'content-type': 'application/json' } };
    request(webhookUrl, options, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', reject)
      .end(JSON.stringify(message));
  });
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

  const statuses = await inParallel(EVENTS, 8, (n) =>
    post({ EventTypeId: 1796 + (n % 4), MessageId: randomUUID(), EventData: forged(n) }),
  );
  await till.pass(1);

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await till.facts()).toEqual(before.facts);
  const reconcilers = 5 + Math.ceil((await minutes()) - before.minutes);
  expect((await till.reads()).length - before.reads).toBeLessThanOrEqual(reconcilers);
});

it('a genuine webhook that follows forged ones is acted on within seconds', async () => {
  const order = await till.orderRf();
  for (let n = 0; n < 3; n++) {
    await post({ EventTypeId: 1796, MessageId: randomUUID(), EventData: { MerchantTrns: order.rfOrderId } });
  }
  await expect.poll(async () => (await till.reads()).length).toBeGreaterThan(0);

  await till.payRf(order);

  await till.until(`/rf-orders/${order.rfOrderId}`, ({ status }) => status === 'paid', 20);
});

it('a payment is found by a webhook that arrives before any list shows it, although its order has expired', async () => {
  const order = await till.orderRf({ expiresInSeconds: 60 });
  await till.pass(1_200);
  expect((await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body.status).toBe('expired');
  const match = { path: '/api/transactions' };
  const { faultId } = await till.control('POST', '/_sim/faults', {
    name: 'list_lag',
    match,
    times: null,
    delaySeconds: 119,
  });
  await till.payRf(order);
  const waiting = async () => (await till.inboxes()).flatMap(({ webhooks }) => webhooks).map(({ state }) => state);
  await expect.poll(waiting, { timeout: 10_000 }).toContain('new');

  await till.pass(900);
  await till.control('DELETE', `/_sim/faults/${faultId}`);

  const { status, late } = (await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body;
  expect({ status, late }).toEqual({ status: 'paid', late: true });
  expect(await waiting()).not.toContain('new');
});

it('odd order codes above 2^53 survive the way to the platform and back', { timeout: 300_000 }, async () => {
  await till.lose(1796, 2054); // The remaining webhook, 1799, names the order code and no id of ours.
  const orders: Json[] = [];
  for (const orderCodeType of ['number', 'string']) {
    await till.control('PATCH', '/_sim/switches', { orderCodeType });
    const half = await inParallel(ORDERS / 2, 10, async (n) => {
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

/** All permutations of the list. */
function permutations<T>(list: readonly T[]): T[][] {
  return list.length === 0
    ? [[]]
    : list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

/** The five webhooks of a payment and its return, each as its type and how many of that type came before. */
const sequences = permutations(['1796', '1799', '2054', '1797', '2054 again'])
  .filter((_, n) => n % 12 === 5)
  .map((all, n) => ({ lost: all[n % 5]!, twice: all[(n + 2) % 5]!, all }))
  .map(({ lost, twice, all }) => ({ lost, delivered: [...all, twice].filter((webhook) => webhook !== lost) }))
  .map(({ lost, delivered }) => ({ lost, delivered, story: delivered.join(', ') }));

it.each(sequences)('a returned payment is recognized by the webhooks $story, without $lost', async ({ delivered }) => {
  await till.lose(1796, 1797, 1799, 2054);
  const order = await till.orderRf();
  const { transferId } = await till.payRf(order);
  let returned = false;
  for (const webhook of delivered) {
    if (/^1797|again$/.test(webhook) && !returned) {
      await till.control('POST', `/_sim/bank/transfers/${transferId}/return`);
      returned = true;
    }
    const { messages } = await till.control('GET', `/_sim/webhooks?eventTypeId=${webhook.slice(0, 4)}`);
    await till.control(
      'POST',
      `/_sim/webhooks/${messages.at(webhook.endsWith('again') ? -1 : 0).messageId}/redeliver`,
      {},
    );
    await till.pass(1);
  }
  await till.pass(3_700);

  const { status, amountPaid, payments } = (await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body;
  const { entries, totals } = await till.control('GET', '/_sim/ledger');
  const credits = entries.filter(({ kind }: Json) => kind === 'rf_credit');
  expect({ status, amountPaid }).toEqual({ status: 'reversed', amountPaid: totals.net });
  expect(payments).toEqual([expect.objectContaining({ transactionId: credits[0].transactionId, reversed: true })]);
});
