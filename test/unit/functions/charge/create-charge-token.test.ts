import { describe, expect, it } from 'vitest';
import { createChargeToken } from '../../../../functions/charge/create-charge-token/step.ts';
import { FaultError, RejectedError, TransientError } from '../../../../shared/flow/errors.ts';
import type { Charge } from '../../../../shared/payments/items/charge.ts';
import { anyCall, FakeViva } from '../../../fakes/viva.ts';
import { CHARGE_ID, World } from '../../../fakes/world.ts';

const FAR = 2_000_000_000;

async function tokenizedSale(): Promise<World> {
  const world = new World();
  world.putSale({
    status: 'tokenized',
    tokenization: { status: 'stored' },
    card: { cardId: 'card_one', expirationMonth: 12, expirationYear: 2030 },
    chargeId: CHARGE_ID,
  });
  world.putCharge();
  const value = { token: 'ct_CANARY', holderName: 'A HOLDER', expirationMonth: 12, expirationYear: 2030 };
  await world.tokens.put('ct', 'card_one', value, FAR, 0);
  return world;
}

let ids = 0;
const newId = () => `ref-${++ids}`;

function run(world: World, viva: FakeViva) {
  return createChargeToken.run({ chargeId: CHARGE_ID }, { ...world, vivaFor: viva.for, newId }, world.invocation);
}

describe('create-charge-token', () => {
  it('stores the charge token under a reference, with the card it belongs to', async () => {
    const world = await tokenizedSale();
    const viva = new FakeViva();

    expect(await run(world, viva)).toEqual({ authenticate: false });

    const charge = await world.charge();
    expect(charge).toMatchObject({ cardId: 'card_one', ctokCreatedAt: world.seconds(0) });
    expect(await world.tokens.get('ctok', charge.ctokRef ?? '')).toMatchObject({ token: 'ctok_CANARY' });
    expect(viva.asked[0]?.request).toMatchObject({
      amount: 4000,
      holderName: 'A HOLDER',
      moto: true,
      cardToken: 'ct_CANARY',
    });
  });

  it('charges a stored card that belongs to no sale', async () => {
    const world = await tokenizedSale();
    world.payments.items.delete(`charge#${CHARGE_ID}`);
    world.putCharge({ saleId: undefined, cardId: 'card_one' } as never);
    const viva = new FakeViva();

    expect(await run(world, viva)).toEqual({ authenticate: false });

    expect(viva.asked[0]?.request).toMatchObject({ cardToken: 'ct_CANARY' });
    expect(await world.charge()).toMatchObject({ cardId: 'card_one', ctokRef: expect.any(String) });
  });

  it('charges the card that the charge names, and not another card of its sale', async () => {
    const world = await tokenizedSale();
    world.putCharge({ cardId: 'card_two' });
    const value = { token: 'ct_two', holderName: 'A HOLDER', expirationMonth: 12, expirationYear: 2030 };
    await world.tokens.put('ct', 'card_two', value, FAR, 0);
    const viva = new FakeViva();

    await run(world, viva);

    expect(viva.asked[0]?.request).toMatchObject({ cardToken: 'ct_two' });
  });

  it.each([
    ['of the charge itself', { holderName: 'FROM CHARGE', customer: { fullname: 'FROM CUSTOMER' } }, 'FROM CHARGE'],
    ['of the card', { customer: { fullname: 'FROM CUSTOMER' } }, 'A HOLDER'],
  ])('uses the holder’s name %s', async (_, change, holderName) => {
    const world = await tokenizedSale();
    world.putCharge(change);
    const viva = new FakeViva();

    await run(world, viva);

    expect(viva.asked[0]?.request).toMatchObject({ holderName });
  });

  it('uses the customer’s name when the holder’s is unknown', async () => {
    const world = await tokenizedSale();
    world.putCharge({ customer: { fullname: 'FROM CUSTOMER' } });
    await world.tokens.put('ct', 'card_one', { token: 'ct', expirationMonth: 12, expirationYear: 2030 }, FAR, 1);
    const viva = new FakeViva();

    await run(world, viva);

    expect(viva.asked[0]?.request).toMatchObject({ holderName: 'FROM CUSTOMER' });
  });

  it.each([
    [undefined, false],
    ['<form></form>', true],
  ])('records in the timeline whether the payer has to authenticate (form: %s)', async (form, authentication) => {
    const world = await tokenizedSale();
    const answer = { chargeToken: 'ctok_CANARY', ...(form !== undefined && { form }), call: anyCall };

    await run(world, new FakeViva({ createChargeToken: async () => answer }));

    expect((await world.charge()).timeline).toMatchObject([
      { event: 'charge_token.created', detail: { authentication } },
    ]);
  });

  it('stores the token and its form for as long as the platform’s token lives', async () => {
    const world = await tokenizedSale();
    const answer = { chargeToken: 'ctok_CANARY', form: '<form></form>', call: anyCall };
    await run(world, new FakeViva({ createChargeToken: async () => answer }));
    const { ctokRef = '' } = await world.charge();

    world.at += 599_000;
    expect(await world.tokens.get('ctok', ctokRef)).toBeDefined();
    expect(await world.tokens.get('form', ctokRef)).toBeDefined();
    world.at += 1_000;

    expect(await world.tokens.get('ctok', ctokRef)).toBeUndefined();
    expect(await world.tokens.get('form', ctokRef)).toBeUndefined();
  });

  it.each<[string, Partial<Charge>, string]>([
    ['ended', { status: 'declined', failure: { code: 'CARD_DECLINED' } }, 'CARD_DECLINED'],
    ['ended without a recorded reason', { status: 'cancelled' }, 'CHARGE_ENDED'],
    [
      'ended after its token was made',
      { status: 'expired', ctokRef: 'ref', failure: { code: 'CHARGE_EXPIRED' } },
      'CHARGE_EXPIRED',
    ],
    [
      'needs review',
      { status: 'needs_review', ctokRef: 'ref', failure: { code: 'OUTCOME_UNKNOWN' } },
      'OUTCOME_UNKNOWN',
    ],
    [
      'needs review although it was made',
      { status: 'needs_review', ctokRef: 'ref', transactionId: 'tx', failure: { code: 'REFUND_UNREADABLE' } },
      'REFUND_UNREADABLE',
    ],
  ])('stops the execution of a charge that %s', async (_, charge, code) => {
    const world = await tokenizedSale();
    world.putCharge(charge);
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(viva.asked).toEqual([]);
  });

  it.each(['charged', 'captured', 'authorized', 'processing'] as const)(
    'lets the execution of a charge that is %s continue',
    async (status) => {
      const world = await tokenizedSale();
      world.putCharge({ status, ctokRef: 'ref', transactionId: 'tx' });

      expect(await run(world, new FakeViva())).toEqual({ authenticate: false });
    },
  );

  it('stores no token for a charge that ended while the token was made', async () => {
    const world = await tokenizedSale();
    const viva = new FakeViva({
      createChargeToken: async () => {
        world.payments.overwrite('charge', CHARGE_ID, { status: 'cancelled', failure: { code: 'CHARGE_WITHDRAWN' } });
        return { chargeToken: 'ctok_CANARY', call: anyCall };
      },
    });

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code: 'CHARGE_WITHDRAWN' });

    expect((await world.charge()).ctokRef).toBeUndefined();
  });

  it('makes no second charge token once one is stored', async () => {
    const world = await tokenizedSale();
    const viva = new FakeViva();

    await run(world, viva);
    await run(world, viva);

    expect(viva.times('createChargeToken')).toBe(1);
  });

  it('keeps the first of two tokens that were made at the same time', async () => {
    const world = await tokenizedSale();

    await Promise.all([run(world, new FakeViva()), run(world, new FakeViva())]);

    const entries = (await world.charge()).timeline.filter(({ event }) => event === 'charge_token.created');
    expect(entries).toHaveLength(1);
  });

  it('stores no token for a sealed charge', async () => {
    const world = await tokenizedSale();
    world.putCharge({ sealed: true });

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ code: 'CHARGE_SEALED' });

    expect((await world.charge()).ctokRef).toBeUndefined();
  });

  it('waits for the payer when the issuer asks for authentication, and keeps the form out of the item', async () => {
    const world = await tokenizedSale();
    const form = '<form>CANARY</form>';
    const viva = new FakeViva({
      createChargeToken: async () => ({ chargeToken: 'ctok_CANARY', form, call: anyCall }),
    });

    expect(await run(world, viva)).toEqual({ authenticate: true });

    const charge = await world.charge();
    expect(charge.status).toBe('requires_authentication');
    expect(await world.tokens.get('form', charge.ctokRef ?? '')).toMatchObject({ html: form });
    expect(JSON.stringify(charge)).not.toContain('CANARY');
  });

  it('starts nothing for a sale with a recorded abort', async () => {
    const world = await tokenizedSale();
    await world.payments.change('sale', (await world.sale()).saleId, () => ({ abortRequestedAt: world.seconds(1) }));
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ code: 'CHARGE_WITHDRAWN' });

    expect(viva.asked).toEqual([]);
    expect((await world.charge()).status).toBe('cancelled');
  });

  it.each([
    ['was reversed', { status: 'reversed' as const }, 'SALE_REVERSED'],
    ['was refunded', { status: 'refunded' as const }, 'SALE_REVERSED'],
    ['needs review', { status: 'needs_review' as const }, 'SALE_IN_REVIEW'],
    ['was not paid', { status: 'declined' as const }, 'SALE_NOT_PAID'],
    ['was found paid late', { foundLate: { at: '2026-11-21T10:00:00.000Z', laterSales: [] } }, 'SALE_NOT_PAID'],
  ])('starts nothing for a sale that %s', async (_, change, code) => {
    const world = await tokenizedSale();
    await world.payments.change('sale', (await world.sale()).saleId, () => change);
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ code });

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code } });
  });

  it.each([
    [
      'the holder’s name is unknown',
      { expirationMonth: 12, expirationYear: 2030, token: 'ct_CANARY' },
      'HOLDER_NAME_NEEDED',
    ],
    [
      'the card has expired',
      { expirationMonth: 10, expirationYear: 2026, token: 'ct_CANARY', holderName: 'A' },
      'CARD_EXPIRED',
    ],
    ['the card’s token is gone', { expirationMonth: 12, expirationYear: 2030, holderName: 'A' }, 'CARD_NOT_STORED'],
  ])('fails before it calls the platform when %s', async (_, value, code) => {
    const world = await tokenizedSale();
    await world.tokens.put('ct', 'card_one', value, FAR, 1);
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ code });

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({ status: 'failed', sealed: true, failure: { code } });
  });

  it.each([
    [new RejectedError('NATIVE_CHECKOUT_NOT_ENABLED', 'no'), 'NATIVE_CHECKOUT_NOT_ENABLED'],
    [new RejectedError('CHARGE_TOKEN_REFUSED', 'no'), 'CHARGE_TOKEN_REFUSED'],
    [new FaultError('CREDENTIALS_REFUSED', 'no'), 'ACCOUNT_NOT_READY'],
  ])('fails with the platform’s reason on %s', async (refused, code) => {
    const world = await tokenizedSale();

    await expect(run(world, new FakeViva({ createChargeToken: () => Promise.reject(refused) }))).rejects.toBe(refused);

    expect(await world.charge()).toMatchObject({ status: 'failed', sealed: true, failure: { code } });
  });

  it('fails with a retryable error when the platform does not answer, and leaves the charge unchanged', async () => {
    const world = await tokenizedSale();
    const before = await world.charge();
    const lost = new TransientError('NO_CLEAR_ANSWER', 'lost');

    await expect(run(world, new FakeViva({ createChargeToken: () => Promise.reject(lost) }))).rejects.toBe(lost);

    expect(await world.charge()).toEqual(before);
  });
});
