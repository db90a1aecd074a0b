import { describe, expect, it } from 'vitest';
import { createCardToken } from '../../../../functions/sale/create-card-token/step.ts';
import { RejectedError } from '../../../../shared/flow/errors.ts';
import { anyCall, FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const card = { cardId: 'card_one', expirationMonth: 12, expirationYear: 2030, maskedNumber: '…0133' };
const paid = { status: 'paid' as const, transactionId: TRANSACTION_ID, card, customerReference: 'guest-77' };

function run(world: World, viva: FakeViva, subject: { saleId: string } | { cardId: string } = { saleId: SALE_ID }) {
  return createCardToken.run(subject, { ...world, vivaFor: viva.for }, world.invocation);
}

describe('create-card-token', () => {
  it('stores the card, and its token in the tokens table only', async () => {
    const world = new World();
    world.putSale(paid);

    expect(await run(world, new FakeViva())).toEqual({});

    expect(await world.sale()).toMatchObject({ status: 'tokenized', tokenization: { status: 'stored' } });
    expect(await world.payments.get('card', 'card_one')).toMatchObject({
      status: 'active',
      merchantId: MERCHANT_ID,
      customerReference: 'guest-77',
      expirationYear: 2030,
    });
    expect(await world.tokens.get('ct', 'card_one')).toMatchObject({ token: 'ct_CANARY' });
    expect(JSON.stringify([...world.payments.items.values()])).not.toContain('ct_');
  });

  it('keeps the first card token when two attempts run at the same time', async () => {
    const world = new World();
    world.putSale(paid);
    let made = 0;
    const viva = new FakeViva({
      createCardToken: async () => ({ cardToken: `ct_${++made}`, call: anyCall }),
    });

    await Promise.all([run(world, viva), run(world, viva)]);

    const kept = await world.tokens.get('ct', 'card_one');
    await run(world, viva);
    expect((await world.tokens.get('ct', 'card_one'))?.token).toBe(kept?.token);
    expect((await world.sale()).status).toBe('tokenized');
  });

  it('requests no token for a card that has one', async () => {
    const world = new World();
    world.putSale(paid);
    await world.tokens.put(
      'ct',
      'card_one',
      { token: 'ct_before', expirationMonth: 12, expirationYear: 2030 },
      2_000_000_000,
      0,
    );
    const viva = new FakeViva();

    await run(world, viva);

    expect(viva.asked).toEqual([]);
    expect((await world.sale()).status).toBe('tokenized');
  });

  it('keeps a sale paid whose card may not be stored, and records why', async () => {
    const world = new World();
    world.putSale(paid);
    const refused = new RejectedError('TOKENIZATION_NOT_ENABLED', 'no role');

    await expect(run(world, new FakeViva({ createCardToken: () => Promise.reject(refused) }))).rejects.toBe(refused);

    expect(await world.sale()).toMatchObject({
      status: 'paid',
      tokenization: { status: 'refused', code: 'TOKENIZATION_NOT_ENABLED' },
    });
  });

  it('makes a request to store a card an alias of the card', async () => {
    const world = new World();
    world.payments.put('card', 'card_request', {
      cardId: 'card_request',
      merchantId: MERCHANT_ID,
      status: 'pending',
      transactionId: TRANSACTION_ID,
      card,
      timeline: [],
    });

    await run(world, new FakeViva(), { cardId: 'card_request' });

    expect(await world.payments.get('card', 'card_request')).toMatchObject({ status: 'active', aliasOf: 'card_one' });
    expect(await world.payments.get('card', 'card_one')).toMatchObject({ status: 'active' });
  });

  it('reactivates a forgotten card when it is stored again', async () => {
    const world = new World();
    world.putSale(paid);
    const forgotten = {
      ...card,
      merchantId: MERCHANT_ID,
      status: 'deleted' as const,
      transactionId: 'old',
      timeline: [],
    };
    world.payments.put('card', 'card_one', forgotten);

    await run(world, new FakeViva());

    expect(await world.payments.get('card', 'card_one')).toMatchObject({
      status: 'active',
      transactionId: TRANSACTION_ID,
    });
  });
});
