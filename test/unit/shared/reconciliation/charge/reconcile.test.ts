import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../../../shared/payments/items/charge.ts';
import type { NewItem } from '../../../../../shared/payments/store.ts';
import { reconcileCharge } from '../../../../../shared/reconciliation/charge/reconcile.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { Records } from '../../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
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
  const viva = records.viva();
  const book = (extra: Partial<TransactionRecord> = {}) =>
    records.book({ amount: 4000, merchantTrns: `minibar ${CHARGE_ID}`, ...extra });
  const reconcile = (): Promise<Charge> =>
    reconcileCharge(CHARGE_ID, { ...world, ...world.invocation, vivaFor: viva.for });
  const reconcileTwice = async () => {
    await reconcile();
    world.at += 5 * MINUTE_MS;
    return reconcile();
  };
  return { world, records, viva, book, reconcile, reconcileTwice };
}

describe('a charge with an unknown outcome', () => {
  it('becomes charged by its record', async () => {
    const { book, reconcile } = prepared();
    book();

    expect(await reconcile()).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it('becomes authorized by its record, and its execution continues with the hold at once', async () => {
    const { world, book, reconcile } = prepared({ preauth: true, capture: 'immediate', captureAmount: 3000 });
    book({ transactionTypeId: 1 });

    expect(await reconcile()).toMatchObject({
      status: 'authorized',
      authorizedAmount: 4000,
      captures: [{ amount: 3000, status: 'pending' }],
      captureBefore: world.seconds(5 * 86_400 + 1),
      dueAt: world.seconds(0),
    });
  });

  it('becomes declined by two readings of a refusal, once nothing can be committed late', async () => {
    const { world, book, reconcile } = prepared();
    book({ statusId: 'E' });

    const first = await reconcile();
    world.at += 10 * MINUTE_MS;
    const second = await reconcile();
    world.at += 10 * MINUTE_MS + 1_000;
    const over = await reconcile();

    expect([first.status, second.status]).toEqual(['needs_review', 'needs_review']);
    expect(over).toMatchObject({ status: 'declined', sealed: true, failure: { code: 'CARD_DECLINED' } });
  });

  it('is not declined by a single E reading of a paid charge', async () => {
    const { world, records, book, reconcile } = prepared();
    book();
    world.at += 25 * MINUTE_MS;
    records.lie = (all, read) => (read === 0 ? all.map((one) => ({ ...one, statusId: 'E' })) : all);

    expect((await reconcile()).status).toBe('charged');
  });

  it('becomes charged when another record of it was paid, in either order', async () => {
    const { book, reconcile } = prepared();
    book({ statusId: 'E', transactionId: 'failed' });
    book();

    expect(await reconcile()).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it.each([
    ['a capture', { transactionTypeId: 0, parentId: 'hold' }],
    ['a refund', { transactionTypeId: 4, parentId: 'sale' }],
    ['the terminal’s sale', { merchantTrns: 'room 12' }],
  ])('is never proven by %s', async (_, extra) => {
    const { book, reconcile } = prepared();
    book(extra);

    expect(await reconcile()).toMatchObject({ status: 'needs_review' });
  });

  it.each([
    ['of another amount', { amount: 4001 }, 'AMOUNT_MISMATCH'],
    ['that is a hold', { transactionTypeId: 1 }, 'TRANSACTION_MISMATCH'],
  ])('needs review when its record is one %s', async (_, extra, code) => {
    const { book, reconcile } = prepared();
    book(extra);

    expect(await reconcile()).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('becomes reversed when it was made and returned before anyone read it', async () => {
    const { records, book, reconcile } = prepared();
    records.giveBack(book());

    expect(await reconcile()).toMatchObject({ status: 'reversed', refundedAmount: 4000 });
  });

  it('stays open while its record says that it may still be made', async () => {
    const { world, book, reconcile } = prepared();
    book({ statusId: 'A' });
    world.at += 60 * MINUTE_MS;

    const first = await reconcile();
    world.at += 60 * MINUTE_MS;

    expect(await reconcile()).toEqual(first);
    expect(first.reading).toBeUndefined();
  });

  it('becomes charged, and a refund made meanwhile counts after two readings', async () => {
    const { records, book, reconcile, reconcileTwice } = prepared();
    records.giveBack(book(), { transactionTypeId: 4, amount: 1000 });

    expect(await reconcile()).toMatchObject({
      status: 'charged',
      refundedAmount: 0,
      reading: { seen: 'given back 1000' },
    });
    expect(await reconcileTwice()).toMatchObject({ status: 'charged', refundedAmount: 1000 });
  });

  it('becomes expired and sealed when its token is dead, nothing can arrive late and two readings agree', async () => {
    const { world, book, reconcile } = prepared();

    await reconcile();
    world.at += 30 * MINUTE_MS - 1;
    const before = await reconcile();
    world.at += 1;
    const after = await reconcile();

    expect(before.status).toBe('needs_review');
    expect(after).toMatchObject({ status: 'expired', sealed: true, failure: { code: 'CHARGE_EXPIRED' } });
    book({ bookedAt: world.seconds(0) });
    expect(await reconcile()).toMatchObject({ status: 'charged', foundLate: { laterSales: [] } });
  });

  it('needs review for another reason when its record does not match, and publishes that once', async () => {
    const { world, book, reconcile } = prepared({
      status: 'processing',
      statusBeforeReview: undefined,
      failure: undefined,
    } as never);
    book({ amount: 4001 });

    expect(await reconcile()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
    const { writes } = world.payments;
    await reconcile();

    expect(world.payments.writes).toBe(writes);
  });

  it.each([
    ['was never sent', { sentAt: undefined }],
    ['failed for good', { status: 'failed' }],
    ['is a hold whose void was sent', { status: 'authorized', transactionId: TRANSACTION_ID, voidSentAt: '2026' }],
  ])('is not read when it %s', async (_, extra) => {
    const { viva, reconcile } = prepared(extra as never);

    await reconcile();

    expect(viva.asked).toEqual([]);
  });
});

describe('a charge that was reported as ended', () => {
  it.each(['declined', 'expired', 'cancelled'] as const)(
    'becomes charged by late proof when it was %s, and is marked as found late',
    async (status) => {
      const { book, reconcile } = prepared({ status, statusBeforeReview: undefined } as never);
      book();

      expect(await reconcile()).toMatchObject({ status: 'charged', foundLate: { laterSales: [] } });
    },
  );

  it.each(['declined', 'expired', 'cancelled'] as const)(
    'keeps no reading when it was %s and the record proves no payment',
    async (status) => {
      for (const statusId of ['E', 'A', undefined]) {
        const { world, book, reconcile } = prepared({ status, statusBeforeReview: undefined } as never);
        if (statusId !== undefined) {
          book({ statusId });
        }
        world.at += 60 * MINUTE_MS;
        const { writes } = world.payments;

        await reconcile();

        expect(world.payments.writes).toBe(writes);
      }
    },
  );

  it('releases a hold that is found late, and does not capture it', async () => {
    const { world, book, reconcile } = prepared({ status: 'expired', preauth: true, capture: 'immediate' });
    book({ transactionTypeId: 1 });

    expect(await reconcile()).toMatchObject({
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
    ['it was refunded elsewhere', { transactionTypeId: 4 }, { status: 'refunded', refundedAmount: 4000 }],
    ['a part was refunded', { transactionTypeId: 4, amount: 1000 }, { status: 'charged', refundedAmount: 1000 }],
  ])('shows what was refunded when %s', async (_, child, expected) => {
    const { records, book, reconcileTwice } = prepared(charged);
    records.giveBack(book(), child);

    expect(await reconcileTwice()).toMatchObject(expected);
  });

  it('becomes refunded when all that was captured was returned', async () => {
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

  it('does not change by readings that are unfinished, failed or of another amount', async () => {
    for (const extra of [{ statusId: 'A' }, { statusId: 'E' }, { amount: 4001 }]) {
      const { book, reconcileTwice } = prepared(charged);
      book(extra);

      expect(await reconcileTwice()).toMatchObject({ status: 'charged' });
    }
  });

  it('becomes reversed by a status alone only when a second reading agrees', async () => {
    const { world, book, reconcile } = prepared(charged);
    book({ statusId: 'X' });

    const first = await reconcile();
    world.at += 5 * MINUTE_MS;

    expect(first.status).toBe('charged');
    expect(await reconcile()).toMatchObject({ status: 'reversed', refundedAmount: 4000 });
  });
});

describe('a hold that somebody else changed', () => {
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

  it('becomes cancelled by a second reading when it was released, which is due soon', async () => {
    const { world, records, hold, reconcile } = authorized();
    records.giveBack(hold);

    expect(await reconcile()).toMatchObject({ status: 'authorized', dueAt: world.seconds(300) });
    world.at += 5 * MINUTE_MS;
    expect(await reconcile()).toMatchObject({ status: 'cancelled', failure: { code: 'HOLD_RELEASED' } });
  });

  it('becomes captured by a second reading when it was captured', async () => {
    const { records, hold, book, reconcileTwice } = authorized();
    records.all[0] = { ...hold, statusId: 'C' };
    book({ transactionId: 'portal', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 2500 });

    expect(await reconcileTwice()).toMatchObject({ status: 'captured', capturedAmount: 2500 });
  });

  it('stands when only one reading says otherwise', async () => {
    const { records, reconcile, reconcileTwice } = authorized();
    records.lie = (all) => all.map((one) => ({ ...one, statusId: 'X' }));
    await reconcile();
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
    'shows what was refunded of its capture, which belongs to order %s',
    async (orderCode) => {
      const { records, capture, reconcile, reconcileTwice } = captured(orderCode);
      records.giveBack(capture, { transactionTypeId: 4, amount: 300, orderCode });

      expect((await reconcile()).refundedAmount).toBeUndefined();
      expect(await reconcileTwice()).toMatchObject({ status: 'captured', refundedAmount: 300 });
    },
  );

  it('needs review while two readings of its captures show another amount', async () => {
    const { records, capture, reconcile, reconcileTwice } = captured();
    records.lie = (all) => all.map((one) => (one.parentId ? { ...one, amount: one.amount + 100 } : one));
    records.giveBack(capture, { transactionTypeId: 4, amount: 900 });

    expect((await reconcile()).status).toBe('captured');
    expect(await reconcileTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
    records.lie = (all) => all;

    const reconciled = await reconcileTwice();
    expect(reconciled).toMatchObject({ status: 'captured', refundedAmount: 900 });
    expect(reconciled.failure).toBeUndefined();
  });

  it('shows the id of its capture as soon as the record is listed', async () => {
    const { world, reconcile } = captured();
    const { transactionId: _, ...nameless } = { ...CAPTURE, requestedAt: '2026-11-21T10:00:00.000Z' };
    await world.payments.change('charge', CHARGE_ID, () => ({ captures: [nameless] }));

    expect((await reconcile()).captures).toMatchObject([{ captureId: 'c', transactionId: 'capture', amount: 1000 }]);
  });

  it('gives no id to its capture while a record shows another amount', async () => {
    const { world, reconcile } = captured();
    const { transactionId: _, ...nameless } = { ...CAPTURE, amount: 900, requestedAt: '2026-11-21T10:00:00.000Z' };
    await world.payments.change('charge', CHARGE_ID, () => ({ captures: [nameless], capturedAmount: 1000 }));

    expect((await reconcile()).captures[0]?.transactionId).toBeUndefined();
  });

  it('does not change when its capture, made elsewhere, is not listed yet', async () => {
    const { world, records, reconcileTwice } = captured();
    await world.payments.change('charge', CHARGE_ID, () => ({ captures: [] }));
    records.lie = (all) => all.filter(({ parentId }) => parentId === undefined);

    const charge = await reconcileTwice();

    expect(charge.status).toBe('captured');
    expect(charge.reading).toBeUndefined();
  });

  it('becomes authorized and then captured when it was under review before its hold was known', async () => {
    const { book, reconcile } = prepared({ preauth: true });
    book({ transactionTypeId: 1, statusId: 'C' });
    book({ transactionId: 'capture', parentId: TRANSACTION_ID, transactionTypeId: 0, amount: 1000 });

    expect(await reconcile()).toMatchObject({ status: 'authorized', transactionId: TRANSACTION_ID });
  });

  it('needs review while its refunds are hidden', async () => {
    const { records, capture, reconcileTwice } = captured();
    records.lie = (all) => all.filter(({ transactionTypeId }) => transactionTypeId !== 4);
    records.giveBack(capture, { transactionTypeId: 4, amount: 900 });

    expect(await reconcileTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'REFUND_UNREADABLE' } });
    records.lie = (all) => all;

    expect(await reconcileTwice()).toMatchObject({ status: 'captured', refundedAmount: 900 });
  });
});
