import { describe, expect, it } from 'vitest';
import { findDue } from '../../../../functions/reconciler/find-due/step.ts';
import { handleExecutionEnd } from '../../../../functions/reconciler/handle-execution-end/step.ts';
import { reconcileDue } from '../../../../functions/reconciler/reconcile-due/step.ts';
import type { CloudEvent } from '../../../../shared/events/cloud-event.ts';
import { TransientError } from '../../../../shared/flow/errors.ts';
import type { ExecutionState } from '../../../../shared/flow/executions.ts';
import type { RfOrder } from '../../../../shared/payments/items/rf-order.ts';
import { Records } from '../../../fakes/records.ts';
import { FakeViva, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const arnOf = (name: string) => `arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:${name}`;
const paid = { status: 'paid' as const, transactionId: TRANSACTION_ID, executionArn: arnOf(SALE_ID) };

function prepared(states: Record<string, ExecutionState> = {}) {
  const world = new World();
  const started: [string, unknown][] = [];
  const published: CloudEvent[] = [];
  const deps = {
    ...world,
    vivaFor: new FakeViva().for,
    executions: {
      arnOf,
      start: async (name: string, input: unknown) => void started.push([name, input]),
    },
    stateOfExecution: async (arn: string) => states[arn.slice(arn.lastIndexOf(':') + 1)] ?? 'absent',
    putEvents: async (events: readonly CloudEvent[]) => void published.push(...events),
    onPublished: () => {},
    onError: () => {},
    reconcileRfOrder: () => Promise.reject<RfOrder>(new Error('there is none')),
  };
  /** The dependencies of handle-execution-end. */
  const endedDeps = {
    ...deps,
    reconcileDue: async ({ due }: { due: readonly unknown[] }) => {
      await reconcileDue.run({ due: due as never }, deps, world.invocation);
    },
  };
  const reconcile = (kind: 'sale' | 'charge', id = kind === 'sale' ? SALE_ID : CHARGE_ID) =>
    reconcileDue.run({ due: [{ kind, id }] }, deps, world.invocation);
  return { world, deps, endedDeps, started, published, reconcile };
}

const saleInput = { saleId: SALE_ID, cardId: null, chargeId: null };

describe('the execution of an open item', () => {
  it('is left alone while its execution runs, and the item is due again', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'running' });
    world.putSale({ ...paid, dueAt: world.seconds(0) });

    await reconcile('sale');

    expect(started).toEqual([]);
    expect((await world.sale()).dueAt).toBe(world.seconds(300));
  });

  it('is started for a charge that belongs to no sale', async () => {
    const { world, started, reconcile } = prepared();
    world.putCharge({ saleId: undefined, executionArn: arnOf(CHARGE_ID), dueAt: world.seconds(0) } as never);

    await reconcile('charge');

    expect(started.map(([name]) => name)).toEqual([CHARGE_ID]);
    expect((await world.charge()).status).toBe('created');
  });

  it('is started when its execution is missing', async () => {
    const { world, started, reconcile } = prepared();
    world.putSale({ executionArn: arnOf(SALE_ID), dueAt: world.seconds(0) });

    await reconcile('sale');

    expect(started).toEqual([[SALE_ID, saleInput]]);
    expect((await world.sale()).restarts).toBeUndefined();
  });

  it('is started under the next name when its execution died, and the item records that name', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({ ...paid, dueAt: world.seconds(0) });

    await reconcile('sale');

    expect(started).toEqual([[`${SALE_ID}.1`, saleInput]]);
    expect(await world.sale()).toMatchObject({ restarts: 1, executionArn: arnOf(`${SALE_ID}.1`) });
  });

  it('is started under that name again when the start failed', async () => {
    const { world, started, reconcile } = prepared();
    world.putSale({ ...paid, restarts: 1, executionArn: arnOf(`${SALE_ID}.1`), dueAt: world.seconds(0) });

    await reconcile('sale');

    expect(started).toEqual([[`${SALE_ID}.1`, saleInput]]);
    expect((await world.sale()).restarts).toBe(1);
  });

  it('is started once when two invocations run at the same time', async () => {
    const { world, deps, endedDeps, started } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({ ...paid, dueAt: world.seconds(0) });
    const ended = { detail: { status: 'FAILED' as const, input: saleInput } };

    await Promise.all([
      handleExecutionEnd.run(ended, endedDeps, world.invocation),
      handleExecutionEnd.run(ended, endedDeps, world.invocation),
      reconcileDue.run({ due: [{ kind: 'sale', id: SALE_ID }] }, deps, world.invocation),
    ]);

    expect(new Set(started.map(([name]) => name))).toEqual(new Set([`${SALE_ID}.1`]));
    expect((await world.sale()).restarts).toBe(1);
  });

  it('ends after four executions, and a paid sale stays paid', async () => {
    const { world, started, published, reconcile } = prepared({ [`${SALE_ID}.3`]: 'ended' });
    world.putSale({
      ...paid,
      restarts: 3,
      executionArn: arnOf(`${SALE_ID}.3`),
      chargeId: CHARGE_ID,
      dueAt: world.seconds(0),
    });
    world.putCharge();

    await reconcile('sale');
    await reconcile('charge');

    expect(started).toEqual([]);
    expect(await world.sale()).toMatchObject({ status: 'paid', tokenization: { status: 'refused' } });
    expect((await world.sale()).dueAt).toBeUndefined();
    expect((await world.charge()).status).toBe('failed');
    await world.payments.change('charge', CHARGE_ID, () => ({ dueAt: world.seconds(0) }));
    await reconcile('charge');
    expect(published.map(({ type }) => type)).toEqual(['tillflow.charge.failed.v1']);
  });

  it('of an additional charge is the execution of its sale', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({
      ...paid,
      status: 'tokenized',
      tokenization: { status: 'stored' },
      chargeId: CHARGE_ID,
    });
    world.putCharge({ dueAt: world.seconds(0) });

    await reconcile('charge');

    expect(started).toEqual([[`${SALE_ID}.1`, { ...saleInput, chargeId: CHARGE_ID }]]);
  });

  it('of an additional charge waits for an unconfirmed sale', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({ status: 'unconfirmed', requestedAt: world.seconds(0), chargeId: CHARGE_ID });
    world.putCharge({ dueAt: world.seconds(0) });

    await reconcile('charge');

    expect(started).toEqual([]);
    expect((await world.charge()).status).toBe('created');
  });

  it('of an unconfirmed sale is started again when its payment is found', async () => {
    const { world, deps, started } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({
      status: 'unconfirmed',
      requestedAt: world.seconds(0),
      executionArn: arnOf(SALE_ID),
      dueAt: world.seconds(0),
    });
    const records = new Records(world.now);
    records.book();
    const viva = records.viva();

    await reconcileDue.run({ due: [{ kind: 'sale', id: SALE_ID }] }, { ...deps, vivaFor: viva.for }, world.invocation);

    expect(started).toEqual([[`${SALE_ID}.1`, saleInput]]);
  });

  it('waits for the end of a hold, and then for the execution that releases it', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'running' });
    world.putSale({ ...paid, status: 'tokenized', tokenization: { status: 'stored' } });
    world.putCharge({
      status: 'authorized',
      transactionId: TRANSACTION_ID,
      captureBefore: world.seconds(86_400),
      dueAt: world.seconds(0),
    });

    await reconcile('charge');

    expect(started).toEqual([]);
    expect((await world.charge()).dueAt).toBe(world.seconds(87_000));
  });

  it('of a hold is never given up, because the schedule reconciles it', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'ended', [`${CHARGE_ID}.3`]: 'ended' });
    world.putSale({ ...paid, status: 'tokenized', tokenization: { status: 'stored' } });
    world.putCharge({
      status: 'authorized',
      transactionId: TRANSACTION_ID,
      authorizedAmount: 4000,
      captureBefore: world.seconds(600),
      restarts: 3,
      executionArn: arnOf(`${CHARGE_ID}.3`),
      dueAt: world.seconds(0),
    });

    await reconcile('charge');
    expect(await world.charge()).toMatchObject({ status: 'authorized', dueAt: world.seconds(1200) });
    world.at += 1_200_000;
    await reconcile('charge');

    expect(started).toEqual([]);
    expect((await world.charge()).status).toBe('expired');
  });
});

describe('a due RF order', () => {
  async function dueAfter(change: (order: RfOrder) => Partial<RfOrder>) {
    const { world, deps } = prepared();
    const order = {
      ...{ rfOrderId: 'order', merchantId: MERCHANT_ID, amount: 4200, status: 'expired', rfCode: 'RF94' },
      ...{ endedAt: world.seconds(-40 * 86_400), payments: [], timeline: [], dueAt: world.seconds(0) },
    };
    world.payments.put('rf-order', 'order', order as never);
    const reconcileRfOrder = (id: string) => world.payments.change('rf-order', id, (item) => change(item) as never);
    await reconcileDue.run(
      { due: [{ kind: 'rf-order', id: 'order' }] },
      { ...deps, reconcileRfOrder },
      world.invocation,
    );
    return (await world.payments.get('rf-order', 'order'))?.dueAt;
  }

  it('keeps the due time that its reconciliation set', async () => {
    expect(await dueAfter(() => ({ dueAt: '2026-12-24T00:00:00.000Z' }))).toBe('2026-12-24T00:00:00.000Z');
  });

  it('is not due again when its reconciliation set no due time', async () => {
    expect(await dueAfter(({ dueAt }) => ({ dueAt }) as Partial<RfOrder>)).toBeUndefined();
  });
});

describe('reconcile-due', () => {
  it.each(['sale', 'charge', 'rf-order', 'card'])('accepts items of kind %s', (kind) => {
    const due = [{ kind, id: 'one' }];

    expect(reconcileDue.input.parse({ due })).toEqual({ due });
    expect(reconcileDue.logged?.({ due } as never)).toEqual({ due: '1' });
  });

  it.each([[[]], [[{ kind: 'account', id: 'one' }]], [[{ kind: 'delivery', id: 'one' }]]])(
    'refuses items of other kinds, and an empty list: %j',
    (due) => {
      expect(reconcileDue.input.safeParse({ due }).success).toBe(false);
    },
  );

  it('skips what is not due or was claimed by another invocation', async () => {
    const { world, started, reconcile } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({ ...paid, dueAt: world.seconds(1) });

    await reconcile('sale');

    expect(started).toEqual([]);
  });

  it('leaves an item due when its reconciliation fails', async () => {
    const { world, deps } = prepared();
    world.putSale({ ...paid, dueAt: world.seconds(0) });
    const failing = { ...deps, stateOfExecution: () => Promise.reject(new Error('throttled')) };

    await expect(
      reconcileDue.run({ due: [{ kind: 'sale', id: SALE_ID }] }, failing, world.invocation),
    ).rejects.toThrow();

    expect((await world.sale()).dueAt).toBe(world.seconds(300));
  });

  it('succeeds when the platform fails, because that is not our fault', async () => {
    const { world, deps } = prepared();
    world.putSale({ status: 'unconfirmed', requestedAt: world.seconds(0), dueAt: world.seconds(0) });
    const listDay = () => Promise.reject(new TransientError('NO_ANSWER', 'timed out'));
    const codes: string[] = [];
    const down = {
      ...deps,
      vivaFor: new FakeViva({ listDay }).for,
      onError: (code: string) => void codes.push(code),
    };

    await reconcileDue.run({ due: [{ kind: 'sale', id: SALE_ID }] }, down, world.invocation);

    expect(codes).toEqual(['NO_ANSWER']);
    expect((await world.sale()).dueAt).toBe(world.seconds(300));
  });
});

describe('handle-execution-end', () => {
  const event = (status: string, input: object) =>
    handleExecutionEnd.input.parse({ detail: { status, input: JSON.stringify(input) } });

  it('only publishes the events of an execution that succeeded', async () => {
    const { world, endedDeps, started, published } = prepared({ [SALE_ID]: 'ended' });
    world.putSale({
      ...paid,
      outbox: [{ eventId: 'one', type: 'tillflow.sale.paid.v1', at: world.seconds(0), status: 'paid' }],
      dueAt: world.seconds(0),
    });

    await handleExecutionEnd.run(event('SUCCEEDED', saleInput), endedDeps, world.invocation);

    expect(published.map(({ id }) => id)).toEqual(['one']);
    expect(started).toEqual([]);
  });
});

describe('find-due', () => {
  it('invokes the right function for each due item by its key, page by page, once per merchant', async () => {
    const world = new World();
    for (let n = 0; n < 205; n++) {
      world.payments.put('delivery', `d${String(n).padStart(3, '0')}`, { dueAt: world.seconds(-n) } as never);
    }
    world.payments.put('inbox', 'subject', { dueAt: world.seconds(0) } as never);
    world.payments.put('rf-order', 'order', { merchantId: MERCHANT_ID, dueAt: world.seconds(0) } as never);
    world.payments.put('rf-order', 'of-another', { merchantId: 'another', dueAt: world.seconds(0) } as never);
    world.payments.put('rf-order', 'later', { merchantId: MERCHANT_ID, dueAt: world.seconds(1) } as never);
    world.putSale({ dueAt: world.seconds(-1) });
    const invoked: unknown[] = [];
    const wake = (name: string) => async (key: object) => void invoked.push({ [name]: key });

    const result = await findDue.run(
      {},
      {
        payments: world.payments,
        reconcileDue: wake('reconcile'),
        readDailyLists: wake('days'),
        actOnWebhook: wake('act'),
        deliverEvent: wake('deliver'),
      },
      world.invocation,
    );

    expect(result).toEqual({ due: 209 });
    expect(invoked).toHaveLength(208);
    expect(invoked).toEqual(
      expect.arrayContaining([
        {
          reconcile: {
            due: [
              { kind: 'sale', id: SALE_ID },
              { kind: 'rf-order', id: 'order' },
            ],
          },
        },
        { reconcile: { due: [{ kind: 'rf-order', id: 'of-another' }] } },
        { act: { subject: 'subject' } },
        { deliver: { deliveryId: 'd204' } },
      ]),
    );
  });

  it('invokes all others when one invocation fails, and then fails', async () => {
    const world = new World();
    for (const id of ['one', 'two']) {
      world.payments.put('delivery', id, { dueAt: world.seconds(0) } as never);
    }
    const invoked: unknown[] = [];
    const wake = async () => undefined;
    const deliverEvent = async ({ deliveryId }: Record<string, string>) => {
      invoked.push(deliveryId);
      if (deliveryId === 'one') {
        throw new TransientError('THROTTLED', 'too many');
      }
    };
    const deps = { reconcileDue: wake, readDailyLists: wake, actOnWebhook: wake, deliverEvent };

    await expect(findDue.run({}, { ...deps, payments: world.payments }, world.invocation)).rejects.toMatchObject({
      code: 'THROTTLED',
    });

    expect(invoked).toEqual(['one', 'two']);
  });
});
