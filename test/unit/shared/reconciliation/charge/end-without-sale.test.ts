import { beforeEach, describe, expect, it } from 'vitest';
import { reconcileDue } from '../../../../../functions/reconciler/reconcile-due/step.ts';
import type { CloudEvent } from '../../../../../shared/events/cloud-event.ts';
import type { Patch } from '../../../../../shared/payments/store.ts';
import { CHARGE_ID, SALE_ID, World } from '../../../../fakes/world.ts';

let world: World;
let published: CloudEvent[];
let started: string[];

beforeEach(() => {
  world = new World();
  published = [];
  started = [];
});

const nobody = () => Promise.reject(new Error('nobody is asked'));

/** Reconciles the charge, by default a minute after it was written. */
async function reconcile(atSecond = 60): Promise<void> {
  world.at = Date.parse(world.seconds(atSecond));
  const deps = {
    ...world,
    executions: { arnOf: (name: string) => name, start: async (name: string) => void started.push(name) },
    stateOfExecution: async () => 'ended' as const,
    vivaFor: nobody as never,
    putEvents: async (events: readonly CloudEvent[]) => void published.push(...events),
    onPublished: () => {},
    onError: () => {},
    onFinding: () => {},
    onDayTooLarge: () => {},
    reconcileRfOrder: nobody,
  };
  await reconcileDue.run({ due: [{ kind: 'charge', id: CHARGE_ID }] }, deps, world.invocation);
}

const cancelled = { status: 'cancelled', sealed: true, failure: { code: 'SALE_NOT_CREATED' } };

describe('an additional charge without a sale of its own', () => {
  it('is cancelled, sealed and published when its sale was never written', async () => {
    world.putCharge({ dueAt: world.seconds(0) });

    await reconcile();

    const charge = await world.charge();
    expect(charge).toMatchObject(cancelled);
    expect(charge).not.toHaveProperty('dueAt');
    expect(published.map(({ type }) => type)).toEqual(['tillflow.charge.cancelled.v1']);
  });

  it('waits while its sale may still be written', async () => {
    world.putCharge({ dueAt: world.seconds(0) });

    await reconcile(59.999);

    expect(await world.charge()).toMatchObject({ status: 'created', dueAt: world.seconds(359.999) });
    expect(published).toEqual([]);
  });

  it('is cancelled when its sale was refused', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.payments.put('sale', SALE_ID, { merchantId: world.now(), refusedWith: 422 } as never);

    await reconcile();

    expect(await world.charge()).toMatchObject(cancelled);
  });

  it('is cancelled when the sale belongs to another request with another charge, and starts nothing', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.putSale({ status: 'paid', chargeId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f99' });

    await reconcile();

    expect(await world.charge()).toMatchObject(cancelled);
    expect(started).toEqual([]);
  });

  it('is left to its sale when the sale exists', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.putSale({ chargeId: CHARGE_ID });

    await reconcile();

    expect((await world.charge()).status).toBe('created');
    expect(started).toEqual([`${SALE_ID}.1`]);
  });

  it.each<[string, Patch<'charge'>]>([
    ['sent', { sentAt: '2026-11-21T10:00:30.000Z' }],
    ['ended', { status: 'failed', sealed: true, failure: { code: 'CHARGE_NOT_SENT' } }],
  ])('keeps what is recorded when it was %s and its sale is missing', async (_, written) => {
    world.putCharge({ dueAt: world.seconds(0), ...written } as never);

    await reconcile();

    expect(await world.charge()).toMatchObject({ status: 'created', ...written });
  });
});
