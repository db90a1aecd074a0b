import { describe, expect, it } from 'vitest';
import { readDailyListsStep } from '../../../../functions/reconciler/read-daily-lists/step.ts';
import { FaultError, TransientError } from '../../../../shared/flow/errors.ts';
import type { Finding } from '../../../../shared/payments/items/finding.ts';
import type { NewItem } from '../../../../shared/payments/store.ts';
import { nextNight, readDailyLists } from '../../../../shared/reconciliation/daily-lists.ts';
import type { TransactionRecord, Viva } from '../../../../shared/viva/viva.ts';
import { Records } from '../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER_ID = '7e6c1f8e-5b0f-8c57-9a53-0a1b6f2f7f99';

function prepared(sale: Partial<NewItem<'sale'>> = {}, answers: Partial<Viva> = {}) {
  const world = new World();
  world.putSale({
    status: 'tokenized',
    tokenization: { status: 'stored' },
    requestedAt: world.seconds(0),
    transactionId: TRANSACTION_ID,
    ...sale,
  });
  const records = new Records(world.now);
  const viva = records.viva(answers);
  const findings: string[] = [];
  const tooLarge: string[] = [];
  const deps = {
    ...world,
    ...world.invocation,
    vivaFor: viva.for,
    onFinding: ({ reason }: Pick<Finding, 'reason'>) => void findings.push(reason),
    onDayTooLarge: (_: string, day: string) => void tooLarge.push(day),
  };
  const read = () => readDailyLists(MERCHANT_ID, deps);
  const errors: string[] = [];
  /** The dependencies of read-daily-lists. */
  const step = () =>
    readDailyListsStep.run(
      { merchantId: MERCHANT_ID },
      { ...deps, onError: (code: string) => void errors.push(code) } as never,
      world.invocation,
    );
  const days = () => viva.asked.filter(({ method }) => method === 'listDay').map(({ request }) => request);
  const account = async () => (await world.payments.get('account', MERCHANT_ID))!;
  return { world, records, viva, findings, tooLarge, errors, read, step, days, account };
}

describe('the daily lists of a merchant', () => {
  it('are read each night for yesterday, the day before, and two days before that', async () => {
    const { world, days, read, account } = prepared();

    await read();

    expect(days()).toEqual(['2026-11-17', '2026-11-19', '2026-11-20']);
    expect(await account()).toMatchObject({
      daysReadUntil: '2026-11-20',
      dueAt: nextNight(MERCHANT_ID, world.at),
    });
  });

  it('read each day three times, on the first, second and fourth night after it', async () => {
    const { world, days, read } = prepared();
    for (let night = 0; night < 8; night++) {
      await read();
      world.at += DAY_MS;
    }

    expect(days().filter((day) => day === '2026-11-21')).toHaveLength(3);
    expect(days()).toHaveLength(24);
  });

  it('are read once a night', async () => {
    const { read, days } = prepared();
    await read();
    const once = days().length;

    await read();

    expect(days()).toHaveLength(once);
  });

  it('are read later when nights were missed, for ten nights at most', async () => {
    const { world, read, days } = prepared();
    await read();
    const before = days().length;
    world.at += 3 * DAY_MS;
    await read();
    const missed = days().slice(before);
    world.at += 90 * DAY_MS;
    await read();

    expect(missed).toEqual(['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']);
    expect(days().length - before - missed.length).toBe(13);
  });

  it('are read again when the platform failed half way', async () => {
    let fails = true;
    const { read, account } = prepared(
      {},
      {
        listDay: async () => {
          if (fails) {
            throw new TransientError('NO_ANSWER', 'down');
          }
          return { records: [], unreadable: [], call: { call: 'GET', status: 200, durationMs: 1 } };
        },
      },
    );

    await expect(read()).rejects.toThrow('NO_ANSWER');
    expect((await account()).daysReadUntil).toBeUndefined();
    fails = false;
    await read();

    expect((await account()).daysReadUntil).toBe('2026-11-20');
  });

  it('report a day that is too large for one answer, and read the others', async () => {
    const { read, tooLarge, account } = prepared(
      {},
      {
        listDay: async (day) => {
          if (day === '2026-11-19') {
            throw new FaultError('DAY_TOO_LARGE', 'too long');
          }
          return { records: [], unreadable: [], call: { call: 'GET', status: 200, durationMs: 1 } };
        },
      },
    );

    await read();

    expect(tooLarge).toEqual(['2026-11-19']);
    expect((await account()).daysReadUntil).toBe('2026-11-20');
  });

  it('are read after one o’clock in Athens, spread over three hours', () => {
    const at = Date.parse('2026-11-21T10:00:00Z');

    expect(nextNight('00000000-0000-4000-8000-000000000000', at)).toBe('2026-11-21T23:00:00.000Z');
    expect(nextNight('ffffffff-0000-4000-8000-000000000000', at)).toMatch(/^2026-11-22T01:59:59/);
    expect(nextNight('00000000-0000-4000-8000-000000000000', Date.parse('2026-11-21T22:59:00Z'))).toBe(
      '2026-11-21T23:00:00.000Z',
    );
    expect(nextNight('00000000-0000-4000-8000-000000000000', Date.parse('2026-11-21T23:00:00Z'))).toBe(
      '2026-11-22T23:00:00.000Z',
    );
  });
});

describe('changes that no webhook reported', () => {
  const yesterday = { bookedAt: '2026-11-20T12:00:00.000Z' };

  it('include a reversal, found on the day of the payment', async () => {
    const { world, records, read } = prepared();
    records.giveBack(records.book(yesterday), yesterday);

    await read();

    expect(await world.sale()).toMatchObject({ status: 'reversed', refundedAmount: 1500 });
  });

  it('include a reversal of an older payment, found by its reference', async () => {
    const { world, records, read } = prepared();
    const original = records.book({ bookedAt: '2026-10-01T12:00:00.000Z' });
    records.giveBack(original, yesterday);

    await read();

    expect((await world.sale()).status).toBe('reversed');
  });

  it('include a refund made in the platform’s portal, found by the status of the payment and read by its order', async () => {
    const { world, records, viva, read } = prepared();
    const original = records.book(yesterday);
    records.giveBack(original, {
      transactionTypeId: 4,
      amount: 400,
      merchantTrns: 'goodwill',
      bookedAt: world.seconds(0),
    });

    await read();

    expect(viva.times('listOrderTransactions')).toBe(1);
    expect((await world.sale()).reading?.seen).toBe('given back 400');
  });

  it('include a charge that was made; a late one is read by its id first', async () => {
    const { world, records, read } = prepared();
    world.putCharge({
      status: 'expired',
      ctokRef: 'ref',
      ctokCreatedAt: world.seconds(-86_000),
      sentAt: world.seconds(-86_000),
    });
    records.book({ ...yesterday, merchantTrns: CHARGE_ID, amount: 4000, transactionId: 'charge' });

    await read();

    expect(await world.charge()).toMatchObject({ status: 'charged', foundLate: { laterSales: [] } });
  });

  it('include the payment of a refused sale, when its record by id confirms it', async () => {
    const { world, records, read } = prepared({
      status: 'declined',
      requestedAt: '2026-11-20T11:59:00.000Z',
      tokenization: { status: 'pending' },
    });
    records.book(yesterday);

    await read();

    expect(await world.sale()).toMatchObject({ status: 'paid', foundLate: { laterSales: [] } });
  });

  it('cause no read for a payment that is already recorded', async () => {
    const { world, records, viva, read } = prepared();
    records.book(yesterday);
    const { writes } = world.payments;

    await read();

    expect(world.payments.writes - writes).toBe(1); // the account's
    expect(new Set(viva.asked.map(({ method }) => method))).toEqual(new Set(['listDay']));
  });
});

describe('a payment that no item explains', () => {
  const yesterday = { bookedAt: '2026-11-20T12:00:00.000Z' };
  const findingOf = (world: World, id: string) => world.payments.get('finding', id);

  it('is listed for an operator once when it carries our reference', async () => {
    const { world, records, findings, read } = prepared();
    records.book({ ...yesterday, transactionId: 'stray', merchantTrns: `room 7 ${OTHER_ID}` });

    await read();
    world.at += DAY_MS;
    await read();

    expect(findings).toEqual(['UNKNOWN_PAYMENT']);
    expect(await findingOf(world, 'stray')).toMatchObject({
      reason: 'UNKNOWN_PAYMENT',
      id: OTHER_ID,
      amount: 1500,
      state: 'open',
      merchantId: MERCHANT_ID,
    });
  });

  it('is listed when the sale already has another payment', async () => {
    const { world, records, findings, read } = prepared();
    records.book(yesterday);
    records.book({ ...yesterday, transactionId: 'second' });

    await read();

    expect(findings).toEqual(['PAID_TWICE']);
    expect(await findingOf(world, 'second')).toMatchObject({ reason: 'PAID_TWICE', id: SALE_ID });
    expect((await world.sale()).status).toBe('tokenized');
  });

  it.each([
    ['of another system', { merchantTrns: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f99' }],
    ['without a reference', { merchantTrns: '' }],
    ['that failed', { statusId: 'E', merchantTrns: OTHER_ID }],
    ['that is a child', { parentId: 'other', transactionTypeId: 4, merchantTrns: OTHER_ID }],
  ] as [string, Partial<TransactionRecord>][])('is not reported when it is one %s', async (_, extra) => {
    const { records, findings, read } = prepared();
    records.book({ ...yesterday, transactionId: 'stray', ...extra });

    await read();

    expect(findings).toEqual([]);
  });
});

describe('a merchant whose daily lists are due', () => {
  const due = async (answers: Partial<Viva> = {}, dueIn = 0) => {
    const all = prepared({}, answers);
    await all.world.payments.change('account', MERCHANT_ID, () => ({ dueAt: all.world.seconds(dueIn) }));
    return all;
  };

  it('has them read once, although two invocations run', async () => {
    const { world, step, days, account } = await due();

    await Promise.all([step(), step()]);

    expect(days()).toHaveLength(3);
    expect((await account()).dueAt).toBe(nextNight(MERCHANT_ID, world.at));
  });

  it('is skipped before the time', async () => {
    const { step, days } = await due({}, 1);

    await step();

    expect(days()).toEqual([]);
  });

  it('is due again when the platform could not be read, without a fault', async () => {
    const { world, step, errors, account } = await due({
      listDay: () => Promise.reject(new TransientError('NO_ANSWER', 'down')),
    });

    await step();

    expect(errors).toEqual(['NO_ANSWER']);
    expect((await account()).dueAt).toBe(world.seconds(300));
  });

  it('is due again after a fault, which is reported', async () => {
    const { world, step, errors, account } = await due({
      listDay: () => Promise.reject(new FaultError('PLATFORM_REFUSED', 'no')),
    });

    await expect(step()).rejects.toThrow('PLATFORM_REFUSED');

    expect(errors).toEqual([]);
    expect((await account()).dueAt).toBe(world.seconds(300));
  });
});
