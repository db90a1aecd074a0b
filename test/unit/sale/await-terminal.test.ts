import { describe, expect, it } from 'vitest';
import { awaitTerminal } from '../../../functions/sale/await-terminal/step.ts';
import { FaultError, TransientError } from '../../../shared/errors.ts';
import type { Session } from '../../../shared/platform/platform.ts';
import { anyCall, FakePlatform, finished, TRANSACTION_ID } from '../../fakes/platform.ts';
import { SALE_ID, World } from '../../fakes/world.ts';

const waiting = {
  status: 'awaiting_card' as const,
  requestedAt: '2026-11-21T10:00:00.000Z',
  deadlineAt: '2026-11-21T10:03:00.000Z',
};

function failed(session: Partial<Extract<Session, { state: 'finished' }>>): () => Promise<Session> {
  return async () => {
    const { transactionId: _none, ...rest } = (await finished(session)()) as Extract<Session, { state: 'finished' }>;
    return { ...rest, success: false };
  };
}

const pending: () => Promise<Session> = async () => ({ state: 'pending', call: anyCall });

function run(world: World, platform: FakePlatform, taskToken = 'token-1') {
  const deps = { ...world, platformFor: platform.for };
  return awaitTerminal.run({ saleId: SALE_ID, taskToken }, deps, world.invocation);
}

describe('await-terminal', () => {
  it('passes an approval on at once, keeps its transaction, and frees the terminal', async () => {
    const world = new World();
    world.putSale(waiting);

    await run(world, new FakePlatform({ readSession: finished({}) }));

    expect(world.completed).toEqual(['token-1']);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', transactionId: TRANSACTION_ID });
    expect(await world.leasedUntil()).toBe(world.seconds(0));
  });

  it('looks twice and lets the state time out while there is no outcome', async () => {
    const world = new World();
    world.putSale(waiting);
    const platform = new FakePlatform({ readSession: pending });

    await run(world, platform);

    expect(platform.times('readSession')).toBe(2);
    expect(world.completed).toEqual([]);
    expect((await world.sale()).taskToken).toBe('token-1');
  });

  it('passes on what an earlier attempt found, without asking again', async () => {
    const world = new World();
    world.putSale({ ...waiting, transactionId: TRANSACTION_ID });
    const platform = new FakePlatform();

    await run(world, platform, 'token-2');

    expect(platform.asked).toEqual([]);
    expect(world.completed).toEqual(['token-2']);
  });

  it('lets a flow that was taken up again pass a sale that is paid', async () => {
    const world = new World();
    world.putSale({ ...waiting, status: 'paid', transactionId: TRANSACTION_ID });

    await run(world, new FakePlatform());

    expect(world.completed).toEqual(['token-1']);
  });

  it('asks the terminal to stop once when the till asked for it, and reads on', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const platform = new FakePlatform({ readSession: pending });

    await run(world, platform);
    await run(world, platform);

    expect(platform.times('abortSession')).toBe(1);
    expect(platform.times('readSession')).toBe(4);
  });

  it('lets an approval win that was faster than the abort', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });

    await run(world, new FakePlatform({ readSession: finished({}) }));

    expect(world.completed).toEqual(['token-1']);
  });

  it('asks the terminal to stop at the deadline', async () => {
    const world = new World();
    world.putSale(waiting);
    const platform = new FakePlatform({ readSession: pending });
    world.at += 180_000;

    await run(world, platform);

    expect(platform.times('abortSession')).toBe(1);
  });

  it('asks again when the request to stop was not answered', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const platform = new FakePlatform({
      readSession: pending,
      abortSession: () => Promise.reject(new TransientError('NO_ANSWER', 'timed out')),
    });

    await run(world, platform);

    expect(platform.times('abortSession')).toBe(2);
  });

  it('leaves a terminal that does not answer unconfirmed, never failed', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180) });
    world.at += 241_000;

    await expect(run(world, new FakePlatform({ readSession: pending }))).rejects.toMatchObject({
      name: 'RejectedError',
    });

    expect(await world.sale()).toMatchObject({
      status: 'unconfirmed',
      failure: { code: 'TERMINAL_NOT_ANSWERING' },
    });
  });

  it('goes on waiting when the platform does not answer', async () => {
    const world = new World();
    world.putSale(waiting);
    const platform = new FakePlatform({
      readSession: () => Promise.reject(new TransientError('NO_ANSWER', 'timed out')),
    });

    await run(world, platform);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it.each([
    ['cancelled on the terminal', { eventId: 1000 }, 'cancelled', 'CANCELLED_ON_TERMINAL'],
    ['timed out', { eventId: 1003 }, 'expired', 'TERMINAL_TIMED_OUT'],
    ['declined by the issuer', { eventId: 1006, transactionEventId: 10051 }, 'declined', 'CARD_INSUFFICIENT_FUNDS'],
    ['declined with no reason', { eventId: 1006 }, 'declined', 'CARD_DECLINED'],
    ['busy', { eventId: 1001 }, 'failed', 'TERMINAL_BUSY'],
    ['stopped by us at the deadline', { eventId: 1016, aborted: true }, 'expired', 'TERMINAL_TIMED_OUT'],
  ])('ends a session that was %s', async (_, session, status, code) => {
    const world = new World();
    world.putSale(waiting);
    const platform = new FakePlatform({ readSession: failed(session) });

    await expect(run(world, platform)).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(await world.sale()).toMatchObject({ status, failure: { code } });
  });

  it.each([
    ['a generic error', 1099],
    ['no connection', 3000],
    ['a network error', 4000],
  ])('leaves a session unconfirmed that failed with %s and names no transaction', async (_, eventId) => {
    const world = new World();
    world.putSale(waiting);

    await expect(run(world, new FakePlatform({ readSession: failed({ eventId }) }))).rejects.toThrow();

    expect(await world.sale()).toMatchObject({ status: 'unconfirmed', failure: { code: 'TERMINAL_NOT_ANSWERING' } });
  });

  it('ends an abort of the till as cancelled', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1), abortSentAt: world.seconds(1) });
    const platform = new FakePlatform({ readSession: failed({ eventId: 1016 }) });

    await expect(run(world, platform)).rejects.toMatchObject({ code: 'SALE_ABORTED' });

    expect((await world.sale()).status).toBe('cancelled');
  });

  it('believes the transaction and not the session when the two disagree', async () => {
    const world = new World();
    world.putSale(waiting);

    await run(world, new FakePlatform({ readSession: finished({ success: false, eventId: 1099 }) }));

    expect(world.completed).toEqual(['token-1']);
    expect((await world.sale()).transactionId).toBe(TRANSACTION_ID);
  });

  it('leaves a failed session undecided while its transaction cannot be asked for', async () => {
    const world = new World();
    world.putSale(waiting);
    const platform = new FakePlatform({
      readSession: finished({ success: false, eventId: 1006 }),
      readTransaction: () => Promise.reject(new TransientError('NOT_ENOUGH_TIME', 'too late in this invocation')),
    });

    await run(world, platform);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('lets the session’s word stand once its transaction stayed invisible until the deadline', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180) });
    const platform = new FakePlatform({
      readSession: finished({ success: false, eventId: 1006 }),
      readTransaction: () => Promise.reject(new TransientError('TRANSACTION_NOT_VISIBLE', 'not there')),
    });

    await run(world, platform);
    expect((await world.sale()).status).toBe('awaiting_card');
    world.at += 180_000;

    await expect(run(world, platform)).rejects.toMatchObject({ code: 'CARD_DECLINED' });
  });

  it('waits on, and notes it, when the platform refuses to tell', async () => {
    const world = new World();
    world.putSale(waiting);
    const refusing = () => Promise.reject(new FaultError('PLATFORM_REFUSED', 'no'));

    await run(world, new FakePlatform({ readSession: refusing }));

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', timeline: [{ event: 'terminal.unreadable' }] });
  });

  it.each([
    ['amount', { amount: 1501 }, 'AMOUNT_MISMATCH'],
    ['currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['terminal', { terminalId: '16009999' }, 'TERMINAL_MISMATCH'],
  ])('stops for a person when the %s of the answer is not ours', async (_, session, code) => {
    const world = new World();
    world.putSale(waiting);

    await expect(run(world, new FakePlatform({ readSession: finished(session) }))).rejects.toMatchObject({ code });

    expect((await world.sale()).status).toBe('needs_review');
  });
});
