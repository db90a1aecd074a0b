import { expect, it } from 'vitest';
import { Ledger, type LedgerEntry, totalsOf } from '../../../../../sandbox/viva/books/ledger.ts';

const entry = (
  kind: LedgerEntry['kind'],
  amount: number,
  status: LedgerEntry['status'] = 'success',
  merchantTrns = '',
) => ({
  at: '2026-11-21T10:00:00.000Z',
  kind,
  transactionId: 't',
  parentId: null,
  merchantId: 'm',
  terminalId: null,
  sessionId: null,
  orderCode: '1',
  amount,
  isvAmount: 0,
  currency: 'EUR',
  merchantTrns,
  status,
});

it('counts money in and out, but neither a hold nor its release', () => {
  const ledger = new Ledger();
  ledger.append(entry('sale', 1500));
  ledger.append(entry('preauth', 5000, 'held'));
  ledger.append(entry('void', 5000, 'released'));
  ledger.append(entry('refund', 500));
  ledger.append(entry('rf_credit', 4200));

  expect(totalsOf(ledger.entries({}))).toMatchObject({ preauth: { count: 1, amount: 5000 }, net: 5200 });
});

it('finds entries by a part of their reference, and those after a position', () => {
  const ledger = new Ledger();
  ledger.append(entry('sale', 1500, 'success', 'room 12 aaaa'));
  ledger.append(entry('charge', 700, 'success', 'minibar bbbb'));

  expect(ledger.entries({ merchantTrns: 'bbbb' }).map(({ seq }) => seq)).toEqual([2]);
  expect(ledger.entries({ after: 1 }).map(({ seq }) => seq)).toEqual([2]);
});
