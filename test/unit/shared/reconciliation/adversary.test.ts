/**
 * Random lives of a sale with an additional charge against a small ledger. Payments commit late, or somebody reverses
 * or refunds them; lists lag; reads are wrong, fail or miss records; webhooks are lost or duplicated. At rest, our
 * records must match the ledger. `SEEDS=n` runs more lives, `SEED=n` runs one.
 */
import { describe, expect, it } from 'vitest';
import { createChargeToken } from '../../../../functions/charge/create-charge-token/step.ts';
import { createTransaction } from '../../../../functions/charge/create-transaction/step.ts';
import { reconcileChargeStep } from '../../../../functions/charge/reconcile-charge/step.ts';
import { readDailyListsStep } from '../../../../functions/reconciler/read-daily-lists/step.ts';
import { reconcileDue } from '../../../../functions/reconciler/reconcile-due/step.ts';
import { createCardToken } from '../../../../functions/sale/create-card-token/step.ts';
import { retrieveTransaction } from '../../../../functions/sale/retrieve-transaction/step.ts';
import { Random } from '../../../../sandbox/viva/random.ts';
import { saleRepresentation } from '../../../../shared/api/representation/sale.ts';
import { TransientError, UnknownOutcomeError } from '../../../../shared/flow/errors.ts';
import type { ExecutionInput } from '../../../../shared/flow/executions.ts';
import { isOpen } from '../../../../shared/payments/due.ts';
import type { RfOrder } from '../../../../shared/payments/items/rf-order.ts';
import { endCharge } from '../../../../shared/reconciliation/charge/end.ts';
import { endSale } from '../../../../shared/reconciliation/sale/end.ts';
import { reconcileSale } from '../../../../shared/reconciliation/sale/reconcile.ts';
import type { TransactionRecord } from '../../../../shared/viva/viva.ts';
import { lies as lieKinds } from '../../../fakes/lies.ts';
import { Records } from '../../../fakes/records.ts';
import { anyCall } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const RUN_MS = 5 * MINUTE_MS;
const seeds = process.env['SEED'] ? [Number(process.env['SEED'])] : range(Number(process.env['SEEDS'] ?? 150));

/** What was published, and when. */
interface Published {
  readonly at: number;
  readonly sale: ReturnType<typeof saleRepresentation>;
}

describe('a sale with an additional charge under random faults', () => {
  it.each(seeds)('matches the ledger at rest (seed %i)', async (seed) => {
    const { world, records, published, log } = await live(seed);

    const sale = await world.sale();
    const charge = await world.charge();
    const story = () => JSON.stringify({ log, sale, charge, ledger: records.all }, null, 1);
    const saleBooks = booksOf(records.all, SALE_ID);
    const chargeBooks = booksOf(records.all, CHARGE_ID);
    expect(statusesOf(saleBooks, ['paid', 'tokenized'], toldAsOver), story()).toContain(sale.status);
    expect(statusesOf(chargeBooks, ['charged'], toldAsOver), story()).toContain(charge.status);
    expect(sale.refundedAmount ?? 0, story()).toBe(saleBooks.returned);
    expect(charge.refundedAmount ?? 0, story()).toBe(chargeBooks.returned);
    for (const [kind, item] of [
      ['sale', sale],
      ['charge', charge],
    ] as const) {
      expect(isOpen(kind, item as never) && item.dueAt === undefined, story()).toBe(false);
      expect(item.status === 'needs_review', story()).toBe(false);
    }
    // Nothing was charged after its end was published, and what was found late is marked as such.
    const over = published.find((one) => one.sale.final && toldAsOver.includes(one.sale.status));
    if (over !== undefined) {
      expect(
        records.all.filter((one) => one.merchantTrns?.endsWith(CHARGE_ID)),
        story(),
      ).toEqual([]);
      const isShown = sale.foundLate !== undefined || sale.status === 'reversed' || sale.status === 'refunded';
      expect(saleBooks.paid === 0 || isShown, story()).toBe(true);
    }
    expect(saleBooks.count, story()).toBeLessThanOrEqual(1);
    expect(chargeBooks.count, story()).toBeLessThanOrEqual(1);
  });
});

const toldAsOver: readonly string[] = ['declined', 'cancelled', 'expired', 'failed'];

async function live(seed: number) {
  const draws = new Random(seed * 0x9e3779b9);
  const random = () => draws.next();
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const chance = (p: number) => random() < p;
  const world = new World();
  const log: string[] = [];
  const events: { at: number; act: () => void }[] = [];
  const later = (afterMs: number, act: () => void) => events.push({ at: world.at + afterMs, act });
  const lagMs = pick(0, 0, 30_000, 119_000);
  const records = new Records(world.now, { lagMs });
  const quietAfter = world.at + pick(0, 20, 60, 600) * MINUTE_MS;
  const lies = pick(0, 0.1, 0.3);
  records.lie = (all, read) => {
    if (world.at > quietAfter || !chance(lies)) {
      return all;
    }
    const kind = pick(...Object.keys(lieKinds));
    log.push(`${at()} lie ${kind}`);
    return lieKinds[kind]!(all, read);
  };
  const at = () => ((world.at - start) / MINUTE_MS).toFixed(1);
  const start = world.at;

  // What the terminal really does, whatever its session says.
  const begins = pick('unconfirmed', 'declined', 'failed', 'expired') as 'unconfirmed' | 'declined';
  world.putSale({
    status: begins,
    requestedAt: world.seconds(0),
    chargeId: CHARGE_ID,
    dueAt: world.seconds(300),
    ...(begins !== 'unconfirmed' && { failure: { code: 'CARD_DECLINED' } }),
  });
  world.putCharge({ holderName: 'A Holder', dueAt: world.seconds(300) });
  if (begins !== 'unconfirmed') {
    await endSale(SALE_ID, { state: 'AwaitTerminal', error: 'RejectedError' }, world);
  }
  const giveBackLater = ({ transactionId, amount }: TransactionRecord) => {
    const parts = pick<readonly number[]>([], [], [amount], [500], [500, amount - 500], [100, 200, 300]);
    const type = parts[0] === amount ? pick(4, 7) : 4;
    for (const part of parts) {
      later(pick(0.1, 5, 30, 2000, 4000) * MINUTE_MS, () => {
        log.push(`${at()} give back ${part} type ${type}`);
        const original = records.all.find((one) => one.transactionId === transactionId)!;
        records.giveBack(original, {
          transactionId: draws.uuid(),
          transactionTypeId: type,
          amount: part,
          ...(type === 4 && { merchantTrns: 'portal' }),
        });
        if (chance(0.5)) {
          later(1000, () => webhooks.push(SALE_ID));
        }
      });
    }
  };
  const webhooks: string[] = [];
  const outcome = pick('nothing', 'refused', 'paid', 'paid', 'paid');
  later(pick(0.2, 1, 3, 10, 14.9) * MINUTE_MS, () => {
    log.push(`${at()} terminal ${outcome}`);
    if (outcome === 'refused') {
      records.book({ statusId: 'E' });
    } else if (outcome === 'paid') {
      giveBackLater(records.book(card));
      if (chance(0.5)) {
        later(pick(0, 1, 60) * MINUTE_MS, () => webhooks.push(SALE_ID));
      }
    }
  });

  const viva = records.viva({
    readSession: () => Promise.reject(new TransientError('NO_ANSWER', 'down')),
    createTransaction: async ({ merchantTrns, amount }) => {
      const fate = pick('done', 'done', 'lost', 'late', 'never');
      log.push(`${at()} charge ${fate}`);
      const book = () =>
        giveBackLater(records.book({ merchantTrns, amount, transactionId: 'charge', orderCode: '2222222222222222' }));
      if (fate === 'done' || fate === 'lost') {
        book();
      } else if (fate === 'late') {
        later(pick(1, 14.9) * MINUTE_MS, book);
      }
      if (fate === 'done') {
        return { transactionId: 'charge', call: anyCall };
      }
      throw new UnknownOutcomeError('NO_ANSWER', 'lost');
    },
  });
  const started: ExecutionInput[] = [];
  const deps = {
    ...world,
    vivaFor: viva.for,
    stackId: 'stack',
    newId: () => `id-${random()}`,
    executions: {
      arnOf: (name: string) => `arn:aws:states:::execution:machine:${name}`,
      start: async (_name: string, input: ExecutionInput) => void started.push(input),
    },
    stateOfExecution: async () => 'ended' as const,
    putEvents: async () => {},
    onPublished: () => {},
    onError: () => {},
    onFinding: ({ reason }: { reason: string }) => void log.push(`${at()} finding ${reason}`),
    onDayTooLarge: () => {},
    reconcileRfOrder: () => Promise.reject<RfOrder>(new Error('there is none')),
  };
  const published: Published[] = [];
  const tell = async () => {
    const [sale, charge] = [await world.sale(), await world.charge()];
    published.push({ at: world.at, sale: saleRepresentation({ sale, charge }, world.at) });
  };
  await tell();
  await world.payments.change('account', MERCHANT_ID, () => ({ dueAt: new Date(world.at).toISOString() }));

  const end = start + 7 * DAY_MS;
  while (world.at < end) {
    const next = Math.min(world.at + (world.at < start + 3 * 60 * MINUTE_MS ? RUN_MS : 30 * MINUTE_MS), end);
    for (;;) {
      const due = events.filter((one) => one.at <= next).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) {
        break;
      }
      events.splice(events.indexOf(due), 1);
      world.at = Math.max(world.at, due.at);
      due.act();
    }
    world.at = next;
    for (const id of webhooks.splice(0)) {
      log.push(`${at()} webhook`);
      await reconcileSale(id, { ...deps, ...world.invocation }).catch(ignoreTransient);
    }
    const due = (await world.payments.due(100)).filter(({ kind }) => kind !== 'delivery' && kind !== 'account');
    await readDailyListsStep.run({ merchantId: MERCHANT_ID }, deps, world.invocation);
    if (due.length > 0) {
      await reconcileDue.run({ due: due.map(({ kind, id }) => ({ kind, id })) as never }, deps, world.invocation);
    }
    for (const input of started.splice(0)) {
      await flow(input, deps as never, log);
    }
    await tell();
  }
  return { world, records, published, log };
}

/** The steps behind the terminal, in the order of the state machine. */
async function flow({ saleId, chargeId }: ExecutionInput, deps: never, log: string[]): Promise<void> {
  const world = deps as World;
  let state: 'RetrieveTransaction' | 'CreateCardToken' = 'RetrieveTransaction';
  try {
    const { tokenize } = await retrieveTransaction.run({ saleId: saleId! }, deps, world.invocation);
    if (!tokenize) {
      return;
    }
    state = 'CreateCardToken';
    await createCardToken.run({ saleId: saleId! }, deps, world.invocation);
  } catch (error) {
    log.push(`flow stopped at ${state}: ${(error as Error).message}`);
    await endSale(saleId!, { state, error: (error as Error).name }, world);
    return;
  }
  let chargeState: 'CreateChargeToken' | 'CreateTransaction' = 'CreateChargeToken';
  try {
    await createChargeToken.run({ chargeId: chargeId! }, deps, world.invocation);
    chargeState = 'CreateTransaction';
    await createTransaction.run({ chargeId: chargeId! }, deps, world.invocation).catch(async (error: unknown) => {
      if (!(error instanceof UnknownOutcomeError)) {
        throw error;
      }
      await reconcileChargeStep.run({ chargeId: chargeId! }, deps, world.invocation);
    });
  } catch (error) {
    log.push(`flow stopped at ${chargeState}: ${(error as Error).message}`);
    await endCharge(chargeId!, { state: chargeState, error: (error as Error).name }, world);
  }
}

function ignoreTransient(error: unknown): void {
  if (!(error instanceof TransientError)) {
    throw error;
  }
}

const card = { cardUniqueReference: 'one', expirationMonth: 12, expirationYear: 2030, holderName: 'A HOLDER' };

function booksOf(all: readonly TransactionRecord[], id: string) {
  const originals = all.filter((one) => one.parentId === undefined && one.merchantTrns?.endsWith(id));
  const taken = originals.filter(({ statusId }) => statusId !== 'E');
  const ids = taken.map(({ transactionId }) => transactionId);
  const returns = all.filter(({ parentId }) => parentId !== undefined && ids.includes(parentId));
  return {
    count: taken.length,
    paid: taken.reduce((sum, { amount }) => sum + amount, 0),
    returned: returns.reduce((sum, { amount }) => sum + amount, 0),
    byRefund: returns.some(({ transactionTypeId }) => transactionTypeId === 4),
  };
}

function statusesOf(
  { paid, returned, byRefund }: ReturnType<typeof booksOf>,
  whenPaid: readonly string[],
  whenNot: readonly string[],
): readonly string[] {
  if (paid === 0) {
    return whenNot;
  }
  return returned < paid ? whenPaid : [byRefund ? 'refunded' : 'reversed'];
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}
