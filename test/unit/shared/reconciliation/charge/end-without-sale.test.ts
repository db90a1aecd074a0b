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

/** A minute after the charge was written. */
async function look(atSecond = 60): Promise<void> {
  world.at = Date.parse(world.seconds(atSecond));
  const deps = {
    ...world,
    executions: { arnOf: (name: string) => name, start: async (name: string) => void started.push(name) },
    stateOfExecution: async () => 'ended' as const,
    platformFor: nobody as never,
    putEvents: async (events: readonly CloudEvent[]) => void published.push(...events),
    onPublished: () => {},
    onError: () => {},
    onFinding: () => {},
    onDayTooLarge: () => {},
    reconcileRfOrder: nobody,
  };
  await reconcileDue.run({ due: [{ kind: 'charge', id: CHARGE_ID }] }, deps, world.invocation);
}

const givenUp = { status: 'cancelled', sealed: true, failure: { code: 'SALE_NOT_CREATED' } };

describe('an additional charge whose sale', () => {
  it('was never written ends, sealed, and that is told', async () => {
    world.putCharge({ dueAt: world.seconds(0) });

    await look();

    const charge = await world.charge();
    expect(charge).toMatchObject(givenUp);
    expect(charge).not.toHaveProperty('dueAt');
    expect(published.map(({ type }) => type)).toEqual(['tillflow.charge.cancelled.v1']);
  });

  it('may still be being written waits', async () => {
    world.putCharge({ dueAt: world.seconds(0) });

    await look(59.999);

    expect(await world.charge()).toMatchObject({ status: 'created', dueAt: world.seconds(359.999) });
    expect(published).toEqual([]);
  });

  it('became a refusal ends', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.payments.put('sale', SALE_ID, { merchantId: world.now(), refusedWith: 422 } as never);

    await look();

    expect(await world.charge()).toMatchObject(givenUp);
  });

  it('became another request’s, with another charge, ends, and starts nothing for that sale', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.putSale({ status: 'paid', chargeId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f99' });

    await look();

    expect(await world.charge()).toMatchObject(givenUp);
    expect(started).toEqual([]);
  });

  it('is there is the sale’s matter', async () => {
    world.putCharge({ dueAt: world.seconds(0) });
    world.putSale({ chargeId: CHARGE_ID });

    await look();

    expect((await world.charge()).status).toBe('created');
    expect(started).toEqual([`${SALE_ID}.1`]);
  });

  it.each<[string, Patch<'charge'>]>([
    ['sent', { sentAt: '2026-11-21T10:00:30.000Z' }],
    ['ended', { status: 'failed', sealed: true, failure: { code: 'CHARGE_NOT_SENT' } }],
  ])('is not found, though the charge was %s, changes nothing about that', async (_, written) => {
    world.putCharge({ dueAt: world.seconds(0), ...written } as never);

    await look();

    expect(await world.charge()).toMatchObject({ status: 'created', ...written });
  });
});
