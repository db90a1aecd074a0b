import { describe, expect, it } from 'vitest';
import { capture } from '../../../../functions/charge/capture/step.ts';
import {
  FaultError,
  FlowError,
  RejectedError,
  TransientError,
  UnknownOutcomeError,
} from '../../../../shared/flow/errors.ts';
import type { Capture, Charge } from '../../../../shared/payments/items/charge.ts';
import type { Payments } from '../../../../shared/payments/store.ts';
import { HoldViva } from '../../../fakes/hold-viva.ts';
import { readBefore } from '../../../fakes/payments.ts';
import { FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, World } from '../../../fakes/world.ts';

const captureId = '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30';
const reserved: Capture = {
  captureId,
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
};

function authorized(charge: Partial<Charge> = {}): World {
  const world = new World();
  world.putCharge({
    status: 'authorized',
    transactionId: TRANSACTION_ID,
    authorizedAmount: 4000,
    captureBefore: world.seconds(432_000),
    preauth: true,
    captures: [reserved],
    ...charge,
  });
  return world;
}

function run(world: World, viva: FakeViva, payments: Payments = world.payments) {
  return capture.run({ chargeId: CHARGE_ID }, { ...world, payments, vivaFor: viva.for }, world.invocation);
}

async function runAfter(minutes: number, world: World, viva: FakeViva): Promise<unknown> {
  world.at += minutes * 60_000;
  return run(world, viva).catch((error: unknown) => error);
}

const lost = () => Promise.reject(new UnknownOutcomeError('NO_ANSWER', 'lost'));
const unanswered = () => new FakeViva({ capture: lost });
const unknown = { status: 'authorized', capturedAmount: 0, captures: [{ status: 'pending' }] };

describe('capture', () => {
  it('captures the reserved amount once, with its own reference', async () => {
    const world = authorized();
    const viva = new FakeViva();

    await run(world, viva);
    await run(world, viva);

    expect(viva.asked).toEqual([
      {
        method: 'capture',
        request: {
          transactionId: TRANSACTION_ID,
          amount: 3000,
          isvAmount: 0,
          merchantTrns: `${CHARGE_ID}/${captureId}`,
        },
      },
    ]);
    expect(await world.charge()).toMatchObject({
      status: 'captured',
      capturedAmount: 3000,
      captures: [{ status: 'done', transactionId: TRANSACTION_ID }],
      outbox: [{ type: 'tillflow.charge.captured.v1' }],
    });
  });

  it('sends one request, however many attempts run at the same time', async () => {
    const world = authorized();
    const viva = new FakeViva();

    await Promise.allSettled([run(world, viva), run(world, viva), run(world, viva)]);

    expect(viva.times('capture')).toBe(1);
  });

  it('sends the request again when it provably did not leave', async () => {
    const world = authorized();
    const refusing = new FakeViva({ capture: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    await run(world, new FakeViva());

    expect((await world.charge()).status).toBe('captured');
  });

  it('fails while the platform refuses our credentials, and captures once they are valid', async () => {
    const world = authorized();
    const faulty = new FakeViva({ capture: () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')) });

    await expect(run(world, faulty)).rejects.toThrow(FaultError);
    expect((await world.charge()).captures).toEqual([reserved]);
    await run(world, new FakeViva());

    expect((await world.charge()).status).toBe('captured');
  });

  it('leaves the pre-authorization unchanged when the capture is refused, and does not retry', async () => {
    const world = authorized();
    const refusing = new FakeViva({ capture: () => Promise.reject(new RejectedError('CAPTURE_REFUSED', 'no')) });
    const viva = new FakeViva();

    await expect(run(world, refusing)).rejects.toThrow(RejectedError);
    await expect(run(world, viva)).rejects.toThrow(RejectedError);

    expect(viva.asked).toEqual([]);
    expect(await world.charge()).toMatchObject({
      status: 'authorized',
      failure: { code: 'CAPTURE_REFUSED' },
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_REFUSED' } }],
    });
  });

  it('does not send a capture that was requested more than a day ago', async () => {
    const world = authorized();
    const viva = new FakeViva();
    world.at += 86_400_000;

    await expect(run(world, viva)).rejects.toThrow(RejectedError);

    expect(viva.asked).toEqual([]);
    expect((await world.charge()).captures).toMatchObject([
      { status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } },
    ]);
  });

  it('reports a capture that was given up for good', async () => {
    const world = authorized();
    world.at += 86_400_000;
    await run(world, new FakeViva()).catch(() => undefined);

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ code: 'CAPTURE_NOT_MADE' });
  });

  it('fails when no capture was requested for the hold', async () => {
    const world = authorized({ captures: [] });
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code: 'CAPTURE_REFUSED' });

    expect(viva.asked).toEqual([]);
  });

  it('never captures a hold that was found after its charge had been reported as ended', async () => {
    const world = authorized({ foundLate: { at: '2026-11-21T10:00:00.000Z', laterSales: [] } });
    const viva = new FakeViva();

    await run(world, viva);

    expect(viva.asked.map(({ method }) => method)).toEqual(['voidPreauth']);
    expect(await world.charge()).toMatchObject({
      status: 'expired',
      failure: { code: 'HOLD_RELEASED' },
      captures: [{ status: 'refused' }],
    });
  });
});

describe('capture, when the charge changes between read and claim', () => {
  it.each<[string, Partial<Charge>]>([
    ['a void', { voidSentAt: '2026-11-21T10:00:00.000Z' }],
    ['another attempt', { captures: [{ ...reserved, sentAt: '2026-11-21T10:00:00.000Z' }] }],
    ['a refusal', { captures: [{ ...reserved, status: 'refused' }] }],
    ['the end of the charge', { status: 'expired' }],
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
    ['was refused', () => new RejectedError('CAPTURE_REFUSED', 'no')],
    ['was not answered', () => new UnknownOutcomeError('NOT_OPEN', 'no')],
  ])('does not overwrite a newer attempt when the slow capture %s', async (_, error) => {
    const world = authorized();
    const newer = { ...reserved, sentAt: world.seconds(60) };
    const slow = new FakeViva({
      capture: async () => {
        await world.payments.change('charge', CHARGE_ID, () => ({ captures: [newer] }));
        throw error();
      },
    });

    await run(world, slow).catch((error: unknown) => expect(error).toBeInstanceOf(FlowError));

    expect((await world.charge()).captures).toEqual([newer]);
  });

  it('does not overwrite what was found meanwhile, whatever the slow answer says', async () => {
    const world = authorized();
    const slow = new FakeViva({
      capture: async () => {
        await world.payments.change('charge', CHARGE_ID, ({ captures }) => ({
          status: 'captured' as const,
          captures: captures.map((one) => ({ ...one, status: 'done' as const })),
        }));
        throw new TransientError('NOT_SENT', 'refused');
      },
    });

    await expect(run(world, slow)).rejects.toThrow(TransientError);

    expect((await world.charge()).captures).toEqual([{ ...reserved, status: 'done', sentAt: world.seconds(0) }]);
  });
});

describe('a capture without an answer', () => {
  it('is looked up and found by its reference, and not sent again', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after' });

    await expect(run(world, viva)).rejects.toThrow(UnknownOutcomeError);
    expect(await world.charge()).toMatchObject(unknown);
    await run(world, viva);

    expect(viva.times('capture')).toBe(1);
    expect(await world.charge()).toMatchObject({
      status: 'captured',
      capturedAmount: 3000,
      captures: [{ status: 'done', transactionId: 'child-1' }],
    });
  });

  it('is found by its amount when the platform drops its reference', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', ignoresReference: true });

    await runAfter(0, world, viva);
    await runAfter(1, world, viva);

    expect((await world.charge()).status).toBe('captured');
  });

  it('is found in the list of the day when it is not in the order of its hold', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', hidesCaptures: 'from_order' });

    await runAfter(0, world, viva);
    await runAfter(1, world, viva);

    expect(await world.charge()).toMatchObject({ status: 'captured', captures: [{ transactionId: 'child-1' }] });
  });

  it('counts when the hold reports it and nothing can arrive late, although it is never listed', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', hidesCaptures: 'always' });

    await runAfter(0, world, viva);
    await runAfter(19, world, viva);
    await runAfter(2, world, viva);
    expect(await world.charge()).toMatchObject(unknown);
    await runAfter(4, world, viva);

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 3000 });
  });

  it('is waited for while it may still be processed, however often it is missing', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'late', lateSeconds: () => 900 });

    for (const minutes of [0, 1, 5, 5, 3]) {
      expect(await runAfter(minutes, world, viva)).toBeInstanceOf(UnknownOutcomeError);
    }
    world.at += 60_000;
    viva.processLate();
    await runAfter(5, world, viva);

    expect(viva.times('capture')).toBe(1);
    expect((await world.charge()).status).toBe('captured');
  });

  it('is sent again under the same reference once two readings prove that it was not made', async () => {
    const world = authorized();
    let faults = 1;
    const viva = new HoldViva(world, { actFault: () => (faults-- > 0 ? 'lost_before' : undefined) });

    await runAfter(0, world, viva);
    await runAfter(20, world, viva);
    expect(viva.times('capture')).toBe(1);
    await runAfter(3, world, viva);
    expect(viva.times('capture')).toBe(1);
    await runAfter(1, world, viva);

    expect(viva.asked.filter(({ method }) => method === 'capture').map(({ request }) => request)).toEqual([
      expect.objectContaining({ merchantTrns: `${CHARGE_ID}/${captureId}` }),
      expect.objectContaining({ merchantTrns: `${CHARGE_ID}/${captureId}` }),
    ]);
    expect((await world.charge()).status).toBe('captured');
    expect(viva.captures).toHaveLength(1);
  });

  it('is looked up from the start after it was sent again', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_before' });

    for (const minutes of [0, 20, 4]) {
      await runAfter(minutes, world, viva);
    }
    expect(viva.times('capture')).toBe(2);
    await runAfter(20, world, viva);

    expect(viva.times('capture')).toBe(2);
  });

  it('is refused when the platform had refused it and it was not made', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'said_no' });

    for (const minutes of [0, 20, 4]) {
      await runAfter(minutes, world, viva);
    }

    expect(viva.times('capture')).toBe(1);
    expect(await world.charge()).toMatchObject({
      status: 'authorized',
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_REFUSED', platform: { code: '403' } } }],
    });
  });

  it('is given up a day after it was requested', async () => {
    const world = authorized({ captures: [{ ...reserved, requestedAt: '2026-11-20T10:10:00.000Z' }] });
    const viva = new HoldViva(world, { actFault: () => 'lost_before' });

    for (const minutes of [0, 20, 4]) {
      await runAfter(minutes, world, viva);
    }

    expect(viva.times('capture')).toBe(1);
    expect((await world.charge()).captures).toMatchObject([
      { status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } },
    ]);
  });

  it.each(['reads_failed', 'wrong_amount', 'wrong_merchant'] as const)(
    'is not taken as not made when a reading is not as expected (%s)',
    async (fault) => {
      const world = authorized();
      const viva = new HoldViva(world, { actFault: () => 'lost_before', readFault: () => fault });

      for (const minutes of [0, 20, 5, 5, 5]) {
        await runAfter(minutes, world, viva);
      }

      expect(viva.times('capture')).toBe(1);
      expect(await world.charge()).toMatchObject(unknown);
    },
  );

  it('needs review after a day of inconclusive readings, and stays open until then', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', readFault: () => 'unreadable' });

    await runAfter(0, world, viva);
    expect(await runAfter(1439, world, viva)).toBeInstanceOf(UnknownOutcomeError);
    expect(await world.charge()).toMatchObject(unknown);
    await runAfter(1, world, viva);

    expect(await world.charge()).toMatchObject({
      status: 'needs_review',
      failure: { code: 'CAPTURE_UNKNOWN' },
      captures: [{ status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } }],
      reconciledUntil: expect.any(String),
    });
  });

  it('needs review when the platform shows another amount twice', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_after', readFault: () => 'wrong_amount' });

    await runAfter(0, world, viva);
    await runAfter(1, world, viva);
    expect(await world.charge()).toMatchObject(unknown);
    await runAfter(4, world, viva);

    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'AMOUNT_MISMATCH' } });
  });

  it('was not made when the hold was taken by an earlier capture that had been reported as refused', async () => {
    const earlier = { ...reserved, captureId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f31', status: 'refused' as const };
    const world = authorized({ captures: [earlier, { ...reserved, sentAt: '2026-11-21T10:00:00.000Z' }] });
    const viva = new HoldViva(world);
    const { captureId: merchantTrns, amount, isvAmount } = earlier;
    await viva.for({} as never, () => 20_000).capture({ transactionId: '', amount, isvAmount, merchantTrns });

    await runAfter(1, world, viva);

    expect(await world.charge()).toMatchObject({
      status: 'captured',
      capturedAmount: 3000,
      captures: [{ status: 'done' }, { status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } }],
    });
  });

  it('ends when two readings show that the hold was released', async () => {
    const world = authorized();
    const viva = new HoldViva(world, { actFault: () => 'lost_before' });
    await runAfter(0, world, viva);
    viva.status = 'X';

    await runAfter(1, world, viva);
    expect(await world.charge()).toMatchObject(unknown);
    await runAfter(4, world, viva);

    expect(await world.charge()).toMatchObject({
      status: 'cancelled',
      failure: { code: 'HOLD_RELEASED' },
      captures: [{ status: 'refused', failure: { code: 'HOLD_RELEASED' } }],
    });
  });

  it('is not proven by the hold of another merchant', async () => {
    const world = authorized({ captures: [{ ...reserved, sentAt: '2026-11-21T10:00:00.000Z' }] });
    const viva = new HoldViva(world);
    await viva
      .for({ merchantId: MERCHANT_ID } as never, () => 20_000)
      .capture({
        transactionId: TRANSACTION_ID,
        amount: 3000,
        isvAmount: 0,
        merchantTrns: captureId,
      });
    viva.children[0] = { ...viva.children[0]!, merchantId: '00000000-0000-4000-8000-000000000000' };

    await runAfter(1, world, viva);

    expect(await world.charge()).toMatchObject(unknown);
  });

  it('is due soon in the schedule, in case the execution fails before it reads it back', async () => {
    const world = authorized({ dueAt: '2026-11-26T10:00:00.000Z' });

    await run(world, unanswered()).catch(() => undefined);

    expect((await world.charge()).dueAt).toBe(world.seconds(300));
  });

  it('is reported by the step, so that the machine runs the step again later', async () => {
    const world = authorized();

    await expect(run(world, unanswered())).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await expect(run(world, new HoldViva(world))).rejects.toMatchObject({ code: 'CAPTURE_NOT_KNOWN' });
  });
});
