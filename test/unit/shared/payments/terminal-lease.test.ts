import { beforeEach, describe, expect, it } from 'vitest';
import type { Sale } from '../../../../shared/payments/items/sale.ts';
import { releaseTerminal, terminalHeldUntil } from '../../../../shared/payments/terminal-lease.ts';
import { MERCHANT_ID, TERMINAL_ID, World } from '../../../fakes/world.ts';

let world: World;

beforeEach(() => {
  world = new World();
  world.putSale();
});

const release = async (change: Partial<Sale> = {}) =>
  releaseTerminal(world.payments, { ...(await world.sale()), ...change }, world.at);

describe('the lease of a terminal', () => {
  it('ends when its sale releases it, and a second release writes nothing', async () => {
    await release();
    const { writes } = world.payments;
    await release();
    world.at += 1_000;
    await release();

    expect(await world.leasedUntil()).toBe(world.seconds(0));
    expect([writes, world.payments.writes]).toEqual([1, 1]);
  });

  it('is not released by another sale', async () => {
    await release({ saleId: 'another' });

    expect(await world.leasedUntil()).toBe(world.seconds(300));
  });

  it('is not extended by a release after its end', async () => {
    await world.payments.change('terminal-lease', `${MERCHANT_ID}#${TERMINAL_ID}`, () => ({
      leasedUntil: world.seconds(-1),
    }));

    await release();

    expect(await world.leasedUntil()).toBe(world.seconds(-1));
  });
});

describe('an unconfirmed sale', () => {
  const held = (change: Partial<Sale>) =>
    terminalHeldUntil({ status: 'unconfirmed', requestedAt: '2026-11-21T10:00:00.000Z', ...change } as Sale);

  it('holds its terminal for two minutes from its request', () => {
    expect(held({})).toBe('2026-11-21T10:02:00.000Z');
  });

  it.each<[string, Partial<Sale>]>([
    ['was never sent', { requestedAt: undefined } as never],
    ['is confirmed', { status: 'awaiting_card' }],
    ['was stopped', { terminalStoppedAt: '2026-11-21T10:01:00.000Z' }],
    ['has its transaction', { transactionId: 'tx' }],
  ])('holds no terminal when it %s', (_, change) => {
    expect(held(change)).toBeUndefined();
  });
});
