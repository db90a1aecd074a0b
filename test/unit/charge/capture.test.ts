import { describe, expect, it } from 'vitest';
import { awaitCapture } from '../../../functions/charge/await-capture/step.ts';
import { capture } from '../../../functions/charge/capture/step.ts';
import { voidPreauth } from '../../../functions/charge/void/step.ts';
import { RejectedError, TransientError, UnknownOutcomeError } from '../../../shared/errors.ts';
import type { Capture } from '../../../shared/items.ts';
import { FakePlatform, TRANSACTION_ID } from '../../fakes/platform.ts';
import { CHARGE_ID, World } from '../../fakes/world.ts';

const reserved: Capture = {
  captureId: 'capture-1',
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
};

function authorized(captures: readonly Capture[] = [reserved]): World {
  const world = new World();
  world.putCharge({
    status: 'authorized',
    transactionId: TRANSACTION_ID,
    authorizedAmount: 4000,
    preauth: true,
    captures,
  });
  return world;
}

function run(world: World, platform: FakePlatform) {
  return capture.run({ chargeId: CHARGE_ID }, { ...world, platformFor: platform.for }, world.invocation);
}

function runVoid(world: World, platform: FakePlatform) {
  return voidPreauth.run({ chargeId: CHARGE_ID }, { ...world, platformFor: platform.for }, world.invocation);
}

describe('capture', () => {
  it('captures the reserved amount once, with a reference of its own that names the charge, too', async () => {
    const world = authorized();
    const platform = new FakePlatform();

    await run(world, platform);
    await run(world, platform);

    expect(platform.asked).toEqual([
      {
        method: 'capture',
        request: {
          transactionId: TRANSACTION_ID,
          amount: 3000,
          isvAmount: 0,
          merchantTrns: `${CHARGE_ID}/capture-1`,
        },
      },
    ]);
    expect(await world.charge()).toMatchObject({
      status: 'captured',
      capturedAmount: 3000,
      captures: [{ status: 'done' }],
    });
  });

  it('sends once, however many attempts run at once', async () => {
    const world = authorized();
    const platform = new FakePlatform();

    await Promise.allSettled([run(world, platform), run(world, platform), run(world, platform)]);

    expect(platform.times('capture')).toBe(1);
  });

  it('never repeats a capture whose outcome is not known', async () => {
    const world = authorized();
    const lost = new FakePlatform({ capture: () => Promise.reject(new UnknownOutcomeError('NO_ANSWER', 'lost')) });
    const platform = new FakePlatform();

    await expect(run(world, lost)).rejects.toThrow(UnknownOutcomeError);
    await expect(run(world, platform)).rejects.toThrow(UnknownOutcomeError);

    expect(platform.asked).toEqual([]);
  });

  it('may send again when the request provably did not leave', async () => {
    const world = authorized();
    const refusing = new FakePlatform({ capture: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    await run(world, new FakePlatform());

    expect((await world.charge()).status).toBe('captured');
  });

  it('leaves the authorization as it was when the platform refuses', async () => {
    const world = authorized();
    const refusing = new FakePlatform({ capture: () => Promise.reject(new RejectedError('CAPTURE_REFUSED', 'no')) });

    await expect(run(world, refusing)).rejects.toThrow(RejectedError);

    expect(await world.charge()).toMatchObject({ status: 'authorized', captures: [{ status: 'refused' }] });
  });
});

describe('await-capture', () => {
  it('goes on at once when a capture was asked for before it waited', async () => {
    const world = authorized();

    await awaitCapture.run({ chargeId: CHARGE_ID, taskToken: 'token-1' }, world, world.invocation);

    expect(world.completed).toEqual(['token-1']);
  });

  it('stores its task token and waits', async () => {
    const world = authorized([]);

    await awaitCapture.run({ chargeId: CHARGE_ID, taskToken: 'token-1' }, world, world.invocation);

    expect(world.completed).toEqual([]);
    expect((await world.charge()).taskToken).toBe('token-1');
  });
});

describe('void', () => {
  it('gives the hold back once and ends the charge expired', async () => {
    const world = authorized([]);
    const platform = new FakePlatform();

    await runVoid(world, platform);
    await runVoid(world, platform);

    expect(platform.asked).toMatchObject([
      { method: 'voidPreauth', request: { transactionId: TRANSACTION_ID, amount: 4000 } },
    ]);
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('does not give back what a capture may have taken', async () => {
    const world = authorized([{ ...reserved, sentAt: '2026-11-21T10:00:01.000Z' }]);
    const platform = new FakePlatform();

    await expect(runVoid(world, platform)).rejects.toThrow(UnknownOutcomeError);

    expect(platform.asked).toEqual([]);
  });

  it('refuses a capture that was asked for but not sent, and none is sent afterwards', async () => {
    const world = authorized();
    const platform = new FakePlatform();

    await runVoid(world, platform);

    expect((await world.charge()).captures).toMatchObject([
      { status: 'refused', failure: { code: 'CAPTURE_WINDOW_ENDED' } },
    ]);
    await expect(run(world, platform)).rejects.toThrow();
    expect(platform.times('capture')).toBe(0);
  });

  it('is not repeated when its outcome is not known', async () => {
    const world = authorized([]);
    const lost = new FakePlatform({ voidPreauth: () => Promise.reject(new UnknownOutcomeError('NO_ANSWER', 'lost')) });
    const platform = new FakePlatform();

    await expect(runVoid(world, lost)).rejects.toThrow(UnknownOutcomeError);
    await expect(runVoid(world, platform)).rejects.toThrow(UnknownOutcomeError);

    expect(platform.asked).toEqual([]);
  });
});
