import { describe, expect, it } from 'vitest';
import { json } from '../../fakes/network.ts';
import { basic, clientOf, MERCHANT_ID, rejection } from './account.ts';

const ours = {
  TransactionId: 'tx-1',
  Amount: 15.01,
  CurrencyCode: '978',
  StatusId: 'F',
  MerchantTrns: 'room 12 sale-1',
  TransactionType: { TransactionTypeId: 5 },
};
const answer = (...transactions: unknown[]) => json(200, { Transactions: transactions, ErrorCode: 0, Success: true });

describe('a search in the list of a day', () => {
  it('asks for the day, as the merchant', async () => {
    const { platform, asked } = clientOf(() => answer());

    await platform.findTransactions('2026-11-21', 'sale-1');

    expect(asked()).toMatchObject([
      {
        method: 'GET',
        path: '/api/transactions',
        query: { date: '2026-11-21' },
        authorization: basic(MERCHANT_ID, 'key'),
      },
    ]);
  });

  it('finds what ends with the id, and nothing that only has it somewhere', async () => {
    const { platform } = clientOf(() =>
      answer(
        ours,
        { ...ours, TransactionId: 'tx-2', MerchantTrns: 'sale-1 and more' },
        { ...ours, MerchantTrns: null },
      ),
    );

    const { records } = await platform.findTransactions('2026-11-21', 'sale-1');

    expect(records).toEqual([
      {
        transactionId: 'tx-1',
        amount: 1501,
        currency: 'EUR',
        statusId: 'F',
        merchantTrns: 'room 12 sale-1',
        transactionTypeId: 5,
      },
    ]);
  });

  it('does not mind what others’ records look like', async () => {
    const { platform } = clientOf(() => answer({ MerchantTrns: 'another', Amount: 'none' }, 7, null, ours));

    expect((await platform.findTransactions('2026-11-21', 'sale-1')).records).toHaveLength(1);
  });

  it.each([
    ['our own record cannot be read', () => answer({ ...ours, Amount: 'none' })],
    ['the answer is no list', () => json(200, { ErrorCode: 0 })],
    ['the platform fails', () => json(500, 'busy')],
  ])('finds nothing out, rather than nothing, when %s', async (_, script) => {
    const { platform } = clientOf(script);

    expect(await rejection(platform.findTransactions('2026-11-21', 'sale-1'))).toMatchObject({
      name: 'TransientError',
    });
  });

  it('reads the list of a busy day', async () => {
    const others = Array.from({ length: 2_000 }, () => ({ ...ours, MerchantTrns: 'x'.repeat(1_000) }));
    const { platform } = clientOf(() => answer(...others, ours));

    expect((await platform.findTransactions('2026-11-21', 'sale-1')).records).toHaveLength(1);
  });
});
