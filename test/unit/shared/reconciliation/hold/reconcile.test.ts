import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { ExecutionState } from '../../../../../shared/flow/executions.ts';
import type { Capture, Charge } from '../../../../../shared/payments/items.ts';
import { isHold, reconcileHold } from '../../../../../shared/reconciliation/hold/reconcile.ts';
import { type HoldHabits, HoldPlatform } from '../../../../fakes/hold-platform.ts';
import { FakePlatform, TRANSACTION_ID } from '../../../../fakes/platform.ts';
import { CHARGE_ID, SALE_ID, World } from '../../../../fakes/world.ts';

const arnOf = (name: string) => `arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:${name}`;
const captureId = '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30';
const reserved: Capture = {
  captureId,
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
};
const sent = { ...reserved, sentAt: '2026-11-21T10:00:00.000Z' };
const chargeInput = { saleId: null, cardId: null, chargeId: CHARGE_ID };

function prepared(charge: Partial<Charge>, states: Record<string, ExecutionState> = {}) {
  const world = new World();
  world.putSale({ status: 'tokenized', tokenization: { status: 'stored' }, executionArn: arnOf(SALE_ID) });
  world.putCharge({
    status: 'authorized',
    transactionId: TRANSACTION_ID,
    authorizedAmount: 4000,
    captureBefore: world.seconds(432_000),
    preauth: true,
    executionArn: arnOf(SALE_ID),
    ...charge,
  });
  const started: [string, unknown][] = [];
  const look = async (minutes: number, platform: FakePlatform) => {
    world.at += minutes * 60_000;
    await reconcileHold(CHARGE_ID, {
      ...world,
      platformFor: platform.for,
      remainingMs: () => 50_000,
      executions: { arnOf, start: async (name, input) => void started.push([name, input]) },
      stateOfExecution: async (arn) => states[arn.slice(arn.lastIndexOf(':') + 1)] ?? 'absent',
    });
  };
  const habits = (given: Partial<HoldHabits> = {}) => new HoldPlatform(world, given);
  return { world, started, look, habits };
}

describe('a hold that waits for its capture', () => {
  it('is left to the flow of its sale while that runs', async () => {
    const { started, look, habits } = prepared({}, { [SALE_ID]: 'running' });
    const platform = habits();

    await look(0, platform);

    expect(started).toEqual([]);
    expect(platform.asked).toEqual([]);
  });

  it.each(['tokenized', 'reversed', 'refunded', 'needs_review'] as const)(
    'gets a flow of its own when that died, also where its sale is %s by now',
    async (status) => {
      const { world, started, look, habits } = prepared({}, { [SALE_ID]: 'ended' });
      await world.payments.change('sale', SALE_ID, () => ({ status }));

      await look(0, habits());

      expect(started).toEqual([[`${CHARGE_ID}.1`, chargeInput]]);
      expect(await world.charge()).toMatchObject({
        status: 'authorized',
        restarts: 1,
        executionArn: arnOf(`${CHARGE_ID}.1`),
      });
    },
  );

  it('has one flow of its own at a time', async () => {
    const { started, look, habits } = prepared(
      { restarts: 1, executionArn: arnOf(`${CHARGE_ID}.1`) },
      { [SALE_ID]: 'ended', [`${CHARGE_ID}.1`]: 'running' },
    );

    await look(0, habits());

    expect(started).toEqual([]);
  });
});

describe('a hold whose flow died too often', () => {
  const dead = { restarts: 3, executionArn: arnOf(`${CHARGE_ID}.3`) };
  const states: Record<string, ExecutionState> = { [SALE_ID]: 'ended', [`${CHARGE_ID}.3`]: 'ended' };

  it('stands on, and is nobody’s to review', async () => {
    const { world, started, look, habits } = prepared(dead, states);

    await look(0, habits());

    expect(started).toEqual([]);
    expect((await world.charge()).status).toBe('authorized');
  });

  it('is captured by the schedule when that is asked for', async () => {
    const { world, look, habits } = prepared({ ...dead, captures: [reserved] }, states);

    await look(1, habits());

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 3000 });
  });

  it('is given back by the schedule at its end', async () => {
    const { world, look, habits } = prepared({ ...dead, captureBefore: '2026-11-21T10:05:00.000Z' }, states);
    const platform = habits();

    await look(4, platform);
    expect(platform.times('voidPreauth')).toBe(0);
    await look(1, platform);

    expect(platform.status).toBe('X');
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('is given back at once where it was found late', async () => {
    const { world, look, habits } = prepared({ ...dead, foundLate: { at: '', laterSales: [] } }, states);

    await look(0, habits());

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'HOLD_RELEASED' } });
  });
});

describe('a look at a hold', () => {
  it('sends a capture whose wake-up was lost, though the flow waits on', async () => {
    const { world, look, habits } = prepared({ captures: [reserved] }, { [SALE_ID]: 'running' });

    await look(1, habits());

    expect((await world.charge()).status).toBe('captured');
  });

  it('leaves what it could not learn to the next one, and starts no flow meanwhile', async () => {
    const { world, started, look, habits } = prepared({ captures: [sent] }, { [SALE_ID]: 'ended' });

    await look(1, habits({ readFault: () => 'unreadable' }));
    await look(5, habits());

    expect(started).toEqual([]);
    expect((await world.charge()).captures).toEqual([sent]);
  });

  it('tells when nothing could be sent', async () => {
    const { look } = prepared({ captures: [reserved] }, { [SALE_ID]: 'running' });
    const down = new FakePlatform({ capture: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });

    await expect(look(1, down)).rejects.toThrow(TransientError);
  });
});

describe('a hold in review', () => {
  const reconciledUntil = '2026-11-22T10:00:00.000Z';
  const review = { status: 'needs_review', statusBeforeReview: 'authorized', reconciledUntil } as const;
  const unknown = { ...sent, status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } } as const;
  const ofCapture = { ...review, failure: { code: 'CAPTURE_UNKNOWN' }, captures: [unknown] } as const;
  const states: Record<string, ExecutionState> = { [SALE_ID]: 'ended' };
  const asked = { transactionId: TRANSACTION_ID, amount: 3000, isvAmount: 0, merchantTrns: captureId };

  it('is captured when the capture is found after all', async () => {
    const { world, look, habits } = prepared(ofCapture, states);
    const platform = habits();
    await platform.for({} as never, () => 20_000).capture(asked);

    await look(60, platform);

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 3000 });
    expect((await world.charge()).reconciledUntil).toBeUndefined();
  });

  it('stands again when the capture turns out not made: that is told, and not sent so late', async () => {
    const { world, look, habits } = prepared(ofCapture, states);
    const platform = habits();

    await look(60, platform);
    expect((await world.charge()).status).toBe('needs_review');
    await look(5, platform);

    expect(platform.times('capture')).toBe(0);
    expect(await world.charge()).toMatchObject({
      status: 'authorized',
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } }],
    });
  });

  it('ends when the void is found after all', async () => {
    const { world, look, habits } = prepared(
      {
        ...review,
        failure: { code: 'VOID_UNKNOWN' },
        voidSentAt: '2026-11-21T10:00:00.000Z',
        captureBefore: '2026-11-21T10:00:00.000Z',
      },
      states,
    );
    const platform = habits();
    platform.status = 'X';

    await look(60, platform);

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('because its void was refused ends when somebody released it at the platform, by two readings', async () => {
    const refused = {
      ...review,
      failure: { code: 'VOID_REFUSED' },
      captureBefore: '2026-11-21T10:00:00.000Z',
    } as const;
    const { world, look, habits } = prepared(refused, states);
    const platform = habits();

    await look(5, platform);
    await look(5, platform);
    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_REFUSED' } });
    platform.status = 'X';
    await look(5, platform);
    await look(5, platform);

    expect(platform.times('voidPreauth')).toBe(0);
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it.each<[string, Partial<Charge>, string]>([
    ['was refused its void and stands', { failure: { code: 'VOID_REFUSED' } }, 'F'],
    ['cannot be read', { captures: [unknown] }, 'A'],
    ['was captured in another amount', { captures: [{ ...unknown, amount: 1 }] }, 'C'],
  ])('that %s leaves no reading behind, which would have it looked at beyond its day', async (_, change, status) => {
    const { world, look, habits } = prepared(
      { ...review, captureBefore: '2026-11-21T10:00:00.000Z', ...change },
      states,
    );
    const platform = habits();
    if (status === 'C') {
      await platform.for({} as never, () => 20_000).capture(asked);
    }
    platform.status = status;

    for (const minutes of [60, 5, 5]) {
      await look(minutes, platform);
    }

    expect((await world.charge()).status).toBe('needs_review');
    expect((await world.charge()).reading).toBeUndefined();
  });

  it('is one only while it was a hold before', () => {
    const { transactionId, captures, ...charge } = { transactionId: TRANSACTION_ID, captures: [], ...review };
    const of = (change: object) => isHold({ ...charge, transactionId, captures, ...change } as unknown as Charge);

    expect(of({})).toBe(true);
    expect(of({ statusBeforeReview: 'processing' })).toBe(false);
    expect(of({ status: 'captured', statusBeforeReview: undefined })).toBe(false);
  });
});
