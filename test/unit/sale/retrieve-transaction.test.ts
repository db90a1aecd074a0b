import { describe, expect, it } from 'vitest';
import { retrieveTransaction } from '../../../functions/sale/retrieve-transaction/step.ts';
import { TransientError } from '../../../shared/errors.ts';
import type { TransactionRecord } from '../../../shared/platform/platform.ts';
import { cardIdOf } from '../../../shared/references.ts';
import { anyCall, FakePlatform, TRANSACTION_ID } from '../../fakes/platform.ts';
import { Records } from '../../fakes/records.ts';
import { MERCHANT_ID, SALE_ID, World } from '../../fakes/world.ts';

const approved = {
  status: 'awaiting_card' as const,
  transactionId: TRANSACTION_ID,
  requestedAt: '2026-11-21T10:00:00.000Z',
};
const CARD_ID = cardIdOf('stack', MERCHANT_ID, 'one-card');

function reading(record: Partial<TransactionRecord>): FakePlatform {
  return new FakePlatform({
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

function run(
  world: World,
  platform: FakePlatform,
  subject: { saleId: string } | { cardId: string } = { saleId: SALE_ID },
) {
  return retrieveTransaction.run(subject, { ...world, platformFor: platform.for, stackId: 'stack' }, world.invocation);
}

describe('retrieve-transaction', () => {
  it('makes the sale paid, and keeps month, year and holder of the card where each belongs', async () => {
    const world = new World();
    world.putSale(approved);

    const result = await run(world, new FakePlatform());

    expect(result).toEqual({ tokenize: true });
    expect(await world.sale()).toMatchObject({
      status: 'paid',
      tokenization: { status: 'pending' },
      card: { cardId: CARD_ID, expirationMonth: 12, expirationYear: 2030, maskedNumber: '…0133' },
    });
    expect(await world.tokens.get('ct', CARD_ID)).toMatchObject({ holderName: 'A HOLDER', expirationYear: 2030 });
    expect(JSON.stringify(await world.sale())).not.toContain('HOLDER');
  });

  it('reads nothing again for a sale that is paid', async () => {
    const world = new World();
    world.putSale(approved);
    const platform = new FakePlatform();

    await run(world, platform);
    await run(world, platform);

    expect(platform.times('readTransaction')).toBe(1);
  });

  it('keeps nothing of the card when the sale does not store it', async () => {
    const world = new World();
    world.putSale({ ...approved, tokenize: false, tokenization: { status: 'none' } });

    expect(await run(world, new FakePlatform())).toEqual({ tokenize: false });

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

  it('takes a card for good until its month has ended everywhere', async () => {
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
  ])('stops for a person when the %s is not ours', async (_, record, code) => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading(record))).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(await world.sale()).toMatchObject({ status: 'needs_review', failure: { code } });
  });

  it('asks again while the transaction is not finished', async () => {
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

    await expect(run(world, records.platform())).rejects.toMatchObject({ code: 'SALE_REVERSED' });

    expect(await world.sale()).toMatchObject({ status: 'reversed', refundedAmount: 1500 });
  });

  it('stops a sale that was refunded elsewhere, once a second reading says so', async () => {
    const world = new World();
    world.putSale(approved);
    const records = new Records(world.now);
    records.giveBack(records.book(), { transactionTypeId: 4 });

    await expect(run(world, records.platform())).rejects.toThrow(TransientError);
    world.at += 5 * 60_000;
    await expect(run(world, records.platform())).rejects.toMatchObject({ code: 'SALE_REVERSED' });

    expect(await world.sale()).toMatchObject({ status: 'refunded', refundedAmount: 1500 });
  });

  it('goes on with a sale of which a part was refunded already', async () => {
    const world = new World();
    world.putSale(approved);
    const records = new Records(world.now);
    const card = { cardUniqueReference: 'one-card', expirationMonth: 12, expirationYear: 2030 };
    records.giveBack(records.book(card), { transactionTypeId: 4, amount: 300 });

    expect(await run(world, records.platform())).toEqual({ tokenize: true });
    expect(await world.sale()).toMatchObject({ status: 'paid', reading: { seen: 'given back 300' } });
  });

  it('asks again while something was given back that no list shows yet', async () => {
    const world = new World();
    world.putSale(approved);

    await expect(run(world, reading({ statusId: 'X' }))).rejects.toThrow(TransientError);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('keeps the card of a sale that was found paid after it had ended', async () => {
    const world = new World();
    world.putSale({
      status: 'paid',
      transactionId: TRANSACTION_ID,
      foundLate: { at: world.seconds(0), laterSales: [] },
    });

    expect(await run(world, new FakePlatform())).toEqual({ tokenize: true });

    expect(await world.sale()).toMatchObject({ status: 'paid', card: { cardId: CARD_ID } });
  });

  it('reads the card of a transaction made elsewhere', async () => {
    const world = new World();
    const request = {
      cardId: 'card_request',
      merchantId: MERCHANT_ID,
      status: 'pending' as const,
      transactionId: TRANSACTION_ID,
      timeline: [],
    };
    world.payments.put('card', 'card_request', request);

    expect(await run(world, new FakePlatform(), { cardId: 'card_request' })).toEqual({ tokenize: true });

    expect(await world.payments.get('card', 'card_request')).toMatchObject({ card: { cardId: CARD_ID } });
  });
});
