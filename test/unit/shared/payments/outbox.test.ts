import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../../../shared/events/cloud-event.ts';
import { createPutEvents } from '../../../../shared/events/event-bus.ts';
import { publish } from '../../../../shared/events/publish.ts';
import type { Charge } from '../../../../shared/payments/items/charge.ts';
import type { Sale } from '../../../../shared/payments/items/sale.ts';
import { entry } from '../../../../shared/payments/timeline.ts';
import { chargeTransition, saleTransition } from '../../../../shared/payments/transitions.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

async function ended() {
  const world = new World();
  world.putSale({ tokenize: false, tokenization: { status: 'none' } });
  world.putCharge();
  await world.payments.change('sale', SALE_ID, (sale) =>
    saleTransition(sale, 'paid', { transactionId: 'tx' }, entry(world.now(), 'paid')),
  );
  const published: CloudEvent[][] = [];
  const deps = {
    ...world,
    putEvents: async (events: readonly CloudEvent[]) => void published.push([...events]),
    onPublished: () => {},
  };
  return { world, published, deps };
}

describe('the outbox', () => {
  it('is filled by the write that ends a sale or charge, and makes the item due at once', async () => {
    const { world } = await ended();
    await world.payments.change('charge', CHARGE_ID, (charge) =>
      chargeTransition(charge, 'declined', {}, entry(world.now(), 'declined')),
    );

    const at = world.seconds(0);
    const event = { eventId: expect.any(String), at };
    expect(await world.sale()).toMatchObject({
      dueAt: at,
      outbox: [{ ...event, type: 'tillflow.sale.paid.v1', status: 'paid' }],
    });
    expect(await world.charge()).toMatchObject({
      dueAt: at,
      outbox: [{ ...event, type: 'tillflow.charge.declined.v1', status: 'declined' }],
    });
  });

  it('does not change while the execution continues', async () => {
    const world = new World();
    world.putSale();
    await world.payments.change('sale', SALE_ID, (sale) =>
      saleTransition(sale, 'awaiting_card', {}, entry(world.now(), 'requested')),
    );

    expect((await world.sale()).outbox).toBeUndefined();
  });

  it('is emptied by publishing, without a new revision, and the item is no longer due', async () => {
    const { world, published, deps } = await ended();
    const before = await world.sale();

    await publish('sale', SALE_ID, deps);
    await publish('sale', SALE_ID, deps);

    const after = await world.sale();
    expect(published).toHaveLength(1);
    expect([after.outbox, after.dueAt]).toEqual([undefined, undefined]);
    expect([after.revision, after.updatedAt]).toEqual([before.revision, before.updatedAt]);
  });

  it('keeps what the bus did not accept, and publishes it under the same id', async () => {
    const { world, published, deps } = await ended();
    const [event] = (await world.sale()).outbox ?? [];
    const refusing = { ...deps, putEvents: () => Promise.reject(new Error('the bus is down')) };

    await expect(publish('sale', SALE_ID, refusing)).rejects.toThrow('the bus is down');
    await publish('sale', SALE_ID, deps);

    expect(published.flat().map(({ id }) => id)).toEqual([event?.eventId]);
  });

  it('keeps what was added while it was published', async () => {
    const { world, deps } = await ended();
    const slow = {
      ...deps,
      putEvents: async () => {
        await world.payments.change('sale', SALE_ID, (sale) =>
          saleTransition(sale, 'reversed', {}, entry(world.now(), 'reversed')),
        );
      },
    };

    await publish('sale', SALE_ID, slow);

    expect(await world.sale()).toMatchObject({ dueAt: world.seconds(0), outbox: [{ status: 'reversed' }] });
  });

  it('creates one delivery of an event when the account has a callback address, however often it is published', async () => {
    const { world, deps } = await ended();
    await world.payments.change('account', MERCHANT_ID, () => ({ callbackUrl: 'https://shop.example/hook' }));
    const [event] = (await world.sale()).outbox ?? [];

    await Promise.all([publish('sale', SALE_ID, deps), publish('sale', SALE_ID, deps)]);

    expect([...world.payments.items.keys()].filter((pk) => pk.startsWith('delivery#'))).toHaveLength(1);
    expect(await world.payments.get('delivery', event?.eventId ?? '')).toMatchObject({
      merchantId: MERCHANT_ID,
      about: `sale#${SALE_ID}`,
      state: 'pending',
      attempts: 0,
      dueAt: world.seconds(0),
      event,
    });
  });

  it('writes the delivery before the event that starts it', async () => {
    const { world, deps } = await ended();
    await world.payments.change('account', MERCHANT_ID, () => ({ callbackUrl: 'https://shop.example/hook' }));

    await expect(
      publish('sale', SALE_ID, { ...deps, putEvents: () => Promise.reject(new Error('the bus is down')) }),
    ).rejects.toThrow();

    expect((await world.payments.due(10)).map(({ kind }) => kind).toSorted()).toEqual(['delivery', 'sale']);
  });
});

describe('a payment that was found after its refusal was reported', () => {
  const foundLate = { at: '2026-11-21T10:00:00.000Z', laterSales: ['later'] };
  const outbox = (type: string, status: string) => [
    { eventId: 'event', type: `tillflow.${type}.${status}.v1`, at: '2026-11-21T10:00:00.000Z', status },
  ];
  const findings = (world: World) => [...world.payments.items].filter(([pk]) => pk.startsWith('finding#'));

  async function published(sale: Partial<Sale>, charge: Partial<Charge> = {}) {
    const world = new World();
    world.putSale(sale);
    world.putCharge(charge);
    const reasons: unknown[][] = [];
    const deps = { ...world, putEvents: async () => {}, onPublished: (...one: unknown[]) => void reasons.push(one) };
    const publishAll = async () => {
      await publish('sale', SALE_ID, deps);
      await publish('charge', CHARGE_ID, deps);
    };
    await publishAll();
    return { world, reasons, publishAll };
  }

  it('is listed for an operator with the later sales, and published with its reason', async () => {
    const { world, reasons } = await published({
      status: 'paid',
      transactionId: 'TX',
      foundLate,
      outbox: outbox('sale', 'paid'),
    });

    expect(await world.payments.get('finding', 'tx')).toMatchObject({
      merchantId: MERCHANT_ID,
      transactionId: 'TX',
      id: SALE_ID,
      reason: 'FOUND_LATE',
      state: 'open',
      amount: 1500,
      currency: 'EUR',
      laterSales: ['later'],
    });
    expect(reasons).toEqual([['paid', `sale#${SALE_ID}`, 'SALE_PAID_LATE']]);
  });

  it('is listed under its own id when it is a charge', async () => {
    const { world, reasons } = await published(
      {},
      { status: 'charged', transactionId: 'of-the-charge', foundLate, outbox: outbox('charge', 'charged') },
    );

    expect(await world.payments.get('finding', 'of-the-charge')).toMatchObject({ id: CHARGE_ID, amount: 4000 });
    expect(reasons).toEqual([['charged', `charge#${CHARGE_ID}`, 'CHARGE_MADE_LATE']]);
  });

  it('keeps the state that an operator gave it, however often it is published', async () => {
    const { world, publishAll } = await published({
      status: 'paid',
      transactionId: 'tx',
      foundLate,
      outbox: outbox('sale', 'paid'),
    });
    await world.payments.change('finding', 'tx', () => ({ state: 'done' as const }));
    await world.payments.change('sale', SALE_ID, () => ({ outbox: outbox('sale', 'reversed') }));

    await publishAll();

    expect(await world.payments.get('finding', 'tx')).toMatchObject({ state: 'done' });
  });

  it.each<[string, Partial<Sale>, unknown]>([
    ['was paid in time', { status: 'paid', transactionId: 'tx' }, undefined],
    ['was declined', { status: 'declined', failure: { code: 'CARD_DECLINED' } }, 'CARD_DECLINED'],
    ['has no transaction', { status: 'paid', foundLate }, 'SALE_PAID_LATE'],
  ])('is not an item that %s', async (_, sale, reason) => {
    const { world, reasons } = await published({ ...sale, outbox: outbox('sale', 'any') });

    expect(findings(world)).toEqual([]);
    expect(reasons).toEqual([['any', `sale#${SALE_ID}`, reason]]);
  });
});

describe('the event bus', () => {
  const event: CloudEvent = {
    specversion: '1.0',
    id: 'one',
    source: 'tillflow',
    type: 'tillflow.sale.paid.v1',
    time: '2026-11-21T10:00:00.000Z',
    subject: SALE_ID,
    datacontenttype: 'application/json',
    data: { merchantId: MERCHANT_ID, status: 'paid' },
  };
  const busOf = (failedEntryCount: number) => {
    const asked: PutEventsCommand[] = [];
    const client = {
      send: async (command: PutEventsCommand) => {
        asked.push(command);
        return { FailedEntryCount: failedEntryCount };
      },
    };
    return { asked, putEvents: createPutEvents(client as never, 'tillflow-test') };
  };

  it('gets ten events at a time, each with the detail of its own type', async () => {
    const { asked, putEvents } = busOf(0);

    await putEvents(Array.from({ length: 11 }, () => event));

    expect(asked.map(({ input }) => input.Entries?.length)).toEqual([10, 1]);
    expect(asked[1]?.input.Entries).toEqual([
      {
        EventBusName: 'tillflow-test',
        Source: 'tillflow',
        DetailType: 'tillflow.sale.paid.v1',
        Detail: JSON.stringify(event),
      },
    ]);
  });

  it('has not accepted all events when it reports one as failed', async () => {
    await expect(busOf(1).putEvents([event])).rejects.toThrow('EVENTS_NOT_TAKEN');
  });
});
