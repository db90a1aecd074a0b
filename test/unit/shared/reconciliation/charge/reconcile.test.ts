import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../../../shared/payments/items.ts';
import type { NewItem } from '../../../../../shared/payments/store.ts';
import { reconcileCharge } from '../../../../../shared/reconciliation/charge/reconcile.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { TRANSACTION_ID } from '../../../../fakes/platform.ts';
import { Records } from '../../../../fakes/records.ts';
import { CHARGE_ID, World } from '../../../../fakes/world.ts';

const MINUTE_MS = 60_000;

function prepared(charge: Partial<NewItem<'charge'>> = {}) {
  const world = new World();
  world.putSale({ status: 'tokenized', transactionId: 'of-the-sale' });
  world.putCharge({
    status: 'needs_review',
    statusBeforeReview: 'processing',
    failure: { code: 'OUTCOME_UNKNOWN' },
    ctokRef: 'ref',
    ctokCreatedAt: world.seconds(0),
    sentAt: world.seconds(1),
    ...charge,
  });
  const records = new Records(world.now);
  const platform = records.platform();
  const book = (extra: Partial<TransactionRecord> = {}) =>
    records.book({ amount: 4000, merchantTrns: `minibar ${CHARGE_ID}`, ...extra });
  const settle = (): Promise<Charge> =>
    reconcileCharge(CHARGE_ID, { ...world, ...world.invocation, platformFor: platform.for });
  const reconcileTwice = async () => {
    await settle();
    world.at += 5 * MINUTE_MS;
    return settle();
  };
  return { world, records, platform, book, settle, reconcileTwice };
}

describe('a charge whose outcome is not known', () => {
  it('is charged by its record', async () => {
    const { book, settle } = prepared();
    book();

    expect(await settle()).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it('is authorized by its record, and the flow is to take the hold up at once', async () => {
    const { world, book, settle } = prepared({ preauth: true, capture: 'immediate', captureAmount: 3000 });
    book({ transactionTypeId: 1 });

    expect(await settle()).toMatchObject({
      status: 'authorized',
      authorizedAmount: 4000,
      captures: [{ amount: 3000, status: 'pending' }],
      captureBefore: world.seconds(5 * 86_400 + 1),
      dueAt: world.seconds(0),
    });
  });

  it('is declined only by a second reading of its refusal, when nothing can be committed late any more', async () => {
    const { world, book, settle } = prepared();
    book({ statusId: 'E' });

    const first = await settle();
    world.at += 10 * MINUTE_MS;
    const second = await settle();
    world.at += 10 * MINUTE_MS + 1_000;
    const over = await settle();

    expect([first.status, second.status]).toEqual(['needs_review', 'needs_review']);
    expect(over).toMatchObject({ status: 'declined', sealed: true, failure: { code: 'CARD_DECLINED' } });
  });

  it('is not declined by one E reading of a paid charge', async () => {
    const { world, records, book, settle } = prepared();
    book();
    world.at += 25 * MINUTE_MS;
    records.lie = (all, read) => (read === 0 ? all.map((one) => ({ ...one, statusId: 'E' })) : all);

    expect((await settle()).status).toBe('charged');
  });

  it('is charged when another record of it was paid, whichever came first', async () => {
    const { book, settle } = prepared();
    book({ statusId: 'E', transactionId: 'failed' });
    book();

    expect(await settle()).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it.each([
    ['a capture', { transactionTypeId: 0, parentId: 'hold' }],
    ['a refund', { transactionTypeId: 4, parentId: 'sale' }],
    ['the terminal’s sale', { merchantTrns: 'room 12' }],
  ])('never takes %s for the charge', async (_, extra) => {
    const { book, settle } = prepared();
    book(extra);

    expect(await settle()).toMatchObject({ status: 'needs_review' });
  });

  it.each([
    ['of another amount', { amount: 4001 }, 'AMOUNT_MISMATCH'],
    ['that is a hold', { transactionTypeId: 1 }, 'TRANSACTION_MISMATCH'],
  ])('stays with a person when the record is one %s', async (_, extra, code) => {
    const { book, settle } = prepared();
    book(extra);

    expect(await settle()).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('is reversed when it was made and given back before anybody saw it', async () => {
    const { records, book, settle } = prepared();
    records.giveBack(book());

    expect(await settle()).toMatchObject({ status: 'reversed', refundedAmount: 4000 });
  });

  it('is not given up while its record says that it may still be made', async () => {
    const { world, book, settle } = prepared();
    book({ statusId: 'A' });
    world.at += 60 * MINUTE_MS;

    const first = await settle();
    world.at += 60 * MINUTE_MS;

    expect(await settle()).toEqual(first);
    expect(first.reading).toBeUndefined();
  });

  it('is charged, and what was given back of it meanwhile counts once it was read twice', async () => {
    const { records, book, settle, reconcileTwice } = prepared();
    records.giveBack(book(), { transactionTypeId: 4, amount: 1000 });

    expect(await settle()).toMatchObject({
      status: 'charged',
      refundedAmount: 0,
      reading: { seen: 'given back 1000' },
    });
    expect(await reconcileTwice()).toMatchObject({ status: 'charged', refundedAmount: 1000 });
  });

  it('is expired, and sealed, only when its token is dead, nothing late can arrive and two readings agree', async () => {
    const { world, book, settle } = prepared();

    await settle();
    world.at += 30 * MINUTE_MS - 1;
    const before = await settle();
    world.at += 1;
    const after = await settle();

    expect(before.status).toBe('needs_review');
    expect(after).toMatchObject({ status: 'expired', sealed: true, failure: { code: 'CHARGE_EXPIRED' } });
    book({ bookedAt: world.seconds(0) });
    expect(await settle()).toMatchObject({ status: 'charged', foundLate: { laterSales: [] } });
  });

  it('goes to a person for another reason when the record is not what was asked for, and says so once', async () => {
    const { world, book, settle } = prepared({
      status: 'processing',
      statusBeforeReview: undefined,
      failure: undefined,
    } as never);
    book({ amount: 4001 });

    expect(await settle()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
    const { writes } = world.payments;
    await settle();

    expect(world.payments.writes).toBe(writes);
  });

  it.each([
    ['was never sent', { sentAt: undefined }],
    ['failed for good', { status: 'failed' }],
    ['is a hold whose void was sent', { status: 'authorized', transactionId: TRANSACTION_ID, voidSentAt: '2026' }],
  ])('is not asked about when it %s', async (_, extra) => {
    const { platform, settle } = prepared(extra as never);

    await settle();

    expect(platform.asked).toEqual([]);
  });
});

describe('a charge that was told as over', () => {
  it.each(['declined', 'expired', 'cancelled'] as const)(
    'as %s is charged by late proof and says so',
    async (status) => {
      const { book, settle } = prepared({ status, statusBeforeReview: undefined } as never);
      book();

      expect(await settle()).toMatchObject({ status: 'charged', foundLate: { laterSales: [] } });
    },
  );

  it.each(['declined', 'expired', 'cancelled'] as const)(
    'as %s has nothing noted by what proves no payment',
    async (status) => {
      for (const statusId of ['E', 'A', undefined]) {
        const { world, book, settle } = prepared({ status, statusBeforeReview: undefined } as never);
        if (statusId !== undefined) {
          book({ statusId });
        }
        world.at += 60 * MINUTE_MS;
        const { writes } = world.payments;

        await settle();

        expect(world.payments.writes).toBe(writes);
      }
    },
  );

  it('gives its hold back, and does not capture it', async () => {
    const { world, book, settle } = prepared({ status: 'expired', preauth: true, capture: 'immediate' });
    book({ transactionTypeId: 1 });

    expect(await settle()).toMatchObject({
      status: 'authorized',
      captures: [],
      captureBefore: world.seconds(0),
      dueAt: world.seconds(0),
      foundLate: { laterSales: [] },
    });
  });
});

describe('a charge that was made', () => {
  const charged = { status: 'charged', transactionId: TRANSACTION_ID, statusBeforeReview: undefined } as never;

  it.each([
    ['the platform reversed it', { transactionTypeId: 7 }, { status: 'reversed', refundedAmount: 4000 }],
    ['somebody refunded it', { transactionTypeId: 4 }, { status: 'refunded', refundedAmount: 4000 }],
    ['a part was refunded', { transactionTypeId: 4, amount: 1000 }, { status: 'charged', refundedAmount: 1000 }],
  ])('shows what was given back when %s', async (_, child, expected) => {
    const { records, book, reconcileTwice } = prepared(charged);
    records.giveBack(book(), child);

    expect(await reconcileTwice()).toMatchObject(expected);
  });

  it('is refunded when all of what was captured came back', async () => {
    const { book, reconcileTwice } = prepared({
      ...(charged as object),
      status: 'captured',
      preauth: true,
      authorizedAmount: 4000,
      capturedAmount: 3000,
    });
    book({ transactionTypeId: 1, statusId: 'C' });
    book({ transactionId: 'capture', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 3000 });
    book({ transactionId: 'refund', parentId: 'capture', transactionTypeId: 4, amount: 3000 });

    expect(await reconcileTwice()).toMatchObject({ status: 'refunded', refundedAmount: 3000 });
  });

  it('does not change by readings that are not finished, failed, or of another amount', async () => {
    for (const extra of [{ statusId: 'A' }, { statusId: 'E' }, { amount: 4001 }]) {
      const { book, reconcileTwice } = prepared(charged);
      book(extra);

      expect(await reconcileTwice()).toMatchObject({ status: 'charged' });
    }
  });

  it('is reversed by a status alone only when a second reading agrees', async () => {
    const { world, book, settle } = prepared(charged);
    book({ statusId: 'X' });

    const first = await settle();
    world.at += 5 * MINUTE_MS;

    expect(first.status).toBe('charged');
    expect(await settle()).toMatchObject({ status: 'reversed', refundedAmount: 4000 });
  });
});

describe('a hold that somebody else', () => {
  const authorized = () => {
    const all = prepared();
    const { world } = all;
    world.putCharge({
      status: 'authorized',
      sentAt: world.seconds(1),
      preauth: true,
      transactionId: TRANSACTION_ID,
      authorizedAmount: 4000,
      captureBefore: world.seconds(5 * 86_400),
      dueAt: world.seconds(5 * 86_400),
    });
    return { ...all, hold: all.book({ transactionTypeId: 1 }) };
  };

  it('released is cancelled by a second reading, which is soon', async () => {
    const { world, records, hold, settle } = authorized();
    records.giveBack(hold);

    expect(await settle()).toMatchObject({ status: 'authorized', dueAt: world.seconds(300) });
    world.at += 5 * MINUTE_MS;
    expect(await settle()).toMatchObject({ status: 'cancelled', failure: { code: 'HOLD_RELEASED' } });
  });

  it('captured is captured by a second reading', async () => {
    const { records, hold, book, reconcileTwice } = authorized();
    records.all[0] = { ...hold, statusId: 'C' };
    book({ transactionId: 'portal', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 2500 });

    expect(await reconcileTwice()).toMatchObject({ status: 'captured', capturedAmount: 2500 });
  });

  it('left alone stands, whatever one reading said', async () => {
    const { records, settle, reconcileTwice } = authorized();
    records.lie = (all) => all.map((one) => ({ ...one, statusId: 'X' }));
    await settle();
    records.lie = (all) => all;

    const { status, reading } = await reconcileTwice();
    expect({ status, reading }).toEqual({ status: 'authorized', reading: undefined });
  });
});

describe('a captured charge', () => {
  const CAPTURE = { captureId: 'c', amount: 1000, isvAmount: 0, status: 'done', transactionId: 'capture' } as const;
  const captured = (orderCode = '1234567890123456') => {
    const all = prepared();
    all.world.putCharge({
      status: 'captured',
      sentAt: all.world.seconds(1),
      preauth: true,
      transactionId: TRANSACTION_ID,
      capturedAmount: 1000,
      captures: [{ ...CAPTURE, requestedAt: '2026-11-21T10:00:00.000Z' }],
    });
    all.book({ transactionTypeId: 1, statusId: 'C' });
    const capture = {
      transactionId: 'capture',
      parentId: TRANSACTION_ID,
      transactionTypeId: 0,
      amount: 1000,
      orderCode,
    };
    return { ...all, capture: all.book(capture) };
  };

  it.each(['1234567890123456', '2234567890123456'])(
    'says what was given back of its capture, which is of order %s',
    async (orderCode) => {
      const { records, capture, settle, reconcileTwice } = captured(orderCode);
      records.giveBack(capture, { transactionTypeId: 4, amount: 300, orderCode });

      expect((await settle()).refundedAmount).toBeUndefined();
      expect(await reconcileTwice()).toMatchObject({ status: 'captured', refundedAmount: 300 });
    },
  );

  it('whose captures twice read another amount is for a person, until they fit', async () => {
    const { records, capture, settle, reconcileTwice } = captured();
    records.lie = (all) => all.map((one) => (one.parentId ? { ...one, amount: one.amount + 100 } : one));
    records.giveBack(capture, { transactionTypeId: 4, amount: 900 });

    expect((await settle()).status).toBe('captured');
    expect(await reconcileTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
    records.lie = (all) => all;

    const settled = await reconcileTwice();
    expect(settled).toMatchObject({ status: 'captured', refundedAmount: 900 });
    expect(settled.failure).toBeUndefined();
  });

  it('that somebody else captured, and whose capture is not shown, is left as it is: lists lag', async () => {
    const { world, records, reconcileTwice } = captured();
    await world.payments.change('charge', CHARGE_ID, () => ({ captures: [] }));
    records.lie = (all) => all.filter(({ parentId }) => parentId === undefined);

    const charge = await reconcileTwice();

    expect(charge.status).toBe('captured');
    expect(charge.reading).toBeUndefined();
  });

  it('that went to a person before anybody knew of its hold is authorized first, and then captured', async () => {
    const { book, settle } = prepared({ preauth: true });
    book({ transactionTypeId: 1, statusId: 'C' });
    book({ transactionId: 'capture', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 1000 });

    expect(await settle()).toMatchObject({ status: 'authorized', transactionId: TRANSACTION_ID });
  });

  it('whose returns are hidden is for a person, until they are shown', async () => {
    const { records, capture, reconcileTwice } = captured();
    records.lie = (all) => all.filter(({ transactionTypeId }) => transactionTypeId !== 4);
    records.giveBack(capture, { transactionTypeId: 4, amount: 900 });

    expect(await reconcileTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'REFUND_UNREADABLE' } });
    records.lie = (all) => all;

    expect(await reconcileTwice()).toMatchObject({ status: 'captured', refundedAmount: 900 });
  });
});
