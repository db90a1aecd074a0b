import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../../../shared/flow/errors.ts';
import type { ExecutionState } from '../../../../../shared/flow/executions.ts';
import type { Capture, Charge } from '../../../../../shared/payments/items/charge.ts';
import { isHold, reconcileHold } from '../../../../../shared/reconciliation/hold/reconcile.ts';
import { type HoldHabits, HoldViva } from '../../../../fakes/hold-viva.ts';
import { FakeViva, TRANSACTION_ID } from '../../../../fakes/viva.ts';
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
  const reconcile = async (minutes: number, viva: FakeViva) => {
    world.at += minutes * 60_000;
    await reconcileHold(CHARGE_ID, {
      ...world,
      vivaFor: viva.for,
      remainingMs: () => 50_000,
      executions: { arnOf, start: async (name, input) => void started.push([name, input]) },
      stateOfExecution: async (arn) => states[arn.slice(arn.lastIndexOf(':') + 1)] ?? 'absent',
    });
  };
  const habits = (given: Partial<HoldHabits> = {}) => new HoldViva(world, given);
  return { world, started, reconcile, habits };
}

describe('reconciliation of a hold that waits for its capture', () => {
  it('leaves the hold to the execution of its sale while that runs', async () => {
    const { started, reconcile, habits } = prepared({}, { [SALE_ID]: 'running' });
    const viva = habits();

    await reconcile(0, viva);

    expect(started).toEqual([]);
    expect(viva.asked).toEqual([]);
  });

  it.each(['tokenized', 'reversed', 'refunded', 'needs_review'] as const)(
    'starts an execution of its own when the sale’s execution failed and the sale is %s',
    async (status) => {
      const { world, started, reconcile, habits } = prepared({}, { [SALE_ID]: 'ended' });
      await world.payments.change('sale', SALE_ID, () => ({ status }));

      await reconcile(0, habits());

      expect(started).toEqual([[`${CHARGE_ID}.1`, chargeInput]]);
      expect(await world.charge()).toMatchObject({
        status: 'authorized',
        restarts: 1,
        executionArn: arnOf(`${CHARGE_ID}.1`),
      });
    },
  );

  it('starts one execution at a time', async () => {
    const { started, reconcile, habits } = prepared(
      { restarts: 1, executionArn: arnOf(`${CHARGE_ID}.1`) },
      { [SALE_ID]: 'ended', [`${CHARGE_ID}.1`]: 'running' },
    );

    await reconcile(0, habits());

    expect(started).toEqual([]);
  });
});

describe('reconciliation of a hold whose executions failed too often', () => {
  const dead = { restarts: 3, executionArn: arnOf(`${CHARGE_ID}.3`) };
  const states: Record<string, ExecutionState> = { [SALE_ID]: 'ended', [`${CHARGE_ID}.3`]: 'ended' };

  it('keeps the hold, without a review', async () => {
    const { world, started, reconcile, habits } = prepared(dead, states);

    await reconcile(0, habits());

    expect(started).toEqual([]);
    expect((await world.charge()).status).toBe('authorized');
  });

  it('captures the hold when a capture is requested', async () => {
    const { world, reconcile, habits } = prepared({ ...dead, captures: [reserved] }, states);

    await reconcile(1, habits());

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 3000 });
  });

  it('releases the hold at its deadline', async () => {
    const { world, reconcile, habits } = prepared({ ...dead, captureBefore: '2026-11-21T10:05:00.000Z' }, states);
    const viva = habits();

    await reconcile(4, viva);
    expect(viva.times('voidPreauth')).toBe(0);
    await reconcile(1, viva);

    expect(viva.status).toBe('X');
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('releases a hold at once that was found late', async () => {
    const { world, reconcile, habits } = prepared({ ...dead, foundLate: { at: '', laterSales: [] } }, states);

    await reconcile(0, habits());

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'HOLD_RELEASED' } });
  });
});

describe('reconciliation of a hold', () => {
  it('sends a capture whose wake-up was lost, although the execution still waits', async () => {
    const { world, reconcile, habits } = prepared({ captures: [reserved] }, { [SALE_ID]: 'running' });

    await reconcile(1, habits());

    expect((await world.charge()).status).toBe('captured');
  });

  it('leaves an unreadable outcome to the next run, and starts no execution meanwhile', async () => {
    const { world, started, reconcile, habits } = prepared({ captures: [sent] }, { [SALE_ID]: 'ended' });

    await reconcile(1, habits({ readFault: () => 'unreadable' }));
    await reconcile(5, habits());

    expect(started).toEqual([]);
    expect((await world.charge()).captures).toEqual([sent]);
  });

  it('fails when nothing could be sent', async () => {
    const { reconcile } = prepared({ captures: [reserved] }, { [SALE_ID]: 'running' });
    const down = new FakeViva({ capture: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });

    await expect(reconcile(1, down)).rejects.toThrow(TransientError);
  });
});

describe('a hold under review', () => {
  const reconciledUntil = '2026-11-22T10:00:00.000Z';
  const review = { status: 'needs_review', statusBeforeReview: 'authorized', reconciledUntil } as const;
  const unknown = { ...sent, status: 'unknown', failure: { code: 'CAPTURE_UNKNOWN' } } as const;
  const ofCapture = { ...review, failure: { code: 'CAPTURE_UNKNOWN' }, captures: [unknown] } as const;
  const states: Record<string, ExecutionState> = { [SALE_ID]: 'ended' };
  const asked = { transactionId: TRANSACTION_ID, amount: 3000, isvAmount: 0, merchantTrns: captureId };

  it('becomes captured when the capture is found', async () => {
    const { world, reconcile, habits } = prepared(ofCapture, states);
    const viva = habits();
    await viva.for({} as never, () => 20_000).capture(asked);

    await reconcile(60, viva);

    expect(await world.charge()).toMatchObject({ status: 'captured', capturedAmount: 3000 });
    expect((await world.charge()).reconciledUntil).toBeUndefined();
  });

  it('becomes authorized when the capture was not made: that is published, and no late capture is sent', async () => {
    const { world, reconcile, habits } = prepared(ofCapture, states);
    const viva = habits();

    await reconcile(60, viva);
    expect((await world.charge()).status).toBe('needs_review');
    await reconcile(5, viva);

    expect(viva.times('capture')).toBe(0);
    expect(await world.charge()).toMatchObject({
      status: 'authorized',
      captures: [{ status: 'refused', failure: { code: 'CAPTURE_NOT_MADE' } }],
    });
  });

  it('ends when the void is found', async () => {
    const { world, reconcile, habits } = prepared(
      {
        ...review,
        failure: { code: 'VOID_UNKNOWN' },
        voidSentAt: '2026-11-21T10:00:00.000Z',
        captureBefore: '2026-11-21T10:00:00.000Z',
      },
      states,
    );
    const viva = habits();
    viva.status = 'X';

    await reconcile(60, viva);

    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it('ends by two readings when the void was refused and the hold was released at the platform', async () => {
    const refused = {
      ...review,
      failure: { code: 'VOID_REFUSED' },
      captureBefore: '2026-11-21T10:00:00.000Z',
    } as const;
    const { world, reconcile, habits } = prepared(refused, states);
    const viva = habits();

    await reconcile(5, viva);
    await reconcile(5, viva);
    expect(await world.charge()).toMatchObject({ status: 'needs_review', failure: { code: 'VOID_REFUSED' } });
    viva.status = 'X';
    await reconcile(5, viva);
    await reconcile(5, viva);

    expect(viva.times('voidPreauth')).toBe(0);
    expect(await world.charge()).toMatchObject({ status: 'expired', failure: { code: 'CAPTURE_WINDOW_ENDED' } });
  });

  it.each<[string, Partial<Charge>, string]>([
    ['stands after its void was refused', { failure: { code: 'VOID_REFUSED' } }, 'F'],
    ['cannot be read', { captures: [unknown] }, 'A'],
    ['was captured in another amount', { captures: [{ ...unknown, amount: 1 }] }, 'C'],
  ])('keeps no reading beyond its day when it %s', async (_, change, status) => {
    const { world, reconcile, habits } = prepared(
      { ...review, captureBefore: '2026-11-21T10:00:00.000Z', ...change },
      states,
    );
    const viva = habits();
    if (status === 'C') {
      await viva.for({} as never, () => 20_000).capture(asked);
    }
    viva.status = status;

    for (const minutes of [60, 5, 5]) {
      await reconcile(minutes, viva);
    }

    expect((await world.charge()).status).toBe('needs_review');
    expect((await world.charge()).reading).toBeUndefined();
  });

  it('counts as a hold only when it was one before its review', () => {
    const { transactionId, captures, ...charge } = { transactionId: TRANSACTION_ID, captures: [], ...review };
    const of = (change: object) => isHold({ ...charge, transactionId, captures, ...change } as unknown as Charge);

    expect(of({})).toBe(true);
    expect(of({ statusBeforeReview: 'processing' })).toBe(false);
    expect(of({ status: 'captured', statusBeforeReview: undefined })).toBe(false);
  });
});
