import { describe, expect, it } from 'vitest';
import { createTransaction } from '../../../../functions/charge/create-transaction/step.ts';
import { reconcileChargeStep } from '../../../../functions/charge/reconcile-charge/step.ts';
import { FaultError, RejectedError, TransientError, UnknownOutcomeError } from '../../../../shared/flow/errors.ts';
import type { NewItem } from '../../../../shared/payments/store.ts';
import { FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, World } from '../../../fakes/world.ts';

async function fenced(charge: Partial<NewItem<'charge'>> = {}): Promise<World> {
  const world = new World();
  world.putCharge({ ctokRef: 'ref', ctokCreatedAt: world.seconds(0), cardId: 'card_one', ...charge });
  await world.tokens.put('ctok', 'ref', { token: 'ctok_CANARY' }, Math.floor(world.at / 1000) + 600, 0);
  return world;
}

function run(world: World, viva: FakeViva) {
  return createTransaction.run({ chargeId: CHARGE_ID }, { ...world, vivaFor: viva.for }, world.invocation);
}

const unknown = new UnknownOutcomeError('NO_ANSWER', 'timed out');

describe('create-transaction', () => {
  it('charges the card with the stored charge token and our own reference', async () => {
    const world = await fenced({ merchantTrns: 'room 12' });
    const viva = new FakeViva();

    expect(await run(world, viva)).toMatchObject({ capture: 'none' });

    expect(viva.asked).toEqual([
      {
        method: 'createTransaction',
        request: expect.objectContaining({
          chargeToken: 'ctok_CANARY',
          amount: 4000,
          merchantTrns: `room 12 ${CHARGE_ID}`,
        }),
      },
    ]);
    const charge = await world.charge();
    expect(charge).toMatchObject({ status: 'charged', transactionId: TRANSACTION_ID });
    expect(charge.timeline.map(({ event }) => event)).toEqual(['charge.sending', 'charge.charged']);
  });

  it('sends nothing for a charge that is already made, and continues', async () => {
    const world = await fenced({
      status: 'charged',
      sentAt: '2026-11-21T10:00:00.000Z',
      transactionId: TRANSACTION_ID,
    });
    const viva = new FakeViva();

    expect(await run(world, viva)).toEqual({ capture: 'none', captureBefore: null });

    expect(viva.asked).toEqual([]);
  });

  it('sends nothing for a charge that has ended', async () => {
    const world = await fenced();
    const viva = new FakeViva();
    world.payments.rival = () =>
      world.payments.overwrite('charge', CHARGE_ID, { status: 'failed', failure: { code: 'CHARGE_NOT_SENT' } });

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code: 'CHARGE_NOT_SENT' });

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).not.toHaveProperty('sentAt');
  });

  it('reports that a charge ended without a reason', async () => {
    const world = await fenced({ status: 'cancelled' });

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ name: 'RejectedError', code: 'CHARGE_ENDED' });
  });

  it.each([
    ['was never made', { ctokRef: undefined }],
    ['is gone', { ctokRef: 'of-another' }],
  ])('ends an unsent charge whose token %s', async (_, change) => {
    const world = await fenced(change as never);
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code: 'CHARGE_EXPIRED' });

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CHARGE_EXPIRED' } });
  });

  it('does not end a charge that was sent, although its token is too old to be sent', async () => {
    const world = await fenced({ status: 'processing', sentAt: '2026-11-21T10:00:00.000Z' });
    world.at += 9 * 60_000;

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ code: 'ALREADY_SENT' });

    expect((await world.charge()).status).toBe('processing');
  });

  it.each([
    ['is too old to be sent', {}, 9 * 60_000],
    ['is gone', { ctokRef: 'gone' }, 0],
  ])('does not send a token that %s, even when another attempt releases its claim meanwhile', async (_, change, ms) => {
    const world = await fenced({ status: 'processing', sentAt: '2026-11-21T10:00:00.000Z', ...change });
    const viva = new FakeViva();
    world.at += ms;
    world.payments.rival = () => world.payments.overwrite('charge', CHARGE_ID, { sentAt: undefined });

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'UnknownOutcomeError', code: 'ALREADY_SENT' });

    expect(viva.asked).toEqual([]);
  });

  it('reports how a charge ended that was sent and has ended since', async () => {
    const sentAt = '2026-11-21T10:00:00.000Z';
    const world = await fenced({ status: 'declined', sentAt, failure: { code: 'CARD_DECLINED' } });

    await expect(run(world, new FakeViva())).rejects.toMatchObject({
      name: 'RejectedError',
      code: 'CARD_DECLINED',
    });
  });

  it('sends a token until it is eight minutes old', async () => {
    const world = await fenced();
    world.at += 8 * 60_000;

    await run(world, new FakeViva());

    expect((await world.charge()).status).toBe('charged');
  });

  it('releases only its own claim when the request provably did not leave', async () => {
    const world = await fenced();
    const viva = new FakeViva({
      createTransaction: async () => {
        world.payments.overwrite('charge', CHARGE_ID, { sentAt: world.seconds(7) });
        throw new TransientError('NOT_SENT', 'refused');
      },
    });

    await expect(run(world, viva)).rejects.toThrow(TransientError);

    expect((await world.charge()).sentAt).toBe(world.seconds(7));
  });

  it.each([
    ['did not leave', new TransientError('NOT_SENT', 'refused'), 'charge.not_sent'],
    ['was not answered', new UnknownOutcomeError('NO_ANSWER', 'lost'), 'charge.unanswered'],
    ['failed in an unexpected way', new Error('out of memory'), 'charge.unanswered'],
  ])('records in the timeline that its request %s', async (_, error, event) => {
    const world = await fenced();

    await run(world, new FakeViva({ createTransaction: () => Promise.reject(error) })).catch(() => {});

    const charge = await world.charge();
    expect(charge.status).toBe('processing');
    expect(charge.timeline.at(-1)?.event).toBe(event);
  });

  it('sends one request, however many attempts run at the same time', async () => {
    const world = await fenced();
    const viva = new FakeViva();

    const attempts = await Promise.allSettled([run(world, viva), run(world, viva), run(world, viva)]);

    expect(viva.times('createTransaction')).toBe(1);
    expect(attempts.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect((await world.charge()).status).toBe('charged');
  });

  it('does not send again after an attempt with an unknown outcome', async () => {
    const world = await fenced();
    await run(world, new FakeViva({ createTransaction: () => Promise.reject(unknown) })).catch(() => {});
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toThrow(UnknownOutcomeError);

    expect(viva.asked).toEqual([]);
  });

  it('may send again when the request provably did not leave', async () => {
    const world = await fenced();
    const refusing = new FakeViva({
      createTransaction: () => Promise.reject(new TransientError('NOT_SENT', 'refused')),
    });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    await run(world, new FakeViva());

    expect((await world.charge()).status).toBe('charged');
  });

  it('does not send a charge token that is about to expire, and ends the charge unsent', async () => {
    const world = await fenced();
    const viva = new FakeViva();
    world.at += 8 * 60_000 + 1;

    await expect(run(world, viva)).rejects.toMatchObject({ code: 'CHARGE_EXPIRED' });

    expect(viva.asked).toEqual([]);
    expect((await world.charge()).status).toBe('expired');
  });

  it.each([
    ['a decline of the issuer', new RejectedError('CARD_DECLINED', 'no'), 'declined', 'CARD_DECLINED'],
    ['an issuer that does not answer', new RejectedError('ISSUER_UNAVAILABLE', 'no'), 'declined', 'ISSUER_UNAVAILABLE'],
    ['a refusal of the platform', new RejectedError('CHARGE_REFUSED', 'no'), 'failed', 'CHARGE_REFUSED'],
    ['refused credentials', new FaultError('CREDENTIALS_REFUSED', 'no'), 'failed', 'ACCOUNT_NOT_READY'],
  ])('records %s', async (_, error, status, code) => {
    const world = await fenced();

    await expect(run(world, new FakeViva({ createTransaction: () => Promise.reject(error) }))).rejects.toBe(error);

    expect(await world.charge()).toMatchObject({ status, sealed: true, failure: { code } });
  });

  it('holds the amount of a pre-authorization until it is captured', async () => {
    const world = await fenced({ preauth: true, capture: 'manual' });

    expect(await run(world, new FakeViva())).toEqual({ capture: 'manual', captureBefore: world.seconds(432_000) });

    const charge = await world.charge();
    expect(charge).toMatchObject({
      status: 'authorized',
      authorizedAmount: 4000,
      captureBefore: world.seconds(432_000),
      dueAt: world.seconds(432_600),
      captures: [],
    });
    expect(charge.timeline.at(-1)?.event).toBe('charge.authorized');
  });

  it('reserves a capture that was requested with the charge', async () => {
    const world = await fenced({ preauth: true, capture: 'immediate', captureAmount: 3000 });

    expect(await run(world, new FakeViva())).toMatchObject({ capture: 'immediate' });

    expect(await world.charge()).toMatchObject({
      captures: [{ amount: 3000, status: 'pending' }],
      dueAt: world.seconds(600),
    });
  });
});

describe('reconcile-charge', () => {
  it('marks a charge that may have been sent for review', async () => {
    const world = await fenced();
    await run(world, new FakeViva({ createTransaction: () => Promise.reject(unknown) })).catch(() => {});

    await reconcileChargeStep.run({ chargeId: CHARGE_ID }, world, world.invocation);

    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('continues with a hold whose attempt died before it reported it', async () => {
    const world = await fenced({ preauth: true, capture: 'immediate' });
    await run(world, new FakeViva());

    const plan = await reconcileChargeStep.run({ chargeId: CHARGE_ID }, world, world.invocation);

    expect(plan).toEqual({ capture: 'immediate', captureBefore: world.seconds(432_000) });
    expect((await world.charge()).status).toBe('authorized');
  });

  it('seals a charge that was never sent, so that a late attempt cannot send it', async () => {
    const world = await fenced();
    const viva = new FakeViva();

    await reconcileChargeStep.run({ chargeId: CHARGE_ID }, world, world.invocation);
    await expect(run(world, viva)).rejects.toThrow(RejectedError);

    expect(viva.asked).toEqual([]);
    const failure = { code: 'CHARGE_NOT_SENT' };
    expect(await world.charge()).toMatchObject({ status: 'failed', sealed: true, failure });
  });
});
