import { describe, expect, it } from 'vitest';
import { createTransaction } from '../../../functions/charge/create-transaction/step.ts';
import { reconcileCharge } from '../../../functions/charge/reconcile-charge/step.ts';
import { FaultError, RejectedError, TransientError, UnknownOutcomeError } from '../../../shared/errors.ts';
import type { NewItem } from '../../../shared/payments.ts';
import { FakePlatform, TRANSACTION_ID } from '../../fakes/platform.ts';
import { CHARGE_ID, World } from '../../fakes/world.ts';

async function fenced(charge: Partial<NewItem<'charge'>> = {}): Promise<World> {
  const world = new World();
  world.putCharge({ ctokRef: 'ref', bornAt: world.seconds(0), cardId: 'card_one', ...charge });
  await world.tokens.put('ctok', 'ref', { token: 'ctok_CANARY' }, Math.floor(world.at / 1000) + 600, 0);
  return world;
}

function run(world: World, platform: FakePlatform) {
  return createTransaction.run({ chargeId: CHARGE_ID }, { ...world, platformFor: platform.for }, world.invocation);
}

const unknown = new UnknownOutcomeError('NO_ANSWER', 'timed out');

describe('create-transaction', () => {
  it('charges the card with the persisted charge token and our own reference', async () => {
    const world = await fenced({ merchantTrns: 'room 12' });
    const platform = new FakePlatform();

    expect(await run(world, platform)).toMatchObject({ capture: 'none' });

    expect(platform.asked).toEqual([
      {
        method: 'createTransaction',
        request: expect.objectContaining({
          chargeToken: 'ctok_CANARY',
          amount: 4000,
          merchantTrns: `room 12 ${CHARGE_ID}`,
        }),
      },
    ]);
    expect(await world.charge()).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
  });

  it('sends once, however many attempts run at once', async () => {
    const world = await fenced();
    const platform = new FakePlatform();

    const attempts = await Promise.allSettled([run(world, platform), run(world, platform), run(world, platform)]);

    expect(platform.times('createTransaction')).toBe(1);
    expect(attempts.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect((await world.charge()).status).toBe('charged');
  });

  it('does not send again after an attempt whose outcome is not known', async () => {
    const world = await fenced();
    await run(world, new FakePlatform({ createTransaction: () => Promise.reject(unknown) })).catch(() => {});
    const platform = new FakePlatform();

    await expect(run(world, platform)).rejects.toThrow(UnknownOutcomeError);

    expect(platform.asked).toEqual([]);
  });

  it('may send again when the request provably did not leave', async () => {
    const world = await fenced();
    const refusing = new FakePlatform({
      createTransaction: () => Promise.reject(new TransientError('NOT_SENT', 'refused')),
    });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    await run(world, new FakePlatform());

    expect((await world.charge()).status).toBe('charged');
  });

  it('does not send a charge token close to its death, and ends the charge unsent', async () => {
    const world = await fenced();
    const platform = new FakePlatform();
    world.at += 8 * 60_000 + 1;

    await expect(run(world, platform)).rejects.toMatchObject({ code: 'CHARGE_EXPIRED' });

    expect(platform.asked).toEqual([]);
    expect((await world.charge()).status).toBe('expired');
  });

  it.each([
    ['a decline of the issuer', new RejectedError('CARD_DECLINED', 'no'), 'declined', 'CARD_DECLINED'],
    ['a refusal of the platform', new RejectedError('CHARGE_REFUSED', 'no'), 'failed', 'CHARGE_REFUSED'],
    ['refused credentials', new FaultError('CREDENTIALS_REFUSED', 'no'), 'failed', 'ACCOUNT_NOT_READY'],
  ])('records %s', async (_, error, status, code) => {
    const world = await fenced();

    await expect(run(world, new FakePlatform({ createTransaction: () => Promise.reject(error) }))).rejects.toBe(error);

    expect(await world.charge()).toMatchObject({ status, failure: { code } });
  });

  it('holds the amount of a pre-authorization until it is captured', async () => {
    const world = await fenced({ preauth: true, capture: 'manual' });

    expect(await run(world, new FakePlatform())).toEqual({ capture: 'manual', captureBefore: world.seconds(432_000) });

    expect(await world.charge()).toMatchObject({
      status: 'authorized',
      authorizedAmount: 4000,
      captureBefore: world.seconds(432_000),
      captures: [],
    });
  });

  it('reserves the capture that was asked for at once', async () => {
    const world = await fenced({ preauth: true, capture: 'immediate', captureAmount: 3000 });

    expect(await run(world, new FakePlatform())).toMatchObject({ capture: 'immediate' });

    expect((await world.charge()).captures).toMatchObject([{ amount: 3000, status: 'pending' }]);
  });
});

describe('reconcile-charge', () => {
  it('gives a charge that may have been sent to a person', async () => {
    const world = await fenced();
    await run(world, new FakePlatform({ createTransaction: () => Promise.reject(unknown) })).catch(() => {});

    await reconcileCharge.run({ chargeId: CHARGE_ID }, world, world.invocation);

    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('goes on with a hold whose attempt died before it could say so', async () => {
    const world = await fenced({ preauth: true, capture: 'immediate' });
    await run(world, new FakePlatform());

    const plan = await reconcileCharge.run({ chargeId: CHARGE_ID }, world, world.invocation);

    expect(plan).toEqual({ capture: 'immediate', captureBefore: world.seconds(432_000) });
    expect((await world.charge()).status).toBe('authorized');
  });

  it('seals a charge that was never sent, so that a late attempt cannot send it', async () => {
    const world = await fenced();
    const platform = new FakePlatform();

    await reconcileCharge.run({ chargeId: CHARGE_ID }, world, world.invocation);
    await expect(run(world, platform)).rejects.toThrow(RejectedError);

    expect(platform.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({ status: 'failed', sealed: true });
  });
});
