/** Webhooks in the orders in which they may arrive. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { postWebhook } from './forged-webhook.ts';
import { type Json, Till } from './till.ts';

const till = new Till();
const { webhookUrl } = till.merchant;

/** For five minutes from then on everything is reconciled because of a webhook; the schedule comes later. */
beforeEach(() => till.reset());

it('a genuine webhook that follows forged ones is acted on within seconds', async () => {
  const order = await till.orderRf();
  for (let n = 0; n < 3; n++) {
    await postWebhook(webhookUrl, {
      EventTypeId: 1796,
      MessageId: randomUUID(),
      EventData: { MerchantTrns: order.rfOrderId },
    });
  }
  await till.pass(1);
  expect((await till.reads()).length).toBeGreaterThan(0);

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
  await till.pass(10);
  expect(await waiting()).toContain('new');

  await till.pass(900);
  await till.control('DELETE', `/_sim/faults/${faultId}`);

  const { status, late } = (await till.api('GET', `/rf-orders/${order.rfOrderId}`)).body;
  expect({ status, late }).toEqual({ status: 'paid', late: true });
  expect(await waiting()).not.toContain('new');
});

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
    const { webhooks } = await till.control('GET', `/_sim/webhooks?eventTypeId=${webhook.slice(0, 4)}`);
    await till.control(
      'POST',
      `/_sim/webhooks/${webhooks.at(webhook.endsWith('again') ? -1 : 0).messageId}/redeliver`,
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
