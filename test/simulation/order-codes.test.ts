/** The codes of payment orders, on the way to the platform and back; `npm run prove` creates 1,000 orders, `ORDERS=n` any number. */
import { beforeEach, expect, it } from 'vitest';
import { inParallel } from './in-parallel.ts';
import { type Json, Till } from './till.ts';

const ORDERS = Number(process.env['ORDERS'] ?? 20);

const till = new Till();
const { merchantId } = till.merchant;

beforeEach(() => till.reset());

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
  await till.pass(60);
  expect(await paid()).toBe(ORDERS);

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
