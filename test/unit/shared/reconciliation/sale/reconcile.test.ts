import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { Sale } from '../../../../../shared/payments/items/sale.ts';
import type { NewItem } from '../../../../../shared/payments/store.ts';
import { reconcileSale } from '../../../../../shared/reconciliation/sale/reconcile.ts';
import type { Viva } from '../../../../../shared/viva/viva.ts';
import { Records } from '../../../../fakes/records.ts';
import { finished, TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, TERMINAL_ID, World } from '../../../../fakes/world.ts';

const MINUTE_MS = 60_000;
const unreadable = () => Promise.reject(new TransientError('NO_ANSWER', 'timed out'));
const toldAsOver = ['declined', 'cancelled', 'expired', 'failed'] as const;

function prepared(sale: Partial<NewItem<'sale'>>, answers: Partial<Viva> = {}) {
  const world = new World();
  world.putSale({ requestedAt: world.seconds(0), chargeId: CHARGE_ID, ...sale });
  world.putCharge();
  const records = new Records(world.now);
  const viva = records.viva(answers);
  const reconcile = (): Promise<Sale> => reconcileSale(SALE_ID, { ...world, ...world.invocation, vivaFor: viva.for });
  const reconcileTwice = async () => {
    await reconcile();
    world.at += 5 * MINUTE_MS;
    return reconcile();
  };
  return { world, records, viva, reconcile, reconcileTwice };
}

describe('an unconfirmed sale', () => {
  const unconfirmed = (answers: Partial<Viva> = {}, extra: Partial<NewItem<'sale'>> = {}) =>
    prepared({ status: 'unconfirmed', ...extra }, answers);

  it.each([
    ['its session reports it', { readSession: finished({}) }, false],
    ['the list has it', {}, true],
    ['the list has it and the session cannot be read', { readSession: unreadable }, true],
    ['the list has it and the session is wrong', { readSession: finished({ success: false, eventId: 1099 }) }, true],
  ])('continues its execution with its transaction when %s', async (_, answers, listed) => {
    const { world, records, reconcile } = unconfirmed(answers as Partial<Viva>);
    if (listed) {
      records.book();
    }

    const sale = await reconcile();

    expect(sale).toMatchObject({
      status: 'unconfirmed',
      transactionId: TRANSACTION_ID,
      dueAt: new Date(world.at).toISOString(),
    });
    expect((await world.charge()).status).toBe('created');
  });

  it('becomes reversed, and never paid, when the payment was returned before anyone read it', async () => {
    const { world, records, reconcile } = unconfirmed({ readSession: unreadable });
    records.giveBack(records.book());

    const sale = await reconcile();

    expect(sale).toMatchObject({ status: 'reversed', transactionId: TRANSACTION_ID, refundedAmount: 1500 });
    expect(sale.outbox?.map(({ status }) => status)).toEqual(['reversed']);
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code: 'SALE_REVERSED' } });
  });

  it('ends as its session ended, together with its additional charge', async () => {
    const { world, reconcile } = unconfirmed({
      readSession: finished({ success: false, eventId: 1006, transactionEventId: 10051, transactionId: 'refused' }),
      readTransaction: () => Promise.reject(new TransientError('TRANSACTION_NOT_VISIBLE', 'not there')),
    });

    const sale = await reconcile();

    expect(sale).toMatchObject({ status: 'declined', failure: { code: 'CARD_INSUFFICIENT_FUNDS' } });
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code: 'SALE_NOT_PAID' } });
  });

  it.each([
    ['nothing was found', undefined, { status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } }],
    ['only a refusal was found', 'E', { status: 'declined', failure: { code: 'CARD_DECLINED' } }],
  ])('waits while a payment may still appear, and ends by a second reading when %s', async (_, statusId, end) => {
    const { world, records, reconcile } = unconfirmed();
    if (statusId !== undefined) {
      records.book({ statusId });
    }

    const first = await reconcile();
    world.at += 17 * MINUTE_MS - 1;
    const tooEarly = await reconcile();
    world.at += 1;
    const over = await reconcile();

    expect([first.status, tooEarly.status]).toEqual(['unconfirmed', 'unconfirmed']);
    expect(over).toMatchObject(end);
    expect((await world.charge()).status).toBe('cancelled');
  });

  it('ends as its session reported by two readings, from five minutes after its request', async () => {
    const readSession = finished({ success: false, eventId: 1099, transactionId: undefined } as never);
    const { world, reconcile } = unconfirmed({ readSession });

    await reconcile();
    world.at += 5 * MINUTE_MS - 1;
    const tooEarly = (await reconcile()).status;
    world.at += 1;

    expect(tooEarly).toBe('unconfirmed');
    expect(await reconcile()).toMatchObject({ status: 'failed', failure: { code: 'TERMINAL_ERROR' } });
  });

  it('does not end by one reading, however late, nor by two at once', async () => {
    const { world, reconcile } = unconfirmed();
    world.at += 17 * MINUTE_MS;

    await reconcile();
    const at = (await reconcile()).status;
    world.at += 4 * MINUTE_MS - 1;
    const soon = (await reconcile()).status;
    world.at += 1;

    expect([at, soon]).toEqual(['unconfirmed', 'unconfirmed']);
    expect((await reconcile()).status).toBe('expired');
  });

  it('needs two new readings when they differ', async () => {
    const { world, records, reconcile } = unconfirmed();
    const { transactionId } = records.book({ statusId: 'E' });

    await reconcile();
    world.at += 17 * MINUTE_MS;
    records.lie = (all) => all.filter((one) => one.transactionId !== transactionId);
    const other = await reconcile();

    expect(other).toMatchObject({ status: 'unconfirmed', reading: { seen: 'absent' } });
  });

  it('does not expire while the list cannot be read, and after an hour is under review but still read', async () => {
    const { world, records, viva, reconcile } = unconfirmed({ listDay: unreadable });
    world.at += 30 * MINUTE_MS;
    await expect(reconcile()).rejects.toThrow('NO_ANSWER');
    world.at += 30 * MINUTE_MS;

    const sale = await reconcile();

    expect(sale).toMatchObject({ status: 'needs_review', failure: { code: 'TERMINAL_NOT_ANSWERING' } });
    expect(sale.reconciledUntil).toBe(new Date(world.at + 24 * 60 * MINUTE_MS).toISOString());
    records.book({ bookedAt: world.seconds(0) });
    const readable = records.viva().for;
    const reconciled = await reconcileSale(SALE_ID, { ...world, ...world.invocation, vivaFor: readable });
    expect(reconciled).toMatchObject({ status: 'paid', tokenization: { status: 'pending' } });
    expect(reconciled.reconciledUntil).toBeUndefined();
    expect(viva.times('sendSale')).toBe(0);
  });

  it.each([
    ['2026-11-21T12:00:00.000Z', ['2026-11-21']],
    ['2026-11-21T21:45:00.000Z', ['2026-11-21', '2026-11-22']],
    ['2026-06-21T20:45:00.000Z', ['2026-06-21', '2026-06-22']],
  ])('requested at %s is searched in the Athens lists of %s', async (requestedAt, days) => {
    const { viva, reconcile } = unconfirmed({}, { requestedAt });

    await reconcile();

    expect(viva.asked.filter(({ method }) => method === 'listDay').map(({ request }) => request)).toEqual(days);
  });

  it('is not judged by a list with an unreadable record of it', async () => {
    const listDay: Viva['listDay'] = async () => ({
      records: [],
      unreadable: [`room 12 ${SALE_ID}`],
      call: { call: 'GET', status: 200, durationMs: 1 },
    });
    const { world, reconcile } = unconfirmed({ listDay });
    world.at += 40 * MINUTE_MS;

    await expect(reconcile()).rejects.toThrow('RECORD_UNREADABLE');
  });
});

describe('a sale that was reported as ended', () => {
  it.each(toldAsOver)(
    'becomes paid from %s by late proof, stores its card, and charges nothing more',
    async (status) => {
      const { world, records, reconcile } = prepared({ status, failure: { code: 'TERMINAL_TIMED_OUT' } });
      records.book();

      const sale = await reconcile();

      expect(sale).toMatchObject({
        status: 'paid',
        transactionId: TRANSACTION_ID,
        tokenization: { status: 'pending' },
        foundLate: { laterSales: [] },
      });
      expect(sale.failure).toBeUndefined();
      expect(sale.outbox?.map(({ type }) => type)).toEqual(['tillflow.sale.paid.v1']);
      expect(await world.charge()).toMatchObject({ status: 'cancelled' });
    },
  );

  it('names the later paid sales of the same terminal and amount', async () => {
    const { world, records, reconcile } = prepared({ status: 'expired' });
    const later = { ...(await world.sale()), saleId: 'later', status: 'paid' as const };
    world.at += MINUTE_MS;
    world.payments.put('sale', 'later', later);
    world.payments.put('sale', 'unpaid', { ...later, saleId: 'unpaid', status: 'declined' });
    world.payments.put('sale', 'smaller', { ...later, saleId: 'smaller', amount: 100 });
    world.payments.put('sale', 'elsewhere', { ...later, saleId: 'elsewhere', terminalId: 'another' });
    records.book();

    expect(await reconcile()).toMatchObject({ foundLate: { laterSales: ['later'] } });
    expect(TERMINAL_ID).not.toBe('another');
  });

  it.each(['declined', 'needs_review'] as const)(
    'becomes paid by the list although its session named a failed transaction (%s)',
    async (status) => {
      const { records, reconcile } = prepared({
        status,
        ...(status === 'needs_review' && { statusBeforeReview: 'declined' as const }),
        transactionId: 'named',
      });
      records.book({ transactionId: 'named', statusId: 'E' });
      records.book();

      expect(await reconcile()).toMatchObject({ status: 'paid', transactionId: TRANSACTION_ID });
    },
  );

  it('is read by its id before late proof counts', async () => {
    const { records, reconcile } = prepared({ status: 'declined' });
    records.book();
    records.lie = (all, read) => (read === 0 ? all : all.map((one) => ({ ...one, statusId: 'E' })));

    expect((await reconcile()).status).toBe('declined');
  });

  it('does not change when the transaction failed, never existed, or is unfinished', async () => {
    for (const statusId of ['E', 'A', undefined]) {
      const { world, records, reconcile } = prepared({ status: 'expired' });
      if (statusId !== undefined) {
        records.book({ statusId });
      }
      world.at += 60 * MINUTE_MS;
      await reconcile();
      world.at += 60 * MINUTE_MS;

      expect((await reconcile()).status).toBe('expired');
    }
  });

  it.each([
    ['of another amount', { amount: 1501 }, 'AMOUNT_MISMATCH'],
    ['in another currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['of another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, 'MERCHANT_MISMATCH'],
  ])('needs review when money was taken by a transaction %s', async (_, extra, code) => {
    const { records, reconcile } = prepared({ status: 'expired' });
    records.book(extra);

    expect(await reconcile()).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('leaves its review when only the reading was wrong, and still charges nothing more', async () => {
    const { world, records, reconcile } = prepared({ status: 'expired' });
    records.book();
    records.lie = (all) => all.map((one) => ({ ...one, amount: one.amount + 100 }));
    expect((await reconcile()).status).toBe('needs_review');
    records.lie = (all) => all;

    expect(await reconcile()).toMatchObject({ status: 'paid', foundLate: { laterSales: [] } });
    expect((await world.charge()).status).toBe('cancelled');
  });

  it('is not read when it was never sent', async () => {
    const { viva, reconcile } = prepared({ status: 'expired', requestedAt: undefined } as never);

    await reconcile();

    expect(viva.asked).toEqual([]);
  });
});

describe('a paid sale', () => {
  const paid = () =>
    prepared({ status: 'tokenized', transactionId: TRANSACTION_ID, tokenization: { status: 'stored' } });

  it.each([
    ['the platform reversed it', { transactionTypeId: 7 }, { status: 'reversed', refundedAmount: 1500 }],
    ['it was refunded elsewhere', { transactionTypeId: 4 }, { status: 'refunded', refundedAmount: 1500 }],
    ['a part was refunded', { transactionTypeId: 4, amount: 400 }, { status: 'tokenized', refundedAmount: 400 }],
  ])('shows what was refunded when %s', async (_, child, expected) => {
    const { records, reconcileTwice } = paid();
    records.giveBack(records.book(), child);

    expect(await reconcileTwice()).toMatchObject(expected);
  });

  it('shows the void at once, because the original and its child both report it', async () => {
    const { records, reconcile } = paid();
    records.giveBack(records.book());

    expect((await reconcile()).status).toBe('reversed');
  });

  it.each([
    ['all of it', 1500],
    ['a part of it', 400],
  ])('does not show %s as refunded by one reading, and corrects an amount that was wrong twice', async (_, amount) => {
    const { world, records, reconcile, reconcileTwice } = paid();
    records.giveBack(records.book(), { transactionTypeId: 4, amount });
    const first = await reconcile();
    records.lie = (all) => all.map((one) => (one.parentId === undefined ? one : { ...one, amount: 300 }));
    const wrong = await reconcileTwice();
    records.lie = (all) => all;
    world.at += 5 * MINUTE_MS;

    expect([first.status, first.refundedAmount]).toEqual(['tokenized', undefined]);
    expect(wrong).toMatchObject({ status: 'tokenized', refundedAmount: 300 });
    expect((await reconcileTwice()).refundedAmount).toBe(amount);
  });

  it('becomes refunded when the parts add up to all of it', async () => {
    const { records, reconcileTwice } = paid();
    records.giveBack(records.book(), { transactionTypeId: 4, amount: 400 });
    await reconcileTwice();
    records.book({ transactionId: 'rest', parentId: TRANSACTION_ID, transactionTypeId: 4, amount: 1100 });

    expect(await reconcileTwice()).toMatchObject({ status: 'refunded', refundedAmount: 1500 });
  });

  it('becomes reversed by a status alone only when a second reading agrees', async () => {
    const { world, records, reconcile } = paid();
    records.book({ statusId: 'X' });

    const first = await reconcile();
    world.at += 5 * MINUTE_MS;
    const second = await reconcile();

    expect(first).toMatchObject({ status: 'tokenized', reading: { seen: 'given back X' } });
    expect(second).toMatchObject({ status: 'reversed', refundedAmount: 1500 });
  });

  it('forgets a reading that was wrong', async () => {
    const { world, records, reconcile } = paid();
    records.book();
    records.lie = (all) => all.map((one) => ({ ...one, statusId: 'X' }));
    await reconcile();
    records.lie = (all) => all;
    world.at += 5 * MINUTE_MS;

    const sale = await reconcile();

    expect(sale.status).toBe('tokenized');
    expect(sale.reading).toBeUndefined();
  });

  it('needs review while a refund has no known amount, and leaves it when the amount is shown', async () => {
    const { records, reconcileTwice } = paid();
    const original = records.book({ statusId: 'R' });
    expect(await reconcileTwice()).toMatchObject({ status: 'needs_review', failure: { code: 'REFUND_UNREADABLE' } });
    records.giveBack(original, { transactionTypeId: 4, amount: 400 });

    expect(await reconcileTwice()).toMatchObject({
      status: 'tokenized',
      refundedAmount: 400,
      tokenization: { status: 'stored' },
    });
  });

  it.each([
    ['of another amount', { amount: 1501 }],
    ['of another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }],
    ['that failed', { statusId: 'E' }],
    ['that is unfinished', { statusId: 'A' }],
  ])('stays paid when its record is read as one %s', async (_, extra) => {
    const { records, reconcile } = paid();
    records.book(extra);

    expect((await reconcile()).status).toBe('tokenized');
  });

  it('takes the merchant whose credentials read it', async () => {
    const { viva, reconcile, records } = paid();
    records.book();
    await reconcile();

    expect(viva.asked.map(({ method }) => method)).toEqual(['readTransaction']);
    expect((await reconcile()).merchantId).toBe(MERCHANT_ID);
  });
});
