import { describe, expect, it } from 'vitest';
import { handleExecutionEnd } from '../../../../functions/reconciler/handle-execution-end/step.ts';
import { reconcileDue } from '../../../../functions/reconciler/reconcile-due/step.ts';
import { FaultError } from '../../../../shared/flow/errors.ts';
import { isOpen } from '../../../../shared/payments/due.ts';
import type { Charge } from '../../../../shared/payments/items/charge.ts';
import type { RfOrder } from '../../../../shared/payments/items/rf-order.ts';
import { chargeStatuses, saleStatuses } from '../../../../shared/payments/lifecycle.ts';
import type { NewItem } from '../../../../shared/payments/store.ts';
import { nextDueAt } from '../../../../shared/reconciliation/next-due.ts';
import type { Viva } from '../../../../shared/viva/viva.ts';
import { Records } from '../../../fakes/records.ts';
import { TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, SALE_ID, World } from '../../../fakes/world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const unreadable = { listDay: () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')) };

function prepared(answers: Partial<Viva> = {}) {
  const world = new World();
  const records = new Records(world.now);
  const viva = records.viva(answers);
  const deps = {
    ...world,
    vivaFor: viva.for,
    executions: { arnOf: (name: string) => `arn:${name}`, start: async () => {} },
    stateOfExecution: async () => 'running' as const,
    putEvents: async () => {},
    onPublished: () => {},
    onError: () => {},
    reconcileRfOrder: () => Promise.reject<RfOrder>(new Error('there is none')),
  };
  const reconcile = (...due: ('sale' | 'charge')[]) =>
    reconcileDue.run(
      { due: due.map((kind) => ({ kind, id: kind === 'sale' ? SALE_ID : CHARGE_ID })) },
      deps,
      world.invocation,
    );
  const dueInMinutes = async (kind: 'sale' | 'charge') => {
    const { dueAt } = (await world.payments.get(kind, kind === 'sale' ? SALE_ID : CHARGE_ID))!;
    return dueAt && (Date.parse(dueAt) - world.at) / MINUTE_MS;
  };
  return { world, records, viva, deps, reconcile, dueInMinutes };
}

describe('a sale that was reported as refused', () => {
  const refused = (extra: Partial<NewItem<'sale'>> = {}) => {
    const all = prepared();
    all.world.putSale({ status: 'declined', requestedAt: all.world.seconds(0), dueAt: all.world.seconds(0), ...extra });
    return all;
  };

  it('is searched for 8 and 20 minutes after its request, and then no more', async () => {
    const { world, viva, reconcile, dueInMinutes } = refused();

    await reconcile('sale');
    const first = await dueInMinutes('sale');
    const asked = viva.asked.length;
    world.at += 8 * MINUTE_MS;
    await reconcile('sale');
    const second = await dueInMinutes('sale');
    world.at += 12 * MINUTE_MS;
    await reconcile('sale');

    expect([first, second, await dueInMinutes('sale')]).toEqual([8, 12, undefined]);
    expect(asked).toBe(0);
    expect(viva.times('listDay')).toBe(2);
  });

  it('is not searched for when nothing was sent', async () => {
    const { world, viva, reconcile, dueInMinutes } = refused({ requestedAt: undefined } as never);
    world.at += HOUR_MS;

    await reconcile('sale');

    expect([viva.asked.length, await dueInMinutes('sale')]).toEqual([0, undefined]);
  });
});

describe('a review', () => {
  it.each(['sale', 'charge'] as const)(
    'of a %s is reconciled every 5 minutes for an hour, then hourly for a day',
    async (kind) => {
      const { world, reconcile, dueInMinutes } = prepared();
      const review = {
        status: 'needs_review' as const,
        failure: { code: 'AMOUNT_MISMATCH' as const },
        reconciledUntil: world.seconds(86_400),
        dueAt: world.seconds(0),
      };
      world.putSale({ status: 'tokenized', tokenization: { status: 'stored' }, transactionId: TRANSACTION_ID });
      if (kind === 'sale') {
        world.putSale({ ...review, requestedAt: world.seconds(0) });
      } else {
        world.putCharge({
          ...review,
          sentAt: world.seconds(0),
          ctokCreatedAt: world.seconds(0),
          transactionId: TRANSACTION_ID,
        });
      }
      const waits: unknown[] = [];
      for (let reconcilers = 0; reconcilers < 60; reconcilers++) {
        await reconcile(kind);
        const minutes = await dueInMinutes(kind);
        waits.push(minutes);
        if (minutes === undefined) {
          break;
        }
        world.at += Number(minutes) * MINUTE_MS;
      }

      expect(waits.slice(0, 12)).toEqual(Array(12).fill(5));
      expect(waits.slice(12, -1)).toEqual(Array(23).fill(60));
      expect(waits.at(-1)).toBeUndefined();
      expect((await world.payments.get(kind, kind === 'sale' ? SALE_ID : CHARGE_ID))?.reconciledUntil).toBeUndefined();
    },
  );

  it('cancels the additional charge after an hour', async () => {
    const { world, reconcile } = prepared();
    world.putSale({
      status: 'needs_review',
      failure: { code: 'TRANSACTION_UNREADABLE' },
      chargeId: CHARGE_ID,
      requestedAt: world.seconds(0),
      transactionId: TRANSACTION_ID,
      reconciledUntil: world.seconds(86_400),
    });
    world.putCharge({ dueAt: world.seconds(0) });

    await reconcile('charge');
    const waiting = (await world.charge()).status;
    world.at += HOUR_MS;
    await reconcile('charge');

    expect(waiting).toBe('created');
    expect(await world.charge()).toMatchObject({ status: 'cancelled', failure: { code: 'SALE_IN_REVIEW' } });
  });
});

describe('a reconciliation that fails', () => {
  it('with a fault is repeated by its schedule only, and ends with it', async () => {
    const { world, reconcile, dueInMinutes } = prepared(unreadable);
    world.putSale({ status: 'declined', requestedAt: world.seconds(-1200), dueAt: world.seconds(0) });

    await expect(reconcile('sale')).rejects.toThrow('CREDENTIALS_REFUSED');

    expect(await dueInMinutes('sale')).toBeUndefined();
  });

  it('does not affect other items of the merchant', async () => {
    const { world, reconcile } = prepared(unreadable);
    world.putSale({
      status: 'declined',
      chargeId: CHARGE_ID,
      requestedAt: world.seconds(-1200),
      dueAt: world.seconds(0),
    });
    world.putCharge({ dueAt: world.seconds(0) });

    await expect(reconcile('sale', 'charge')).rejects.toThrow('CREDENTIALS_REFUSED');

    expect((await world.charge()).status).toBe('cancelled');
  });

  it('is not started without time to finish, and the item stays due', async () => {
    const { world, deps, dueInMinutes } = prepared();
    world.putSale({ status: 'declined', requestedAt: world.seconds(-1200), dueAt: world.seconds(0) });

    await reconcileDue.run({ due: [{ kind: 'sale', id: SALE_ID }] }, deps, { remainingMs: () => 14_000 });

    expect(await dueInMinutes('sale')).toBe(0);
  });
});

describe('the list of a day', () => {
  it('is read once for all due items of a merchant', async () => {
    const { world, viva, reconcile } = prepared();
    world.putSale({ status: 'declined', requestedAt: world.seconds(-1200), dueAt: world.seconds(0) });
    world.putCharge({
      status: 'needs_review',
      failure: { code: 'OUTCOME_UNKNOWN' },
      sentAt: world.seconds(-600),
      ctokCreatedAt: world.seconds(-600),
      reconciledUntil: world.seconds(80_000),
      dueAt: world.seconds(0),
    });

    await reconcile('sale', 'charge');

    expect(viva.times('listDay')).toBe(1);
  });

  it('is read again by the next run', async () => {
    const { world, viva, reconcile } = prepared();
    world.putSale({ status: 'unconfirmed', requestedAt: world.seconds(0), dueAt: world.seconds(0) });

    await reconcile('sale');
    world.at += 5 * MINUTE_MS;
    await reconcile('sale');

    expect(viva.times('listDay')).toBe(2);
  });
});

describe('the due time of an item', () => {
  it.each(saleStatuses)('is set for a sale that is %s exactly while the sale is open', async (status) => {
    const { world } = prepared();
    const sale = { status, tokenization: { status: 'none' as const } };
    world.putSale({ status: 'created' });
    await world.payments.change('sale', SALE_ID, () => ({ ...sale, dueAt: undefined }));

    const open = ['created', 'awaiting_card', 'unconfirmed'].includes(status);

    expect((await world.sale()).dueAt !== undefined).toBe(open);
    expect(isOpen('sale', await world.sale())).toBe(open);
  });

  it.each(chargeStatuses)('is set for a charge that is %s exactly while the charge is open', async (status) => {
    const { world } = prepared();
    world.putCharge({});
    await world.payments.change('charge', CHARGE_ID, () => ({ status, dueAt: undefined }));

    const open = ['created', 'requires_authentication', 'processing', 'authorized'].includes(status);

    expect((await world.charge()).dueAt !== undefined).toBe(open);
  });

  it.each<[string, Partial<NewItem<'sale'>>]>([
    ['a card that is being stored', { status: 'paid', tokenization: { status: 'pending' } }],
    ['a review that may resolve itself', { status: 'needs_review', reconciledUntil: '2026-11-22T10:00:00.000Z' }],
    ['a reading that needs a second one', { status: 'paid', reading: { seen: 'given back X', at: '' } }],
    ['an event that was not published', { status: 'paid', outbox: [] }],
  ])('stays set on a sale with %s', async (_, extra) => {
    const { world } = prepared();
    world.putSale({ tokenization: { status: 'none' } });
    await world.payments.change('sale', SALE_ID, () => ({ ...extra, dueAt: undefined }));

    expect((await world.sale()).dueAt).toBe(world.seconds(300));
  });

  it('of a hold is its deadline, or soon while a capture is open or a reading contradicts the hold', () => {
    const now = Date.parse('2026-11-21T10:00:00.000Z');
    const hold = { status: 'authorized', captures: [], captureBefore: '2026-11-26T10:00:00.000Z' } as unknown as Charge;
    const reading = { seen: 'hold released', at: '2026-11-21T10:00:00.000Z' };

    expect(nextDueAt('charge', hold, now)).toBe('2026-11-26T10:10:00.000Z');
    expect(nextDueAt('charge', hold, now + 6 * 24 * HOUR_MS)).toBe('2026-11-27T10:05:00.000Z');
    expect(nextDueAt('charge', { ...hold, reading }, now)).toBe('2026-11-21T10:05:00.000Z');
    const captures = [{ status: 'pending' }] as unknown as Charge['captures'];
    expect(nextDueAt('charge', { ...hold, captures }, now)).toBe('2026-11-21T10:05:00.000Z');
  });

  it('is kept as its writer set it', async () => {
    const { world } = prepared();
    world.putSale({ dueAt: world.seconds(7) });

    await world.payments.change('sale', SALE_ID, () => ({ status: 'awaiting_card' as const }));

    expect((await world.sale()).dueAt).toBe(world.seconds(7));
  });
});

describe('the end of an execution', () => {
  const input = { saleId: SALE_ID, cardId: null, chargeId: CHARGE_ID };

  it.each(['FAILED', 'TIMED_OUT', 'ABORTED'] as const)('%s reconciles what it left open', async (status) => {
    const { world, deps } = prepared();
    world.putSale({ status: 'created', dueAt: world.seconds(600) });
    world.putCharge({ status: 'cancelled' });
    const asked: unknown[] = [];
    const reconcileDue = async (key: object) => void asked.push(key);

    await handleExecutionEnd.run({ detail: { status, input } }, { ...deps, reconcileDue }, world.invocation);

    expect(asked).toEqual([{ due: [{ kind: 'sale', id: SALE_ID }] }]);
    expect((await world.sale()).dueAt).toBe(world.seconds(0));
    expect((await world.charge()).dueAt).toBeUndefined();
  });

  it('reconciles nothing when nothing is open or the execution succeeded', async () => {
    const { world, deps } = prepared();
    world.putSale({ status: 'declined', tokenization: { status: 'none' } });
    world.putCharge({ status: 'cancelled' });
    const reconcileDue = () => Promise.reject(new Error('asked'));

    await handleExecutionEnd.run({ detail: { status: 'FAILED', input } }, { ...deps, reconcileDue }, world.invocation);
    world.putSale({ status: 'created' });
    await handleExecutionEnd.run(
      { detail: { status: 'SUCCEEDED', input } },
      { ...deps, reconcileDue },
      world.invocation,
    );
  });
});
