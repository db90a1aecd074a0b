import { describe, expect, it } from 'vitest';
import { awaitTerminal } from '../../../../functions/sale/await-terminal/step.ts';
import { FaultError, TransientError } from '../../../../shared/flow/errors.ts';
import type { Patch } from '../../../../shared/payments/store.ts';
import type { Call, Session } from '../../../../shared/viva/viva.ts';
import { anyCall, FakeViva, finished, TRANSACTION_ID } from '../../../fakes/viva.ts';
import { SALE_ID, World } from '../../../fakes/world.ts';

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

const notFound: () => Promise<Session> = async () => ({ state: 'not_found', call: { ...anyCall, status: 404 } });

/** The fields of a sale whose terminal was asked to stop at that second. */
function asked(second: number): { readonly abortSentAt: string; readonly abortTriedAt: string } {
  const at = new Date(Date.parse('2026-11-21T10:00:00Z') + second * 1000).toISOString();
  return { abortSentAt: at, abortTriedAt: at };
}

/** Answers one after the other, then repeats the last one. */
function inTurn(...reads: readonly (() => Promise<Session>)[]): () => Promise<Session> {
  let n = 0;
  return () => reads[Math.min(n++, reads.length - 1)]!();
}

function run(world: World, viva: FakeViva, taskToken = 'token-1') {
  const deps = { ...world, vivaFor: viva.for };
  return awaitTerminal.run({ saleId: SALE_ID, taskToken }, deps, world.invocation);
}

describe('await-terminal', () => {
  it('passes on an approval at once, stores its transaction, and frees the terminal', async () => {
    const world = new World();
    world.putSale(waiting);

    await run(world, new FakeViva({ readSession: finished({}) }));

    expect(world.completed).toEqual(['token-1']);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', transactionId: TRANSACTION_ID });
    expect(await world.leasedUntil()).toBe(world.seconds(0));
  });

  it('reads twice and lets the state time out while there is no outcome', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: pending });

    await run(world, viva);

    expect(viva.times('readSession')).toBe(2);
    expect(world.completed).toEqual([]);
    expect((await world.sale()).taskToken).toBe('token-1');
  });

  it('passes on the outcome of an earlier attempt without asking again', async () => {
    const world = new World();
    world.putSale({ ...waiting, transactionId: TRANSACTION_ID });
    const viva = new FakeViva();

    await run(world, viva, 'token-2');

    expect(viva.asked).toEqual([]);
    expect(world.completed).toEqual(['token-2']);
  });

  it('lets a replaced execution continue with a paid sale', async () => {
    const world = new World();
    world.putSale({ ...waiting, status: 'paid', transactionId: TRANSACTION_ID });

    await run(world, new FakeViva());

    expect(world.completed).toEqual(['token-1']);
  });

  it('sends the storefront’s abort to the terminal once, and keeps reading', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const viva = new FakeViva({ readSession: pending });

    await run(world, viva);
    await run(world, viva);

    expect(viva.times('abortSession')).toBe(1);
    expect(viva.times('readSession')).toBe(4);
  });

  it('accepts an approval that was faster than the abort', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });

    await run(world, new FakeViva({ readSession: finished({}) }));

    expect(world.completed).toEqual(['token-1']);
  });

  it('asks the terminal to stop at the deadline', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: pending });
    world.at += 180_000;

    await run(world, viva);

    expect(viva.times('abortSession')).toBe(1);
  });

  it.each<[string, () => Promise<{ accepted: boolean; call: Call }>]>([
    ['was not answered', () => Promise.reject(new TransientError('NO_ANSWER', 'timed out'))],
    ['was refused because of its credentials', () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no'))],
    ['was not accepted', async () => ({ accepted: false, call: { ...anyCall, status: 404 } })],
  ])('asks again after six seconds when the abort %s, and keeps reading', async (_, abortSession) => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const viva = new FakeViva({ readSession: pending, abortSession });

    await run(world, viva);
    world.at = Date.parse(world.seconds(5.999));
    await run(world, viva);
    expect(viva.times('abortSession')).toBe(1);
    world.at = Date.parse(world.seconds(6));
    await run(world, viva);

    expect(viva.times('abortSession')).toBe(2);
    expect(viva.times('readSession')).toBe(6);
    expect(await world.sale()).toMatchObject({ abortSentAt: world.seconds(0), status: 'awaiting_card' });
  });

  it('asks again when an attempt died after its abort', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1), ...asked(1) });
    const viva = new FakeViva({ readSession: pending });
    world.at += 7_000;

    await run(world, viva);

    expect(viva.times('abortSession')).toBe(1);
    expect(await world.sale()).toMatchObject({ abortSentAt: world.seconds(1), terminalStoppedAt: world.seconds(7) });
  });

  it.each<[string, Patch<'sale'>]>([
    ['another attempt is sending the abort', asked(1)],
    ['the platform has passed on the abort', { terminalStoppedAt: '2026-11-21T10:00:01.000Z' }],
    ['the terminal approved', { transactionId: TRANSACTION_ID }],
    ['the sale has ended', { status: 'declined' }],
  ])('sends no abort when it finds in time that %s', async (_, written) => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const viva = new FakeViva({ readSession: pending });
    world.payments.rival = () => world.payments.overwrite('sale', SALE_ID, written);

    await run(world, viva).catch(() => {});

    expect(viva.times('abortSession')).toBe(0);
  });

  it('sends one abort, however many attempts run at the same time', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const viva = new FakeViva({ readSession: pending });

    await Promise.all([run(world, viva), run(world, viva), run(world, viva)]);

    expect(viva.times('abortSession')).toBe(1);
  });

  it('waits a minute for a terminal that was asked to stop', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180), terminalStoppedAt: world.seconds(180) });
    world.at = Date.parse(world.seconds(237));

    await run(world, new FakeViva({ readSession: pending }));

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('does not report a silent terminal whose approval was found meanwhile', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180), terminalStoppedAt: world.seconds(180) });
    world.at += 241_000;
    const readSession = async () => {
      world.payments.overwrite('sale', SALE_ID, { transactionId: TRANSACTION_ID });
      return pending();
    };

    await run(world, new FakeViva({ readSession }));

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', transactionId: TRANSACTION_ID });
    expect(world.completed).toEqual(['token-1']);
  });

  it('marks a sale whose terminal does not answer unconfirmed, never failed', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180) });
    world.at += 241_000;

    await expect(run(world, new FakeViva({ readSession: pending }))).rejects.toMatchObject({
      name: 'RejectedError',
    });

    expect(await world.sale()).toMatchObject({
      status: 'unconfirmed',
      failure: { code: 'TERMINAL_NOT_ANSWERING' },
    });
  });

  it('keeps waiting when the platform does not answer', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({
      readSession: () => Promise.reject(new TransientError('NO_ANSWER', 'timed out')),
    });

    await run(world, viva);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it.each([
    ['cancelled on the terminal', { eventId: 1000 }, 'cancelled', 'CANCELLED_ON_TERMINAL'],
    ['timed out', { eventId: 1003 }, 'expired', 'TERMINAL_TIMED_OUT'],
    ['declined by the issuer', { eventId: 1006, transactionEventId: 10051 }, 'declined', 'CARD_INSUFFICIENT_FUNDS'],
    ['declined without a reason', { eventId: 1006 }, 'declined', 'CARD_DECLINED'],
    ['busy', { eventId: 1001 }, 'failed', 'TERMINAL_BUSY'],
    ['stopped by us at the deadline', { eventId: 1016, aborted: true }, 'expired', 'TERMINAL_TIMED_OUT'],
  ])('ends a sale whose session was %s', async (_, session, status, code) => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: failed(session) });

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'RejectedError', code });

    expect(await world.sale()).toMatchObject({ status, failure: { code } });
  });

  it.each([
    ['a generic error', 1099],
    ['no connection', 3000],
    ['a network error', 4000],
  ])('marks a sale unconfirmed when its session failed with %s and names no transaction', async (_, eventId) => {
    const world = new World();
    world.putSale(waiting);

    await expect(run(world, new FakeViva({ readSession: failed({ eventId }) }))).rejects.toThrow();

    expect(await world.sale()).toMatchObject({ status: 'unconfirmed', failure: { code: 'TERMINAL_NOT_ANSWERING' } });
  });

  it('ends a sale that the storefront aborted as cancelled', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1), abortSentAt: world.seconds(1) });
    const viva = new FakeViva({ readSession: failed({ eventId: 1016 }) });

    await expect(run(world, viva)).rejects.toMatchObject({ code: 'SALE_ABORTED' });

    expect((await world.sale()).status).toBe('cancelled');
  });

  it('trusts the transaction when it contradicts the session', async () => {
    const world = new World();
    world.putSale(waiting);

    await run(world, new FakeViva({ readSession: finished({ success: false, eventId: 1099 }) }));

    expect(world.completed).toEqual(['token-1']);
    expect((await world.sale()).transactionId).toBe(TRANSACTION_ID);
  });

  it('does not decide a failed session while its transaction cannot be read', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({
      readSession: finished({ success: false, eventId: 1006 }),
      readTransaction: () => Promise.reject(new TransientError('NOT_ENOUGH_TIME', 'too late in this invocation')),
    });

    await run(world, viva);

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('accepts the session’s refusal when its transaction is not visible until the deadline', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortSentAt: world.seconds(180) });
    const viva = new FakeViva({
      readSession: finished({ success: false, eventId: 1006 }),
      readTransaction: () => Promise.reject(new TransientError('TRANSACTION_NOT_VISIBLE', 'not there')),
    });

    await run(world, viva);
    expect((await world.sale()).status).toBe('awaiting_card');
    world.at += 180_000;

    await expect(run(world, viva)).rejects.toMatchObject({ code: 'CARD_DECLINED' });
  });

  it('keeps waiting, and records it, when the platform refuses the read', async () => {
    const world = new World();
    world.putSale(waiting);
    const refusing = () => Promise.reject(new FaultError('PLATFORM_REFUSED', 'no'));

    await run(world, new FakeViva({ readSession: refusing }));

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', timeline: [{ event: 'terminal.unreadable' }] });
  });

  it.each([
    ['amount', { amount: 1501 }, 'AMOUNT_MISMATCH'],
    ['currency', { currency: 'GBP' }, 'AMOUNT_MISMATCH'],
    ['terminal', { terminalId: '16009999' }, 'TERMINAL_MISMATCH'],
  ])('marks the sale for review when the %s of the answer is not ours', async (_, session, code) => {
    const world = new World();
    world.putSale(waiting);

    await expect(run(world, new FakeViva({ readSession: finished(session) }))).rejects.toMatchObject({ code });

    expect((await world.sale()).status).toBe('needs_review');
  });
});

describe('await-terminal, when the session does not exist', () => {
  /** Runs attempts of seven seconds each until that second; returns the error that ends them. */
  async function wait(world: World, viva: FakeViva, untilSecond: number): Promise<unknown> {
    while (world.at < Date.parse(world.seconds(untilSecond))) {
      const error = await run(world, viva).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error !== undefined) {
        return error;
      }
      world.at += 4_000;
    }
    return undefined;
  }

  it('waits for the session for 30 seconds', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: notFound });

    await wait(world, viva, 28);

    expect((await world.sale()).status).toBe('awaiting_card');
    expect(viva.times('abortSession')).toBe(0);
  });

  it('then marks the sale unconfirmed, sets its next reconciliation, and asks the terminal to stop', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: notFound });

    await wait(world, viva, 36);

    expect(await world.sale()).toMatchObject({
      status: 'unconfirmed',
      failure: { code: 'TERMINAL_NOT_ANSWERING' },
      dueAt: world.seconds(151),
      abortSentAt: world.seconds(35),
      terminalStoppedAt: world.seconds(35),
    });
    expect(viva.times('abortSession')).toBe(1);
  });

  it('makes the sale due no later than before', async () => {
    const world = new World();
    world.putSale({ ...waiting, dueAt: world.seconds(60) });

    await wait(world, new FakeViva({ readSession: notFound }), 36);

    expect((await world.sale()).dueAt).toBe(world.seconds(60));
  });

  it('repeats the abort for a minute until the platform passes it on, then leaves the sale to the reconciler', async () => {
    const world = new World();
    world.putSale(waiting);
    const abortSession = async () => ({ accepted: false, call: { ...anyCall, status: 404 } });
    const viva = new FakeViva({ readSession: notFound, abortSession });

    const error = await wait(world, viva, 600);

    expect(error).toMatchObject({ name: 'RejectedError', code: 'TERMINAL_NOT_ANSWERING' });
    expect(viva.times('abortSession')).toBe(10);
    expect(world.at).toBe(Date.parse(world.seconds(98)));
    expect((await world.sale()).status).toBe('unconfirmed');
  });

  it.each([29, 36, 60, 90])('accepts a payment that appears %i seconds after the request', async (second) => {
    const world = new World();
    world.putSale(waiting);
    const paid = finished({});
    const viva = new FakeViva({
      readSession: () => (world.at >= Date.parse(world.seconds(second)) ? paid() : notFound()),
    });

    expect(await wait(world, viva, second + 7)).toBeUndefined();

    expect(world.completed.length).toBeGreaterThan(0);
    expect((await world.sale()).transactionId).toBe(TRANSACTION_ID);
  });

  it('repeats the abort when the session appears late, and accepts its outcome', async () => {
    const world = new World();
    world.putSale(waiting);
    const isThere = () => world.at >= Date.parse(world.seconds(50));
    let stopped = false;
    const viva = new FakeViva({
      readSession: () => (isThere() ? (stopped ? failed({ eventId: 1016 })() : pending()) : notFound()),
      abortSession: async () => {
        stopped = isThere();
        return { accepted: stopped, call: anyCall };
      },
    });

    const error = await wait(world, viva, 90);

    expect(error).toMatchObject({ name: 'RejectedError', code: 'TERMINAL_TIMED_OUT' });
    expect((await world.sale()).status).toBe('expired');
  });

  it('does not treat a session as missing once it was seen', async () => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: inTurn(pending, notFound) });

    await wait(world, viva, 60);

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', sessionSeenAt: world.seconds(3) });
    expect(viva.times('abortSession')).toBe(0);
  });

  it.each<[string, readonly (() => Promise<Session>)[]]>([
    ['there a moment later', [notFound, pending]],
    ['there a moment before', [pending, notFound]],
    ['not readable a moment later', [notFound, () => Promise.reject(new TransientError('NO_ANSWER', 'timed out'))]],
    ['not readable a moment before', [() => Promise.reject(new TransientError('NO_ANSWER', 'timed out')), notFound]],
    ['refused a moment later', [notFound, () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no'))]],
    ['refused a moment before', [() => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no')), notFound]],
  ])('does not treat a session as missing when it was %s', async (_, reads) => {
    const world = new World();
    world.putSale(waiting);
    world.at += 40_000;

    await run(world, new FakeViva({ readSession: inTurn(...reads) }));

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it.each<[string, Patch<'sale'>]>([
    ['was seen', { sessionSeenAt: '2026-11-21T10:00:40.000Z' }],
    ['was approved', { transactionId: TRANSACTION_ID }],
    ['was declined', { status: 'declined' }],
  ])('does not treat a session as missing that %s meanwhile', async (_, written) => {
    const world = new World();
    world.putSale(waiting);
    world.at += 40_000;
    const viva = new FakeViva({
      readSession: inTurn(notFound, async () => {
        world.payments.overwrite('sale', SALE_ID, written);
        return notFound();
      }),
    });

    await run(world, viva).catch(() => {});

    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', ...written });
  });

  it('stops waiting for an unconfirmed session that is over without an outcome, and frees its terminal', async () => {
    const world = new World();
    world.putSale({ ...waiting, status: 'unconfirmed', ...asked(36) });
    world.at += 40_000;

    const over = run(world, new FakeViva({ readSession: failed({ eventId: 1099 }) }));

    await expect(over).rejects.toMatchObject({ code: 'SALE_ENDED' });
    expect(await world.sale()).toMatchObject({ status: 'unconfirmed', terminalStoppedAt: world.seconds(40) });
  });
});

describe('await-terminal, when the platform refuses or does not answer', () => {
  it.each([
    ['a credential fault', new FaultError('CREDENTIALS_REFUSED', 'no')],
    ['no answer', new TransientError('NO_ANSWER', 'timed out')],
  ])('learns nothing about the session from %s, however long it lasts', async (_, error) => {
    const world = new World();
    world.putSale(waiting);
    const viva = new FakeViva({ readSession: () => Promise.reject(error) });

    for (let attempt = 0; attempt < 20; attempt++) {
      await run(world, viva);
      world.at += 4_000;
    }

    expect((await world.sale()).status).toBe('awaiting_card');
    expect(viva.times('abortSession')).toBe(0);
  });

  it('passes on an approval although the abort is refused', async () => {
    const world = new World();
    world.putSale({ ...waiting, abortRequestedAt: world.seconds(1) });
    const abortSession = () => Promise.reject(new FaultError('CREDENTIALS_REFUSED', 'no'));

    await run(world, new FakeViva({ abortSession, readSession: finished({}) }));

    expect(world.completed).toEqual(['token-1']);
  });
});
