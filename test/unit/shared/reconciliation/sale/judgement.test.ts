import { describe, expect, it } from 'vitest';
import type { Sale } from '../../../../../shared/payments/items/sale.ts';
import { provePayment } from '../../../../../shared/reconciliation/records/proof.ts';
import { expectedPayment, judged } from '../../../../../shared/reconciliation/sale/judgement.ts';
import { Records } from '../../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../../fakes/viva.ts';
import { World } from '../../../../fakes/world.ts';

/** Returns a sale and a function that judges it by its records. */
async function prepared(change: Partial<Sale>) {
  const world = new World();
  world.putSale({ requestedAt: world.seconds(0), ...change });
  const sale = await world.sale();
  const records = new Records(world.now);
  const read = (evidence: object = {}) =>
    judged(sale, { proof: provePayment(expectedPayment(sale), records.all), ...evidence }, world.at);
  return { world, records, read };
}

describe('a sale that has ended', () => {
  it('names a record that does not match as the reason of its review', async () => {
    const { records, read } = await prepared({ status: 'needs_review', failure: { code: 'TRANSACTION_UNREADABLE' } });
    records.book({ amount: 1501 });

    expect(read()).toMatchObject({ failure: { code: 'AMOUNT_MISMATCH' }, transactionId: TRANSACTION_ID });
  });

  it('keeps the reason of its review if it was paid before', async () => {
    const review = { status: 'needs_review', statusBeforeReview: 'paid', transactionId: TRANSACTION_ID } as const;
    const { records, read } = await prepared({ ...review, failure: { code: 'REFUND_UNREADABLE' } });
    records.book({ amount: 1501 });

    expect(read()).toBeUndefined();
  });

  it.each(['paid', 'tokenized', 'refunded', 'reversed'] as const)(
    'does not need review as %s when a record does not match',
    async (status) => {
      const { records, read } = await prepared({ status, transactionId: TRANSACTION_ID });
      records.book({ amount: 1501 });

      expect(read()).toBeUndefined();
    },
  );

  it.each(['paid', 'tokenized', 'refunded', 'reversed', 'declined', 'expired', 'needs_review'] as const)(
    'is not changed as %s by a refusal, an absence, or an unfinished payment',
    async (status) => {
      for (const statusId of ['E', 'A', undefined]) {
        const { world, records, read } = await prepared({ status });
        if (statusId !== undefined) {
          records.book({ statusId });
        }
        world.at += 60 * 60_000;

        expect(read()).toBeUndefined();
      }
    },
  );

  it.each(['refunded', 'reversed'] as const)('stays %s when less is shown as refunded', async (status) => {
    const { records, read } = await prepared({ status, transactionId: TRANSACTION_ID, refundedAmount: 1500 });
    records.book();

    expect(read()?.status).toBeUndefined();
  });
});

describe('a sale that does not match its payment', () => {
  it.each([
    ['another amount', { amount: 1501 }, { transactionId: TRANSACTION_ID }],
    ['another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, {}],
  ])('needs review, and gets the transaction only if it is ours: %s', async (_, record, kept) => {
    const { records, read } = await prepared({ status: 'unconfirmed' });
    records.book(record);

    const patch = read();

    expect(patch).toMatchObject({ status: 'needs_review', ...kept });
    expect('transactionId' in (patch ?? {})).toBe('transactionId' in kept);
  });
});

describe('a sale whose terminal did not answer', () => {
  const review = { status: 'needs_review', statusBeforeReview: 'unconfirmed' } as const;
  const reading = { seen: 'absent', at: '2026-11-21T10:00:00.000Z' };

  it('ends by itself even when it is under review', async () => {
    const failure = { code: 'TERMINAL_NOT_ANSWERING' } as const;
    const { world, read } = await prepared({ ...review, failure, reading });
    world.at += 17 * 60_000;

    expect(read()).toMatchObject({ status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } });
  });

  it('stays under review when its payment does not match', async () => {
    const { world, read } = await prepared({ ...review, failure: { code: 'AMOUNT_MISMATCH' }, reading });
    world.at += 60 * 60_000;

    expect(read()).toBeUndefined();
  });

  it('records no reading while its record says that it may still be paid', async () => {
    const { records, read } = await prepared({ status: 'unconfirmed' });
    records.book({ statusId: 'A' });

    expect(read()).toBeUndefined();
  });

  it('does not end while it names a transaction', async () => {
    const { world, read } = await prepared({ status: 'unconfirmed', transactionId: 'named', reading });
    world.at += 60 * 60_000;

    expect(read()).toBeUndefined();
  });

  it('ends as its session reported, if that reported anything', async () => {
    const refusal = { status: 'cancelled', failure: { code: 'CANCELLED_ON_TERMINAL' } } as const;
    const { world, read } = await prepared({ status: 'unconfirmed', reading });
    world.at += 5 * 60_000;

    expect(read({ reported: refusal })).toMatchObject(refusal);
    expect(read()).toBeUndefined();
  });
});

describe('a sale that is found paid', () => {
  it.each([
    [true, 'pending'],
    [false, 'none'],
  ] as const)(
    'after it was reported as ended stores its card only if that was requested: %s',
    async (tokenize, status) => {
      const { world, records, read } = await prepared({ status: 'declined', tokenize });
      records.book();

      expect(read({ laterSales: ['later'] })).toMatchObject({
        status: 'paid',
        tokenization: { status },
        foundLate: { at: world.seconds(0), laterSales: ['later'] },
      });
    },
  );

  it('during a review was never reported as ended', async () => {
    const { records, read } = await prepared({ status: 'needs_review', statusBeforeReview: 'unconfirmed' });
    records.book();

    const patch = read();

    expect(patch).toMatchObject({ status: 'paid', tokenization: { status: 'pending' } });
    expect(patch).not.toHaveProperty('foundLate');
  });

  it('leaves its review with its former status', async () => {
    const { records, read } = await prepared({ status: 'needs_review', statusBeforeReview: 'tokenized' });
    records.book();

    const patch = read();

    expect(patch).toMatchObject({ status: 'tokenized', transactionId: TRANSACTION_ID });
    expect(patch).not.toHaveProperty('tokenization');
  });
});
