import { describe, expect, it } from 'vitest';
import { json } from '../../../fakes/network.ts';
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

describe('the list of a day', () => {
  it('distinguishes a list that is too long for one answer from one that cannot be read', async () => {
    const { viva } = clientOf(() => answer('x'.repeat(24 * 1024 * 1024)));

    expect(await rejection(viva.listDay('2026-11-21'))).toMatchObject({
      name: 'FaultError',
      code: 'DAY_TOO_LARGE',
    });
  });

  it('is requested for the day with the merchant’s credentials', async () => {
    const { viva, asked } = clientOf(() => answer());

    await viva.listDay('2026-11-21');

    expect(asked()).toMatchObject([
      {
        method: 'GET',
        path: '/api/transactions',
        query: { date: '2026-11-21' },
        authorization: basic(MERCHANT_ID, 'key'),
      },
    ]);
  });

  it('returns every record, and the references of those that are not as documented', async () => {
    const { viva } = clientOf(() => answer({ MerchantTrns: 'another', Amount: 'none' }, 7, null, ours));

    expect(await viva.listDay('2026-11-21')).toMatchObject({
      records: [
        {
          transactionId: 'tx-1',
          amount: 1501,
          currency: 'EUR',
          statusId: 'F',
          merchantTrns: 'room 12 sale-1',
          transactionTypeId: 5,
        },
      ],
      unreadable: ['another', '', ''],
    });
  });

  it.each([
    ['the answer is not a list', () => json(200, { ErrorCode: 0 })],
    ['the platform fails', () => json(500, 'busy')],
  ])('is unknown, not empty, when %s', async (_, script) => {
    const { viva } = clientOf(script);

    expect(await rejection(viva.listDay('2026-11-21'))).toMatchObject({
      name: 'TransientError',
    });
  });

  it('is read for a busy day', async () => {
    const others = Array.from({ length: 2_000 }, () => ({ ...ours, MerchantTrns: 'x'.repeat(1_000) }));
    const { viva } = clientOf(() => answer(...others, ours));

    expect((await viva.listDay('2026-11-21')).records).toHaveLength(2_001);
  });
});
