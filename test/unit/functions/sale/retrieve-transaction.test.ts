import { describe, expect, it } from 'vitest';
import { retrieveTransaction } from '../../../../functions/sale/retrieve-transaction/step.ts';
import { TransientError } from '../../../../shared/flow/errors.ts';
import type { Card } from '../../../../shared/payments/items/card.ts';
import { cardIdOf } from '../../../../shared/payments/references.ts';
import type { TransactionRecord } from '../../../../shared/viva/viva.ts';
import { Records } from '../../../fakes/records.ts';
import { anyCall, FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const approved = {
  status: 'awaiting_card' as const,
  transactionId: TRANSACTION_ID,
  requestedAt: '2026-11-21T10:00:00.000Z',
};
const CARD_ID = cardIdOf('stack', MERCHANT_ID, 'one-card');

function reading(record: Partial<TransactionRecord>): FakeViva {
  return new FakeViva({
    readTransaction: async (transactionId) => ({
      record: {
        ...{ transactionId, merchantId: MERCHANT_ID, merchantTrns: SALE_ID, amount: 1500, currency: 'EUR' },
        ...{ statusId: 'F', transactionTypeId: 5 },
        ...{ cardUniqueReference: 'one-card', expirationMonth: 12, expirationYear: 2030 },
        ...record,
      },
      call: anyCall,
    }),
  });
}

function run(world: World, viva: FakeViva, subject: { saleId: string } | { cardId: string } = { saleId: SALE_ID }) {
  return retrieveTransaction.run(subject, { ...world, vivaFor: viva.for, stackId: 'stack' }, world.invocation);
}

describe('retrieve-transaction', () => {
  it('makes the sale paid, and stores month, year and holder of the card in their items', async () => {
    const world = new World();
    world.putSale(approved);

    const result = await run(world, new FakeViva());

    expect(result).toEqual({ tokenize: true });
    expect(await world.sale()).toMatchObject({
      status: 'paid',
      tokenization: { status: 'pending' },
      card: { cardId: CARD_ID, expirationMonth: 12, expirationYear: 2030, maskedNumber: '…0133' },
    });
    expect(await world.tokens.get('ct', CARD_ID)).toMatchObject({ holderName: 'A HOLDER', expirationYear: 2030 });
    expect(JSON.stringify(await world.sale())).not.toContain('HOLDER');
  });

  it('reads nothing for a sale that is already paid', async () => {
    const world = new World();
    world.putSale(approved);
    const viva = new FakeViva();

    await run(world, viva);
    await run(world, viva);

    expect(viva.times('readTransaction')).toBe(1);
  });

  it.each([
    [
      'its reason',
      { status: 'refused' as const, code: 'TOKENIZATION_NOT_ENABLED' as const },
      'TOKENIZATION_NOT_ENABLED',
    ],
    ['a generic reason when none was recorded', { status: 'refused' as const }, 'CARD_NOT_TOKENIZABLE'],
  ])('stops the execution of a paid sale whose card was refused, with %s', async (_, tokenization, code) => {
    const world = new World();
    world.putSale({ ...approved, status: 'paid', tokenization });
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(viva.asked).toEqual([]);
  });

  it.each([
    ['ended unpaid', { status: 'declined' as const, failure: { code: 'CARD_DECLINED' as const } }, 'CARD_DECLINED'],
    ['was refunded', { status: 'reversed' as const }, 'SALE_ENDED'],
    [
      'is under review',
      { status: 'needs_review' as const, failure: { code: 'AMOUNT_MISMATCH' as const } },
      'AMOUNT_MISMATCH',
    ],
    ['names no transaction', { transactionId: undefined }, 'SALE_ENDED'],
  ])('reads nothing for a sale that %s', async (_, change, code) => {
    const world = new World();
    world.putSale({ ...approved, ...change } as never);
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(viva.asked).toEqual([]);
  });

  it.each([
    ['stored', true],
    ['none', false],
  ] as const)('continues with a paid sale whose card is %s, and reads nothing', async (status, tokenize) => {
    const world = new World();
    world.putSale({ ...approved, status: 'paid', tokenization: { status } });
    const viva = new FakeViva();

    expect(await run(world, viva)).toEqual({ tokenize });

    expect(viva.asked).toEqual([]);
  });

  it('keeps the token of a stored card, and forgets it when the card was renewed', async () => {
    const stored = async (expirationYear: number) => {
      const world = new World();
      world.putSale(approved);
      const value = { token: 'ct_before', holderName: 'BEFORE', expirationMonth: 12, expirationYear };
      await world.tokens.put('ct', CARD_ID, value, 2_000_000_000, 0);
      await run(world, reading({}));
      return world.tokens.get('ct', CARD_ID);
    };

    expect(await stored(2030)).toMatchObject({ token: 'ct_before', holderName: 'BEFORE', expirationYear: 2030 });
    const renewed = await stored(2029);
    expect(renewed).toMatchObject({ holderName: 'BEFORE', expirationYear: 2030 });
    expect(renewed).not.toHaveProperty('token');
  });

  it('keeps the holder’s name for one day when no card token follows', async () => {
    const world = new World();
    world.putSale(approved);
    await run(world, new FakeViva());

    world.at += 24 * 3_600_000 - 1_000;
    expect(await world.tokens.get('ct', CARD_ID)).toBeDefined();
    world.at += 1_000;

    expect(await world.tokens.get('ct', CARD_ID)).toBeUndefined();
  });

  it('stores nothing of the card when the sale does not store it', async () => {
    const world = new World();
    world.putSale({ ...approved, tokenize: false, tokenization: { status: 'none' } });

    expect(await run(world, new FakeViva())).toEqual({ tokenize: false });

    expect(await world.tokens.get('ct', CARD_ID)).toBeUndefined();
    expect(await world.sale()).toMatchObject({ status: 'paid', tokenization: { status: 'none' } });
  });

  it.each([
    ['a phone wallet', { digitalWalletId: '3' }],
    ['a card that expired last month', { expirationMonth: 10, expirationYear: 2026 }],
  ])('keeps the sale paid but refuses to store %s', async (_, record) => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading(record))).rejects.toMatchObject({
      name: 'RejectedError',
      code: 'CARD_NOT_TOKENIZABLE',
    });

    expect(await world.sale()).toMatchObject({
      status: 'paid',
      tokenization: { status: 'refused', code: 'CARD_NOT_TOKENIZABLE' },
    });
  });

  it('treats a card as valid until its month has ended in every time zone', async () => {
    const world = new World();
    world.putSale(approved);
    world.at = Date.parse('2026-12-01T11:59:00Z');

    expect(await run(world, reading({ expirationMonth: 11, expirationYear: 2026 }))).toEqual({ tokenize: true });
  });

  it.each([
    ['amount', { amount: 1499 }, 'AMOUNT_MISMATCH'],
    ['currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, 'MERCHANT_MISMATCH'],
    ['reference', { merchantTrns: 'room 12' }, 'TRANSACTION_MISMATCH'],
    ['parent', { parentId: 'another' }, 'TRANSACTION_MISMATCH'],
  ])('marks a sale for review when the %s is not ours', async (_, record, code) => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading(record))).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(await world.sale()).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('reads again while the transaction is not finished', async () => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading({ statusId: 'A' }))).rejects.toThrow(TransientError);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('stops a sale that the platform reversed', async () => {
    const world = new World();
    world.putSale(approved);
    const records = new Records(world.now);
    records.giveBack(records.book());

    await expect(run(world, records.viva())).rejects.toMatchObject({ code: 'SALE_REVERSED' });

    expect(await world.sale()).toMatchObject({ status: 'reversed', refundedAmount: 1500 });
  });

  it('stops a sale that was refunded elsewhere once a second reading confirms it', async () => {
    const world = new World();
    world.putSale(approved);
    const records = new Records(world.now);
    records.giveBack(records.book(), { transactionTypeId: 4 });

    await expect(run(world, records.viva())).rejects.toThrow(TransientError);
    world.at += 5 * 60_000;
    await expect(run(world, records.viva())).rejects.toMatchObject({ code: 'SALE_REVERSED' });

    expect(await world.sale()).toMatchObject({ status: 'refunded', refundedAmount: 1500 });
  });

  it('continues with a partly refunded sale', async () => {
    const world = new World();
    world.putSale(approved);
    const records = new Records(world.now);
    const card = { cardUniqueReference: 'one-card', expirationMonth: 12, expirationYear: 2030 };
    records.giveBack(records.book(card), { transactionTypeId: 4, amount: 300 });

    expect(await run(world, records.viva())).toEqual({ tokenize: true });
    expect(await world.sale()).toMatchObject({ status: 'paid', reading: { seen: 'given back 300' } });
  });

  it('reads again while a refund is not listed yet', async () => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading({ statusId: 'X' }))).rejects.toThrow(TransientError);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('stores the card of a sale that was found paid after its end', async () => {
    const world = new World();
    world.putSale({
      status: 'paid',
      transactionId: TRANSACTION_ID,
      foundLate: { at: world.seconds(0), laterSales: [] },
    });

    expect(await run(world, new FakeViva())).toEqual({ tokenize: true });

    expect(await world.sale()).toMatchObject({ status: 'paid', card: { cardId: CARD_ID } });
  });

  describe('for a transaction made elsewhere', () => {
    const asked = (change: Partial<Card> = {}) => {
      const world = new World();
      world.payments.put('card', 'card_request', {
        cardId: 'card_request',
        merchantId: MERCHANT_ID,
        status: 'pending',
        transactionId: TRANSACTION_ID,
        timeline: [],
        ...change,
      });
      return world;
    };
    const request = (world: World) => world.payments.get('card', 'card_request');

    it('reads its card', async () => {
      const world = asked();

      expect(await run(world, new FakeViva(), { cardId: 'card_request' })).toEqual({ tokenize: true });

      expect(await request(world)).toMatchObject({ status: 'pending', card: { cardId: CARD_ID } });
    });

    it.each<[string, Partial<TransactionRecord>, string]>([
      ['belongs to another merchant', { merchantId: '00000000-0000-4000-8000-000000000000' }, 'TRANSACTION_NOT_FOUND'],
      ['names no merchant', { merchantId: undefined } as never, 'TRANSACTION_NOT_FOUND'],
      ['failed', { statusId: 'E' }, 'TRANSACTION_NOT_PAID'],
      ['was refunded in full', { statusId: 'X' }, 'TRANSACTION_NOT_PAID'],
      ['is not a card payment', { transactionTypeId: 15 }, 'CARD_NOT_TOKENIZABLE'],
      ['was paid by phone', { digitalWalletId: '3' }, 'CARD_NOT_TOKENIZABLE'],
      ['has no expiry date', { expirationMonth: undefined } as never, 'CARD_NOT_TOKENIZABLE'],
    ])('refuses the request when the transaction %s', async (_, record, code) => {
      const world = asked();

      await expect(run(world, reading(record), { cardId: 'card_request' })).rejects.toMatchObject({
        name: 'RejectedError',
        code,
      });

      expect(await request(world)).toMatchObject({ status: 'refused', failure: { code } });
      expect(world.tokens.rows.size).toBe(0);
    });

    it.each(['R', 'F', 'C', 'M'])('reads its card although the transaction has status %s', async (statusId) => {
      const world = asked();

      expect(await run(world, reading({ statusId }), { cardId: 'card_request' })).toEqual({ tokenize: true });
    });

    it('reads again while the transaction is not finished', async () => {
      const world = asked();

      await expect(run(world, reading({ statusId: 'A' }), { cardId: 'card_request' })).rejects.toThrow(TransientError);

      expect((await request(world))?.status).toBe('pending');
    });

    it.each<[string, Partial<Card>]>([
      ['is answered', { status: 'refused' }],
      ['already has its card', { card: { cardId: CARD_ID, expirationMonth: 12, expirationYear: 2030 } }],
    ])('reads nothing for a request that %s', async (_, change) => {
      const world = asked(change);
      const viva = new FakeViva();

      expect(await run(world, viva, { cardId: 'card_request' })).toEqual({ tokenize: true });

      expect(viva.asked).toEqual([]);
    });

    it('does not undo a request that was granted meanwhile', async () => {
      const world = asked();
      const { readTransaction } = reading({ statusId: 'E' }).for({} as never, () => 20_000);
      const viva = new FakeViva({
        readTransaction: async (id) => {
          world.payments.overwrite('card', 'card_request', { status: 'active' });
          return readTransaction(id);
        },
      });

      await expect(run(world, viva, { cardId: 'card_request' })).rejects.toThrow();

      expect((await request(world))?.status).toBe('active');
    });
  });
});
