import { describe, expect, it } from 'vitest';
import type { Account } from '../../../../../shared/payments/items/account.ts';
import {
  familyOf,
  keepingDays,
  merged,
  readPayment,
  searchTransactions,
} from '../../../../../shared/reconciliation/records/search.ts';
import type { TransactionRecord } from '../../../../../shared/viva/viva.ts';
import { anyCall, FakeViva, ORDER_CODE } from '../../../../fakes/viva.ts';
import { SALE_ID } from '../../../../fakes/world.ts';

const record = (transactionId: string, more: Partial<TransactionRecord> = {}): TransactionRecord => ({
  transactionId,
  amount: 1500,
  currency: 'EUR',
  statusId: 'F',
  ...more,
});
const account = (merchantId: string) => ({ merchantId }) as Account;
const idsOf = (records: readonly TransactionRecord[]) => records.map(({ transactionId }) => transactionId);

describe('the family of a payment', () => {
  const original = record('hold', { merchantTrns: `room 12 ${SALE_ID.toUpperCase()}` });
  const capture = record('capture', { parentId: 'HOLD' });
  const refund = record('refund', { parentId: 'capture', merchantTrns: 'goodwill' });
  const strangers = [record('stranger'), record('child-of-stranger', { parentId: 'stranger' })];

  it('contains the records with its reference, and all their descendants, in any order', () => {
    const all = [refund, ...strangers, capture, original];

    expect(idsOf(familyOf(all, SALE_ID)).toSorted()).toEqual(['capture', 'hold', 'refund']);
    expect(idsOf(familyOf(all.toReversed(), SALE_ID)).toSorted()).toEqual(['capture', 'hold', 'refund']);
  });

  it('is empty when no record carries its reference', () => {
    expect(familyOf([capture, refund, ...strangers], SALE_ID)).toEqual([]);
  });

  it('is searched in the lists of the days on which its request may have been booked', async () => {
    const listDay = async () => ({ records: [original, capture, ...strangers], unreadable: [], call: anyCall });
    const viva = new FakeViva({ listDay });

    const found = await searchTransactions(
      viva.for(account('m'), () => 1),
      SALE_ID,
      '2026-11-21T10:00:00.000Z',
    );

    expect(idsOf(found)).toEqual(['hold', 'capture']);
    expect(viva.asked).toEqual([{ method: 'listDay', request: '2026-11-21' }]);
  });

  it('ignores unreadable records with other references', async () => {
    const listDay = async () => ({ records: [original], unreadable: ['room 13'], call: anyCall });
    const viva = new FakeViva({ listDay }).for(account('m'), () => 1);

    expect(idsOf(await searchTransactions(viva, SALE_ID, '2026-11-21T10:00:00.000Z'))).toEqual(['hold']);
  });
});

describe('a payment that is read by its id', () => {
  const reading = (read: TransactionRecord) =>
    new FakeViva({
      readTransaction: async () => ({ record: read, call: anyCall }),
      listOrderTransactions: async () => ({
        records: [record('one', { statusId: 'F', amount: 1 }), record('child', { parentId: 'one' })],
        call: anyCall,
      }),
    });

  it.each(['C', 'R', 'X', 'ML'])(
    'is read with its children when its status is %s, and is returned as it was read',
    async (statusId) => {
      const viva = reading(record('ONE', { statusId, orderCode: ORDER_CODE }));

      const found = await readPayment(
        viva.for(account('m'), () => 1),
        'one',
      );

      expect(found).toMatchObject([{ transactionId: 'ONE', statusId }, { transactionId: 'child' }]);
      expect(viva.asked.at(-1)).toEqual({ method: 'listOrderTransactions', request: ORDER_CODE });
    },
  );

  it.each<[string, Partial<TransactionRecord>]>([
    ['has no children', { statusId: 'F', orderCode: ORDER_CODE }],
    ['is disputed', { statusId: 'M', orderCode: ORDER_CODE }],
    ['names no order', { statusId: 'R' }],
  ])('costs one read when it %s', async (_, change) => {
    const viva = reading(record('one', change));

    expect(
      idsOf(
        await readPayment(
          viva.for(account('m'), () => 1),
          'one',
        ),
      ),
    ).toEqual(['one']);
    expect(viva.asked).toHaveLength(1);
  });
});

describe('several readings', () => {
  it('are merged, and the later record counts', () => {
    const earlier = [record('one', { statusId: 'A' }), record('two')];

    expect(merged(earlier, [record('ONE')])).toMatchObject([
      { transactionId: 'ONE', statusId: 'F' },
      { transactionId: 'two' },
    ]);
  });

  it('of one day of one merchant in one run are one read', async () => {
    const viva = new FakeViva();
    const vivaFor = keepingDays(viva.for);
    const list = (merchantId: string, day: string) => vivaFor(account(merchantId), () => 1).listDay(day);

    await list('one', '2026-11-21');
    await list('one', '2026-11-21');
    await list('two', '2026-11-21');
    await list('one', '2026-11-22');

    expect(viva.times('listDay')).toBe(3);
  });
});
