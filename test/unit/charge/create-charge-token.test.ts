import { describe, expect, it } from 'vitest';
import { createChargeToken } from '../../../functions/charge/create-charge-token/step.ts';
import { RejectedError } from '../../../shared/errors.ts';
import { anyCall, FakePlatform } from '../../fakes/platform.ts';
import { CHARGE_ID, World } from '../../fakes/world.ts';

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

function run(world: World, platform: FakePlatform) {
  return createChargeToken.run(
    { chargeId: CHARGE_ID },
    { ...world, platformFor: platform.for, newId },
    world.invocation,
  );
}

describe('create-charge-token', () => {
  it('persists the charge token by reference, with the card it belongs to', async () => {
    const world = await tokenizedSale();
    const platform = new FakePlatform();

    expect(await run(world, platform)).toEqual({ authenticate: false });

    const charge = await world.charge();
    expect(charge).toMatchObject({ cardId: 'card_one', bornAt: world.seconds(0) });
    expect(await world.tokens.get('ctok', charge.ctokRef ?? '')).toMatchObject({ token: 'ctok_CANARY' });
    expect(platform.asked[0]?.request).toMatchObject({
      amount: 4000,
      holderName: 'A HOLDER',
      moto: true,
      cardToken: 'ct_CANARY',
    });
  });

  it('makes no second charge token once one is persisted', async () => {
    const world = await tokenizedSale();
    const platform = new FakePlatform();

    await run(world, platform);
    await run(world, platform);

    expect(platform.times('createChargeToken')).toBe(1);
  });

  it('keeps the first of two made at once', async () => {
    const world = await tokenizedSale();

    await Promise.all([run(world, new FakePlatform()), run(world, new FakePlatform())]);

    const entries = (await world.charge()).timeline.filter(({ event }) => event === 'charge_token.created');
    expect(entries).toHaveLength(1);
  });

  it('persists none for a sealed charge', async () => {
    const world = await tokenizedSale();
    world.putCharge({ sealed: true });

    await expect(run(world, new FakePlatform())).rejects.toMatchObject({ code: 'CHARGE_SEALED' });

    expect((await world.charge()).ctokRef).toBeUndefined();
  });

  it('waits for the payer when the issuer wants to authenticate, and keeps the form out of the item', async () => {
    const world = await tokenizedSale();
    const form = '<form>CANARY</form>';
    const platform = new FakePlatform({
      createChargeToken: async () => ({ chargeToken: 'ctok_CANARY', form, call: anyCall }),
    });

    expect(await run(world, platform)).toEqual({ authenticate: true });

    const charge = await world.charge();
    expect(charge.status).toBe('requires_authentication');
    expect(await world.tokens.get('form', charge.ctokRef ?? '')).toMatchObject({ html: form });
    expect(JSON.stringify(charge)).not.toContain('CANARY');
  });

  it('starts nothing for a sale whose abort was recorded', async () => {
    const world = await tokenizedSale();
    await world.payments.change('sale', (await world.sale()).saleId, () => ({ abortRequestedAt: world.seconds(1) }));
    const platform = new FakePlatform();

    await expect(run(world, platform)).rejects.toMatchObject({ code: 'CHARGE_WITHDRAWN' });

    expect(platform.asked).toEqual([]);
    expect((await world.charge()).status).toBe('cancelled');
  });

  it('starts nothing for a sale that was reversed', async () => {
    const world = await tokenizedSale();
    await world.payments.change('sale', (await world.sale()).saleId, () => ({ status: 'reversed' as const }));

    await expect(run(world, new FakePlatform())).rejects.toMatchObject({ code: 'SALE_REVERSED' });

    expect((await world.charge()).status).toBe('cancelled');
  });

  it.each([
    [
      'the holder’s name is not known',
      { expirationMonth: 12, expirationYear: 2030, token: 'ct_CANARY' },
      'HOLDER_NAME_NEEDED',
    ],
    [
      'the card has expired',
      { expirationMonth: 10, expirationYear: 2026, token: 'ct_CANARY', holderName: 'A' },
      'CARD_EXPIRED',
    ],
    [
      'the token of the card is gone',
      { expirationMonth: 12, expirationYear: 2030, holderName: 'A' },
      'CARD_NOT_STORED',
    ],
  ])('fails before anything is asked when %s', async (_, value, code) => {
    const world = await tokenizedSale();
    await world.tokens.put('ct', 'card_one', value, FAR, 1);
    const platform = new FakePlatform();

    await expect(run(world, platform)).rejects.toMatchObject({ code });

    expect(platform.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({ status: 'failed', sealed: true, failure: { code } });
  });

  it('fails on a refusal of the platform', async () => {
    const world = await tokenizedSale();
    const refused = new RejectedError('NATIVE_CHECKOUT_NOT_ENABLED', 'no');

    await expect(run(world, new FakePlatform({ createChargeToken: () => Promise.reject(refused) }))).rejects.toBe(
      refused,
    );

    expect(await world.charge()).toMatchObject({ status: 'failed', failure: { code: 'NATIVE_CHECKOUT_NOT_ENABLED' } });
  });
});
