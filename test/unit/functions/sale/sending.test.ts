/**
 * Random runs of one sale request. Whatever the terminal service, the payer, the functions and the machine do, at most
 * one request is worked on. `SEED=<n>` replays one run, `SEEDS=<n>` sets their number.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { Sale } from '../../../../shared/payments/items.ts';
import { terminalEnded } from '../../../../shared/payments/lifecycle.ts';
import { terminalHeldUntil } from '../../../../shared/payments/terminal-lease.ts';
import { VirtualTime } from '../../../fakes/virtual-time.ts';
import { SALE_ID, World } from '../../../fakes/world.ts';
import { Flow } from './stories/flow.ts';
import { fates, TerminalService } from './stories/terminal-service.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const { SEED, SEEDS = '250' } = process.env;
const seeds = SEED ? [Number(SEED)] : Array.from({ length: Number(SEEDS) }, (_, n) => n + 1);

/** How often each situation occurred in the runs. */
const met = new Map<string, number>();
const meet = (what: string, times = 1) => met.set(what, (met.get(what) ?? 0) + times);

async function live(seed: number): Promise<{ sale: Sale; service: TerminalService }> {
  const world = new World();
  const time = new VirtualTime(world.at);
  const start = world.at;
  Object.defineProperty(world, 'at', { get: () => time.at });
  world.putSale();
  const service = new TerminalService(time, seed);
  const flow = new Flow(time, world, service, seed + 1_000_000);
  void flow.run();
  if (seed % 5 === 0) {
    time.after((seed % 97) * SECOND, () => {
      void world.payments.change('sale', SALE_ID, (sale) =>
        terminalEnded(sale.status) ? undefined : { abortRequestedAt: new Date(time.at).toISOString() },
      );
    });
  }
  for (const minutes of [6, 12, 18]) {
    await time.runUntil(start + minutes * MINUTE);
    const { status, transactionId } = await world.sale();
    if (transactionId === undefined && (status === 'created' || status === 'awaiting_card')) {
      meet('a replaced execution');
      void flow.run();
    }
  }
  await time.runUntil(start + 40 * MINUTE); // no request is still under way
  meet('a dead attempt', flow.deaths);
  meet('a zombie attempt', flow.ghosts);
  return { sale: await world.sale(), service };
}

function check(sale: Sale, service: TerminalService): void {
  const mayHaveLeft = service.sent.filter(({ fate }) => fates[fate].left);
  expect(service.arrived.length, 'requests worked on').toBeLessThanOrEqual(1);
  expect(service.payments.length, 'payments').toBeLessThanOrEqual(1);
  expect(mayHaveLeft.length, 'requests that may have left').toBeLessThanOrEqual(1);
  expect([service.sent.at(-1), undefined], 'what is sent after them').toContain(mayHaveLeft[0] ?? service.sent.at(-1));
  expect(
    service.sent.filter(({ at }) => at > Date.parse(sale.sendBefore)),
    'sent late',
  ).toEqual([]);

  const isFound = sale.transactionId !== undefined;
  const isDecided = isFound || terminalEnded(sale.status) || sale.status === 'unconfirmed';
  expect(isDecided, `decided or unconfirmed, not ${sale.status}`).toBe(true);
  if (terminalEnded(sale.status)) {
    expect(service.payments, `taken, though ${sale.status}`).toEqual([]);
  }
  const heldUntil = terminalHeldUntil(sale);
  if (heldUntil !== undefined) {
    const longestRequest = Date.parse(sale.requestedAt ?? '') + 20 * SECOND;
    const open = service.sessions
      .filter(({ openedAt }) => openedAt <= longestRequest)
      .filter(({ openedAt }) => openedAt + MINUTE > Date.parse(heldUntil));
    expect(open, 'sessions on a terminal that counts as free').toEqual([]);
  }
}

function tally({ status, transactionId }: Sale, { nature, sent, payments, aborts, lies }: TerminalService): void {
  meet(status);
  meet('an abort', aborts);
  meet('a lie', lies);
  for (const { fate } of sent) {
    meet(fate);
  }
  meet('sent again', sent.length > 1 ? 1 : 0);
  meet('a second would be accepted', nature.acceptsDuplicates ? 1 : 0);
  meet('paid, and found while unconfirmed', status === 'unconfirmed' && transactionId !== undefined ? 1 : 0);
  meet('paid, and unconfirmed', status === 'unconfirmed' && payments.length > 0 ? 1 : 0);
}

describe('a sale request', { timeout: 600_000 }, () => {
  it.each(seeds)('is worked on at most once and never late: run %i', async (seed) => {
    const { sale, service } = await live(seed);

    check(sale, service);
    tally(sale, service);
  });

  afterAll(() => {
    const wanted = [
      ...Object.keys(fates),
      ...['a dead attempt', 'a zombie attempt', 'an abort', 'a lie', 'a replaced execution'],
      ...['sent again', 'a second would be accepted', 'paid, and found while unconfirmed', 'paid, and unconfirmed'],
      ...['expired', 'cancelled', 'declined', 'failed', 'unconfirmed', 'awaiting_card'],
    ];
    if (seeds.length >= 250) {
      expect(wanted.filter((one) => !met.get(one))).toEqual([]);
    }
  });
});
