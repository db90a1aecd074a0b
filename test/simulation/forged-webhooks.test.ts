/** A flood of forged webhooks; `npm run prove` sends 10,000, `WEBHOOKS=n` any number. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { postWebhook } from './forged-webhook.ts';
import { inParallel } from './in-parallel.ts';
import { Till } from './till.ts';

const WEBHOOKS = Number(process.env['WEBHOOKS'] ?? 200);

const till = new Till();
const { webhookUrl } = till.merchant;

beforeEach(() => till.reset());

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

  const statuses = await inParallel(WEBHOOKS, 3, (n) =>
    postWebhook(webhookUrl, { EventTypeId: 1796 + (n % 4), MessageId: randomUUID(), EventData: forged(n) }),
  );
  await till.pass(1);

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await till.facts()).toEqual(before.facts);
  const passed = (await minutes()) - before.minutes;
  const reads = (await till.reads()).length - before.reads;
  const allowed = 5 + Math.ceil(passed) + (await readsBySchedule(passed));
  expect(reads).toBeLessThanOrEqual(allowed);
});

/** The reads of a pending order that nobody sends webhooks about, in the same time. */
async function readsBySchedule(passed: number): Promise<number> {
  await till.reset();
  await till.orderRf();
  const before = (await till.reads()).length;
  await till.pass(passed * 60);
  return (await till.reads()).length - before;
}
