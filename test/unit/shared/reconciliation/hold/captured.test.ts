/**
 * Random lives of a charge after its capture. Its captures are refunded in parts, at once or by a void, while reads are
 * wrong or miss records. At rest, our records must match the ledger. `SEEDS=n` runs more lives.
 */
import { describe, expect, it } from 'vitest';
import { readDailyListsStep } from '../../../../../functions/reconciler/read-daily-lists/step.ts';
import { reconcileDue } from '../../../../../functions/reconciler/reconcile-due/step.ts';
import { Random } from '../../../../../sandbox/viva/random.ts';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { RfOrder } from '../../../../../shared/payments/items/rf-order.ts';
import { reconcileCharge } from '../../../../../shared/reconciliation/charge/reconcile.ts';
import { lies } from '../../../../fakes/lies.ts';
import { Records } from '../../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, World } from '../../../../fakes/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SEEDS = Number(process.env['SEEDS'] ?? 100);
const CAPTURE_ID = '0b9fb5bc-6f63-4c3e-9f0b-8a3f6d2f7c11';
const CAPTURED = 1000;

describe('a captured charge under random faults', () => {
  it.each(Array.from({ length: SEEDS }, (_, n) => n + 1))('shows what was refunded of it (seed %i)', async (seed) => {
    const { world, records, log } = await live(seed);

    const charge = await world.charge();
    const returns = records.all.filter(({ parentId }) => parentId === CAPTURE_ID);
    const returned = returns.reduce((sum, { amount }) => sum + amount, 0);
    const ended = returns.some(({ transactionTypeId }) => transactionTypeId === 4) ? 'refunded' : 'reversed';
    const story = JSON.stringify({ log, charge, ledger: records.all }, null, 1);
    expect(charge.refundedAmount ?? 0, story).toBe(returned);
    expect(charge.status, story).toBe(returned === CAPTURED ? ended : 'captured');
    expect(charge.reading, story).toBeUndefined();
  });
});

async function live(seed: number) {
  const random = new Random(seed * 7919);
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(random.next() * of.length)] as T;
  const world = new World();
  const log: string[] = [];
  const records = new Records(world.now, { lagMs: pick(0, 30_000, 119_000) });
  const start = world.at;
  const quietAfter = start + pick(0, 60, 2000) * MINUTE_MS;
  const liesAt = pick(0, 0.1, 0.3);
  records.lie = (all, read) => {
    if (world.at > quietAfter || random.next() >= liesAt) {
      return all;
    }
    const name = pick(...Object.keys(lies));
    log.push(`${world.at - start} lie ${name}`);
    return lies[name]!(all, read);
  };
  const ours = { merchantTrns: `minibar ${CHARGE_ID}`, amount: 1924 };
  records.book({ ...ours, transactionTypeId: 1, statusId: 'C' });
  records.book({
    ...ours,
    amount: CAPTURED,
    transactionId: CAPTURE_ID,
    parentId: TRANSACTION_ID,
    transactionTypeId: 0,
    // On some accounts a capture does not belong to the order of its hold.
    orderCode: pick('1234567890123456', '2234567890123456'),
    merchantTrns: pick(ours.merchantTrns, `minibar ${CHARGE_ID}/0b9fb5bc-6f63-4c3e-9f0b-000000000000`),
  });
  world.putCharge({
    status: 'captured',
    preauth: true,
    amount: 1924,
    sentAt: world.seconds(-60),
    transactionId: TRANSACTION_ID,
    authorizedAmount: 1924,
    capturedAmount: CAPTURED,
    captures: [
      {
        captureId: '0b9fb5bc-6f63-4c3e-9f0b-000000000000',
        amount: CAPTURED,
        isvAmount: 0,
        status: 'done',
        requestedAt: world.seconds(-50),
        transactionId: CAPTURE_ID,
      },
    ],
  });
  const deps = {
    ...world,
    ...world.invocation,
    vivaFor: records.viva().for,
    stackId: 'stack',
    newId: () => random.uuid(),
    executions: { arnOf: (name: string) => name, start: async () => undefined },
    stateOfExecution: async () => 'ended' as const,
    putEvents: async () => {},
    onPublished: () => {},
    onError: () => {},
    onFinding: ({ reason }: { reason: string }) => void log.push(`finding ${reason}`),
    onDayTooLarge: () => {},
    reconcileRfOrder: () => Promise.reject<RfOrder>(new Error('there is none')),
  };
  const parts = pick<readonly number[]>([], [CAPTURED], [400], [400, 600], [1, 99, 900], [250, 250]);
  const acts = parts.map((amount) => ({ amount, at: start + pick(1, 30, 2000, 3000) * MINUTE_MS }));
  const isTold = pick(true, false);
  await world.payments.change('account', MERCHANT_ID, () => ({ dueAt: new Date(start).toISOString() }));
  while (world.at < start + 7 * DAY_MS) {
    world.at += 10 * MINUTE_MS;
    for (const act of acts.filter(({ at }) => at <= world.at && at > world.at - 10 * MINUTE_MS)) {
      const capture = records.all.find(({ transactionId }) => transactionId === CAPTURE_ID)!;
      const isVoid = act.amount === CAPTURED && random.next() < 0.5;
      log.push(`${world.at - start} give back ${act.amount}`);
      records.giveBack(capture, {
        transactionId: random.uuid(),
        transactionTypeId: isVoid ? 7 : 4,
        amount: act.amount,
        merchantTrns: 'portal',
      });
      if (isTold) {
        world.at += 3 * MINUTE_MS;
        await reconcileCharge(CHARGE_ID, deps).catch((error: unknown) => {
          if (!(error instanceof TransientError)) {
            throw error;
          }
        });
      }
    }
    const due = (await world.payments.due(100)).filter(({ kind }) => kind === 'charge');
    await readDailyListsStep.run({ merchantId: MERCHANT_ID }, deps, world.invocation);
    if (due.length > 0) {
      await reconcileDue.run({ due: due.map(({ kind, id }) => ({ kind, id })) as never }, deps, world.invocation);
    }
  }
  return { world, records, log };
}
