import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../shared/errors.ts';
import type { Charge, Sale } from '../../../shared/items.ts';
import type { NewItem } from '../../../shared/payments.ts';
import type { Platform, TransactionRecord } from '../../../shared/platform/platform.ts';
import { settleCharge } from '../../../shared/settlement/charge.ts';
import { settleSale } from '../../../shared/settlement/sale.ts';
import { anyCall, FakePlatform, finished, TRANSACTION_ID } from '../../fakes/platform.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../fakes/world.ts';

const MINUTE_MS = 60_000;
const unreadable = () => Promise.reject(new TransientError('NO_ANSWER', 'timed out'));

function record(extra: Partial<TransactionRecord> = {}): TransactionRecord {
  return {
    transactionId: TRANSACTION_ID,
    amount: 1500,
    currency: 'EUR',
    merchantId: MERCHANT_ID,
    statusId: 'F',
    transactionTypeId: 5,
    ...extra,
  };
}

const listing =
  (...records: TransactionRecord[]): Platform['listDay'] =>
  async () => ({ records, unreadable: [], call: anyCall });

describe('an unconfirmed sale', () => {
  function unconfirmed(extra: Partial<NewItem<'sale'>> = {}) {
    const world = new World();
    const requestedAt = new Date(world.at).toISOString();
    world.putSale({ status: 'unconfirmed', requestedAt, chargeId: CHARGE_ID, ...extra });
    world.putCharge();
    return world;
  }
  const settle = (world: World, platform: FakePlatform): Promise<Sale> =>
    settleSale(SALE_ID, { ...world, ...world.invocation, platformFor: platform.for });

  it.each([
    ['its session says so', { readSession: finished({}) }],
    ['the list has it', { listDay: listing(record()) }],
    ['the list has it and the session cannot be read', { readSession: unreadable, listDay: listing(record()) }],
  ])('goes on through the flow with its transaction when %s', async (_, answers) => {
    const world = unconfirmed();

    const sale = await settle(world, new FakePlatform(answers));

    expect(sale).toMatchObject({
      status: 'unconfirmed',
      transactionId: TRANSACTION_ID,
      dueAt: new Date(world.at).toISOString(),
    });
    expect((await world.charge()).status).toBe('created');
  });

  it('ends as its session ended, and its additional charge with it', async () => {
    const world = unconfirmed();
    const readSession = finished({ success: false, eventId: 1006, transactionEventId: 10051 });

    const sale = await settle(
      world,
      new FakePlatform({
        readSession,
        readTransaction: () => Promise.reject(new TransientError('TRANSACTION_NOT_VISIBLE', 'not there')),
      }),
    );

    expect(sale).toMatchObject({ status: 'declined', failure: { code: 'CARD_INSUFFICIENT_FUNDS' } });
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code: 'SALE_NOT_PAID' } });
  });

  it('waits while a payment may still appear, and is expired when none did', async () => {
    const world = unconfirmed();
    const platform = new FakePlatform({ listDay: listing(record({ statusId: 'E' })) });

    world.at += 17 * MINUTE_MS - 1;
    const before = await settle(world, platform);
    world.at += 1;
    const after = await settle(world, platform);

    expect(before).toMatchObject({ status: 'unconfirmed' });
    expect(after).toMatchObject({ status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } });
    expect((await world.charge()).status).toBe('cancelled');
  });

  it('is not expired while the list cannot be read, and goes to a person after an hour', async () => {
    const world = unconfirmed();
    const platform = new FakePlatform({ listDay: unreadable });

    world.at += 30 * MINUTE_MS;
    await expect(settle(world, platform)).rejects.toThrow('NO_ANSWER');
    world.at += 30 * MINUTE_MS;
    const sale = await settle(world, platform);

    expect(sale).toMatchObject({ status: 'needs_review', failure: { code: 'TERMINAL_NOT_ANSWERING' } });
  });

  it.each([
    ['2026-11-21T12:00:00.000Z', ['2026-11-21']],
    ['2026-11-21T21:45:00.000Z', ['2026-11-21', '2026-11-22']],
    ['2026-06-21T20:45:00.000Z', ['2026-06-21', '2026-06-22']],
  ])('asked for at %s is looked for on %s in Athens', async (requestedAt, days) => {
    const world = unconfirmed({ requestedAt });
    const platform = new FakePlatform();

    await settle(world, platform);

    expect(platform.asked.filter(({ method }) => method === 'listDay').map(({ request }) => request)).toEqual(days);
  });
});

describe('a sale that ended unpaid', () => {
  async function overtake(extra: Partial<NewItem<'sale'>>, found: TransactionRecord[]) {
    const world = new World();
    world.putSale({
      requestedAt: world.seconds(0),
      status: 'expired',
      failure: { code: 'TERMINAL_TIMED_OUT' },
      ...extra,
    });
    const platform = new FakePlatform({ listDay: listing(...found) });
    const sale = await settleSale(SALE_ID, { ...world, ...world.invocation, platformFor: platform.for });
    return { sale, platform };
  }

  it.each(['declined', 'cancelled', 'expired', 'failed'] as const)('as %s is paid by late proof', async (status) => {
    const { sale } = await overtake({ status }, [record({ statusId: 'E' }), record()]);

    expect(sale).toMatchObject({
      status: 'paid',
      transactionId: TRANSACTION_ID,
      tokenization: { status: 'refused', code: 'TOKENIZATION_UNAVAILABLE' },
    });
    expect(sale.failure).toBeUndefined();
  });

  it('stays as it is when the transaction failed', async () => {
    const { sale } = await overtake({}, [record({ statusId: 'E' })]);

    expect(sale.status).toBe('expired');
  });

  it.each([
    ['of another amount', { amount: 1501 }, 'AMOUNT_MISMATCH'],
    ['in another currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['of another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, 'MERCHANT_MISMATCH'],
  ])('goes to a person when money was taken by a transaction %s', async (_, extra, code) => {
    const { sale } = await overtake({}, [record(extra)]);

    expect(sale).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('is not asked about when it was never sent', async () => {
    const { platform } = await overtake({ requestedAt: undefined } as never, [record()]);

    expect(platform.asked).toEqual([]);
  });
});

describe('a paid sale', () => {
  it('is reversed when the platform gave the payment back', async () => {
    const world = new World();
    world.putSale({ status: 'tokenized', requestedAt: world.seconds(0), transactionId: TRANSACTION_ID });
    const readTransaction = async () => ({ record: record({ statusId: 'X' }), call: anyCall });
    const platform = new FakePlatform({ readTransaction });

    const sale = await settleSale(SALE_ID, { ...world, ...world.invocation, platformFor: platform.for });

    expect(sale.status).toBe('reversed');
  });
});

describe('a charge whose outcome is not known', () => {
  function unknown(extra: Partial<NewItem<'charge'>> = {}) {
    const world = new World();
    world.putSale({ status: 'tokenized', transactionId: 'of-the-sale' });
    world.putCharge({
      status: 'needs_review',
      statusBeforeReview: 'processing',
      failure: { code: 'OUTCOME_UNKNOWN' },
      ctokRef: 'ref',
      bornAt: world.seconds(0),
      sentAt: world.seconds(1),
      ...extra,
    });
    return world;
  }
  const settle = (world: World, ...found: TransactionRecord[]): Promise<Charge> => {
    const platform = new FakePlatform({ listDay: listing(...found) });
    return settleCharge(CHARGE_ID, { ...world, ...world.invocation, platformFor: platform.for });
  };
  const made = (extra: Partial<TransactionRecord> = {}) => record({ amount: 4000, ...extra });

  it('is charged by its record', async () => {
    expect(await settle(unknown(), made())).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it('is authorized by its record, and the flow is to take the hold up at once', async () => {
    const world = unknown({ preauth: true, capture: 'immediate', captureAmount: 3000 });

    expect(await settle(world, made({ transactionTypeId: 1 }))).toMatchObject({
      status: 'authorized',
      authorizedAmount: 4000,
      captures: [{ amount: 3000, status: 'pending' }],
      captureBefore: world.seconds(5 * 86_400 + 1),
      dueAt: world.seconds(0),
    });
  });

  it('is declined by a record that failed, unless another one did not', async () => {
    const failedOnce = made({ statusId: 'E', transactionId: 'failed' });

    expect(await settle(unknown(), failedOnce)).toMatchObject({ status: 'declined', sealed: true });
    expect(await settle(unknown(), failedOnce, made())).toMatchObject({ status: 'charged' });
  });

  it.each([
    ['the terminal’s sale', { transactionId: 'of-the-sale' }],
    ['a capture', { transactionTypeId: 0 }],
    ['a refund', { transactionTypeId: 4 }],
  ])('never takes %s for the charge', async (_, extra) => {
    expect(await settle(unknown(), made(extra))).toMatchObject({ status: 'needs_review' });
  });

  it('stays with a person when the record is of another amount', async () => {
    expect(await settle(unknown(), made({ amount: 4001 }))).toMatchObject({
      status: 'needs_review',
      failure: { code: 'AMOUNT_MISMATCH' },
    });
  });

  it('is expired, and sealed, only when its token is dead and nothing late can arrive', async () => {
    const world = unknown();

    world.at += 30 * MINUTE_MS - 1;
    const before = await settle(world);
    world.at += 1;
    const after = await settle(world);

    expect(before.status).toBe('needs_review');
    expect(after).toMatchObject({ status: 'expired', sealed: true, failure: { code: 'CHARGE_EXPIRED' } });
    expect(await settle(world, made())).toMatchObject({ status: 'charged' });
  });

  it.each([
    ['was never sent', { sentAt: undefined }],
    ['is known', { transactionId: TRANSACTION_ID }],
    ['failed for good', { status: 'failed' }],
  ])('is not asked about when it %s', async (_, extra) => {
    const world = unknown(extra as never);
    const platform = new FakePlatform();

    await settleCharge(CHARGE_ID, { ...world, ...world.invocation, platformFor: platform.for });

    expect(platform.asked).toEqual([]);
  });
});
