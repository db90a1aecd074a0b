import { describe, expect, it } from 'vitest';
import { voidPreauth } from '../../../../functions/charge/void/step.ts';
import {
  FaultError,
  FlowError,
  RejectedError,
  TransientError,
  UnknownOutcomeError,
} from '../../../../shared/flow/errors.ts';
import type { Capture, Charge } from '../../../../shared/payments/items/charge.ts';
import { derivedId } from '../../../../shared/payments/references.ts';
import type { Payments } from '../../../../shared/payments/store.ts';
import { HoldViva } from '../../../fakes/hold-viva.ts';
import { readBefore } from '../../../fakes/payments.ts';
import { FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, World } from '../../../fakes/world.ts';

const reserved: Capture = {
  captureId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30',
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T09:59:00.000Z',
};

/** The time at which the capture deadline has passed. */
function authorized(charge: Partial<Charge> = {}): World {
  const world = new World();
  world.putCharge({
    status: 'authorized',
    transactionId: TRANSACTION_ID,
    authorizedAmount: 4000,
    captureBefore: world.seconds(0),
    preauth: true,
    ...charge,
  });
  return world;
}

function run(world: World, viva: FakeViva, payments: Payments = world.payments) {
  return voidPreauth.run({ chargeId: CHARGE_ID }, { ...world, payments, vivaFor: viva.for }, world.invocation);
}

async function runAfter(minutes: number, world: World, viva: FakeViva): Promise<unknown> {
  world.at += minutes * 60_000;
  return run(world, viva).catch((error: unknown) => error);
}

describe('void', () => {
  it('releases the hold once and expires the charge', async () => {
    const world = authorized();
    const viva = new FakeViva();

    await run(world, viva);
    await run(world, viva);

    expect(viva.asked).toEqual([
      {
        method: 'voidPreauth',
        request: {
          transactionId: TRANSACTION_ID,
          amount: 4000,
          merchantTrns: `${CHARGE_ID}/${derivedId(CHARGE_ID, 'void')}`,
        },
      },
    ]);
    expect(await world.charge()).toMatchObject({
      status: 'expired',
      failure: { code: 'CAPTURE_WINDOW_ENDED' },
      outbox: [{ type: 'tillflow.charge.expired.v1' }],
    });
  });

  it('follows the state machine’s clock when ours is slightly behind', async () => {
    const world = authorized({ captureBefore: '2026-11-21T10:00:01.000Z' });

    await run(world, new FakeViva());

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('does not release what a capture may have taken', async () => {
    const world = authorized({ captures: [{ ...reserved, sentAt: '2026-11-21T10:00:00.000Z' }] });
    const viva = new HoldViva(world);

    await expect(run(world, viva)).rejects.toThrow(UnknownOutcomeError);

    expect(viva.times('voidPreauth')).toBe(0);
  });

  it('waits for a capture that was requested in time and not sent', async () => {
    const world = authorized({ captures: [reserved] });
    const viva = new HoldViva(world);

    await run(world, viva);

    expect(viva.asked.map(({ method }) => method)).toEqual(['capture']);
    expect((await world.charge()).status).toBe('captured');
  });

  it('follows at once when that capture is refused', async () => {
    const world = authorized({ captures: [reserved] });
    const refusing = new FakeViva({ capture: () => Promise.reject(new RejectedError('CAPTURE_REFUSED', 'no')) });

    await run(world, refusing);

    expect(refusing.asked.map(({ method }) => method)).toEqual(['capture', 'voidPreauth']);
    expect((await world.charge()).status).toBe('expired');
  });

  it('sends a void again that was not sent', async () => {
    const world = authorized();
    const refusing = new FakeViva({ voidPreauth: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    expect((await world.charge()).voidSentAt).toBeUndefined();
    await run(world, new FakeViva());

    expect((await world.charge()).status).toBe('expired');
  });

  it('fails while the platform refuses our credentials, and releases the hold once they are valid', async () => {
    const world = authorized();
    const faulty = new FakeViva({ voidPreauth: () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')) });

    await expect(run(world, faulty)).rejects.toThrow(FaultError);

    expect(await world.charge()).toMatchObject({ status: 'authorized' });
    expect((await world.charge()).voidSentAt).toBeUndefined();
  });

  it('marks a refused void for review with the platform’s reason, because the hold still stands', async () => {
    const world = authorized();
    const context = { platformStatus: 403, platformCode: 'ApiActionDisabled' };
    const refusing = new FakeViva({
      voidPreauth: () => Promise.reject(new RejectedError('VOID_REFUSED', 'no', { context })),
    });
    const viva = new FakeViva();

    await run(world, refusing);
    await run(world, viva);

    expect(viva.times('voidPreauth')).toBe(0);
    expect(await world.charge()).toMatchObject({
      status: 'needs_review',
      failure: { code: 'VOID_REFUSED', platform: { status: 403, code: 'ApiActionDisabled' } },
    });
    expect((await world.charge()).voidSentAt).toBeUndefined();
  });
});

describe('void, when the charge changes between read and claim', () => {
  it.each<[string, Partial<Charge>]>([
    ['another attempt', { voidSentAt: '2026-11-21T10:00:00.000Z' }],
    ['a requested capture', { captures: [reserved] }],
    ['a sent capture', { captures: [{ ...reserved, sentAt: '2026-11-21T10:00:00.000Z' }] }],
    ['the end of the charge', { status: 'captured' }],
  ])('sends nothing after %s', async (_, change) => {
    const world = authorized();
    const before = await world.charge();
    const viva = new FakeViva();
    const payments = readBefore(world.payments, 'charge', before);
    await world.payments.change('charge', CHARGE_ID, () => change);

    await run(world, viva, payments).catch((error: unknown) => expect(error).toBeInstanceOf(FlowError));

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).toMatchObject(change);
  });

  it.each<[string, () => Error]>([
    ['was not sent', () => new TransientError('NOT_SENT', 'refused')],
    ['was refused', () => new RejectedError('VOID_REFUSED', 'no')],
    ['was not answered', () => new UnknownOutcomeError('NOT_OPEN', 'no')],
  ])('does not overwrite a newer attempt when the slow void %s', async (_, error) => {
    const world = authorized();
    const voidSentAt = world.seconds(60);
    const slow = new FakeViva({
      voidPreauth: async () => {
        await world.payments.change('charge', CHARGE_ID, () => ({ voidSentAt }));
        throw error();
      },
    });

    await run(world, slow).catch((error: unknown) => expect(error).toBeInstanceOf(FlowError));

    const { status, voidSentAt: kept, ambiguousVoidRefusal } = await world.charge();
    expect({ status, kept, ambiguousVoidRefusal }).toEqual({
      status: 'authorized',
      kept: voidSentAt,
      ambiguousVoidRefusal: undefined,
    });
  });

  it('does not overwrite what was found meanwhile, whatever the slow answer says', async () => {
    const world = authorized();
    const slow = new FakeViva({
      voidPreauth: async () => {
        await world.payments.change('charge', CHARGE_ID, () => ({ status: 'expired' as const }));
        throw new RejectedError('VOID_REFUSED', 'no');
      },
    });

    await run(world, slow);

    expect(await world.charge()).toMatchObject({ status: 'expired', voidSentAt: world.seconds(0) });
  });
});

describe('a void without an answer', () => {
  it('is looked up and found, and not sent again', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after' });

    await expect(run(world, viva)).rejects.toThrow(UnknownOutcomeError);
    await run(world, viva);

    expect(viva.times('voidPreauth')).toBe(1);
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('is due soon in the schedule, in case the execution fails before it reads it back', async () => {
    const world = authorized({ dueAt: '2026-11-21T11:00:00.000Z' });
    const lost = new FakeViva({ voidPreauth: () => Promise.reject(new UnknownOutcomeError('NO_ANSWER', 'lost')) });

    await run(world, lost).catch(() => undefined);

    expect((await world.charge()).dueAt).toBe(world.seconds(300));
  });

  it('is found although it arrived a quarter of an hour late', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'late', lateSeconds: () => 900 });

    for (const minutes of [0, 1, 5, 5, 3]) {
      expect(await runAfter(minutes, world, viva)).toBeInstanceOf(UnknownOutcomeError);
    }
    world.at += 60_000;
    viva.processLate();
    await runAfter(5, world, viva);

    expect(viva.times('voidPreauth')).toBe(1);
    expect((await world.charge()).status).toBe('expired');
  });

  it('is sent again once two readings prove that it was not made', async () => {
    const world = authorized();
    let faults = 1;
    const viva = new HoldViva(world, { actFault: () => (faults-- > 0 ? 'lost_before' : undefined) });

    for (const minutes of [0, 20, 3]) {
      await runAfter(minutes, world, viva);
    }
    expect(viva.times('voidPreauth')).toBe(1);
    await runAfter(1, world, viva);

    expect(viva.times('voidPreauth')).toBe(2);
    expect((await world.charge()).status).toBe('expired');
  });

  it('needs review when the platform had refused it and it was not made', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'said_no' });

    for (const minutes of [0, 20, 4]) {
      await runAfter(minutes, world, viva);
    }

    expect(viva.times('voidPreauth')).toBe(1);
    expect(await world.charge()).toMatchObject({
      status: 'needs_review',
      failure: { code: 'VOID_REFUSED', platform: { code: '403' } },
    });
  });

  it('needs review when it was not made for a day', async () => {
    const world = authorized({ captureBefore: '2026-11-20T10:10:00.000Z' });
    const viva = new HoldViva(world, { actFault: () => 'lost_before' });

    for (const minutes of [0, 20, 4]) {
      await runAfter(minutes, world, viva);
    }

    expect(viva.times('voidPreauth')).toBe(1);
    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_REFUSED' } });
  });

  it('needs review after a day of inconclusive readings', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', readFault: () => 'unreadable' });

    await runAfter(0, world, viva);
    await runAfter(1439, world, viva);
    expect((await world.charge()).status).toBe('authorized');
    await runAfter(1, world, viva);

    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_UNKNOWN' } });
  });

  it('detects by two readings that the hold was captured elsewhere', async () => {
    const world = authorized();
    const viva = new HoldViva(world);
    const asked = { transactionId: TRANSACTION_ID, amount: 1234, isvAmount: 0, merchantTrns: 'by hand' };
    await viva.for({} as never, () => 20_000).capture(asked);

    for (const minutes of [0, 1]) {
      expect(await runAfter(minutes, world, viva)).toBeInstanceOf(UnknownOutcomeError);
    }
    await runAfter(4, world, viva);

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 1234 });
  });

  it('detects a capture that had been recorded as refused', async () => {
    const refused = { ...reserved, status: 'refused' as const, failure: { code: 'CAPTURE_REFUSED' as const } };
    const world = authorized({ captures: [refused] });
    const viva = new HoldViva(world);
    const asked = {
      transactionId: TRANSACTION_ID,
      amount: 3000,
      isvAmount: 0,
      merchantTrns: `x ${reserved.captureId}`,
    };
    await viva.for({} as never, () => 20_000).capture(asked);

    await runAfter(0, world, viva);
    await runAfter(1, world, viva);

    const { status, captures } = await world.charge();
    expect(status).toBe('captured');
    expect(captures).toEqual([{ ...reserved, status: 'done', transactionId: 'child-1' }]);
  });
});
