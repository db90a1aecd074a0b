import { describe, expect, it } from 'vitest';
import { sendSaleRequest } from '../../../../functions/sale/send-sale-request/step.ts';
import { FaultError, RejectedError, TransientError, UnknownOutcomeError } from '../../../../shared/flow/errors.ts';
import type { Patch } from '../../../../shared/payments/store.ts';
import { anyCall, FakeViva } from '../../../fakes/viva.ts';
import { SALE_ID, World } from '../../../fakes/world.ts';

const unanswered = new UnknownOutcomeError('NO_ANSWER', 'timed out');
const notSent = new TransientError('NOT_SENT', 'connection refused');

function run(world: World, viva: FakeViva) {
  return sendSaleRequest.run({ saleId: SALE_ID }, { ...world, vivaFor: viva.for }, world.invocation);
}

describe('send-sale-request', () => {
  it('sends the sale once, with its own id and reference', async () => {
    const world = new World();
    world.putSale({ merchantTrns: 'room 12' });
    const viva = new FakeViva();

    await run(world, viva);
    await run(world, viva);

    expect(viva.asked).toEqual([
      {
        method: 'sendSale',
        request: expect.objectContaining({ saleId: SALE_ID, merchantReference: `room 12 ${SALE_ID}` }),
      },
    ]);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', deadlineAt: world.seconds(180) });
  });

  it('treats "already sent" as sent', async () => {
    const world = new World();
    world.putSale();

    await run(world, new FakeViva({ sendSale: async () => ({ alreadySent: true, call: anyCall }) }));

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it.each([
    ['was not answered', unanswered],
    ['failed in an unexpected way', new Error('out of memory')],
  ])('is never sent again when it %s, whether or not its session exists', async (_, error) => {
    const world = new World();
    world.putSale();
    await run(world, new FakeViva({ sendSale: () => Promise.reject(error) }));
    const viva = new FakeViva();

    for (let second = 0; second < 40; second++) {
      world.at += 1_000;
      await run(world, viva);
    }

    expect(viva.asked).toEqual([]);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', requestedAt: world.seconds(0) });
  });

  it('waits for the outcome of a request whose attempt died, counted from that request', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(3), sendAttempts: 1 });
    const viva = new FakeViva();
    world.at += 20_000;

    await run(world, viva);

    expect(viva.asked).toEqual([]);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', deadlineAt: world.seconds(183) });
  });

  it('never starts a terminal after the window, and ends the sale unsent', async () => {
    const world = new World();
    world.putSale();
    const viva = new FakeViva();
    world.at += 30_001;

    await expect(run(world, viva)).rejects.toThrow(RejectedError);

    expect(viva.asked).toEqual([]);
    expect(await world.sale()).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
  });

  it('does not send a sale that was aborted before', async () => {
    const world = new World();
    world.putSale({ abortRequestedAt: world.seconds(0) });
    const viva = new FakeViva();

    await expect(run(world, viva)).rejects.toMatchObject({ code: 'SALE_ABORTED' });

    expect(viva.asked).toEqual([]);
    expect((await world.sale()).status).toBe('cancelled');
  });

  it('waits for the outcome of a sale that may be on the terminal, although it was aborted meanwhile', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(0), abortRequestedAt: world.seconds(5) });
    const viva = new FakeViva();
    world.at += 10_000;

    await run(world, viva);

    expect(viva.asked).toEqual([]);
    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('keeps the recorded request when only the record of its success is lost', async () => {
    const world = new World();
    world.putSale();
    world.payments.change = (async () => {
      throw new TransientError('ITEM_CONTENDED', 'busy');
    }) as typeof world.payments.change;

    await expect(run(world, new FakeViva())).rejects.toThrow(TransientError);

    expect((await world.sale()).requestedAt).toBe(world.seconds(0));
  });

  it('sends again within the window, and not after it, when the request provably did not leave', async () => {
    const world = new World();
    world.putSale();
    const refusing = new FakeViva({ sendSale: () => Promise.reject(notSent) });

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    expect(await world.sale()).not.toHaveProperty('requestedAt');
    world.at += 30_000;
    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    world.at += 1;
    await expect(run(world, refusing)).rejects.toThrow(RejectedError);

    expect(refusing.times('sendSale')).toBe(2);
    expect(await world.sale()).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
  });

  it('accepts the payment of a request that left at the second attempt', async () => {
    const world = new World();
    world.putSale();
    const viva = new FakeViva();

    await run(world, new FakeViva({ sendSale: () => Promise.reject(notSent) })).catch(() => {});
    await run(world, viva);

    expect(viva.times('sendSale')).toBe(1);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', sendAttempts: 2 });
  });

  it.each(['expired', 'cancelled', 'failed', 'unconfirmed', 'paid'] as const)(
    'does not change a sale that is %s',
    async (status) => {
      const world = new World();
      world.putSale({ status });
      const viva = new FakeViva();

      await run(world, viva);

      expect(viva.asked).toEqual([]);
      expect(world.payments.writes).toBe(0);
    },
  );

  it.each([
    ['a refusal', new RejectedError('SALE_REFUSED', 'no'), 'SALE_REFUSED'],
    ['refused credentials', new FaultError('CREDENTIALS_REFUSED', 'no'), 'ACCOUNT_NOT_READY'],
  ])('fails the sale on %s', async (_, error, code) => {
    const world = new World();
    world.putSale();

    await expect(run(world, new FakeViva({ sendSale: () => Promise.reject(error) }))).rejects.toBe(error);

    expect(await world.sale()).toMatchObject({ status: 'failed', failure: { code } });
  });
});

/** A platform that runs something else before it answers. */
function meanwhile(happens: () => void, error: Error): FakeViva {
  return new FakeViva({
    sendSale: async () => {
      happens();
      throw error;
    },
  });
}

describe('concurrent attempts of send-sale-request', () => {
  it.each<[string, Patch<'sale'>]>([
    ['another attempt has claimed the request', { requestedAt: '2026-11-21T10:00:00.000Z', sendAttempts: 1 }],
    ['the storefront has aborted the sale', { abortRequestedAt: '2026-11-21T10:00:00.000Z' }],
    ['the sale has ended', { status: 'expired' }],
  ])('send nothing when they find too late that %s', async (_, written) => {
    const world = new World();
    world.putSale();
    const viva = new FakeViva();
    world.payments.rival = () => world.payments.overwrite('sale', SALE_ID, written);

    await expect(run(world, viva)).rejects.toMatchObject({ name: 'TransientError', code: 'SALE_CHANGED' });

    expect(viva.asked).toEqual([]);
    expect(await world.sale()).toMatchObject(written);
  });

  it('send exactly one request', async () => {
    const world = new World();
    world.putSale();
    const viva = new FakeViva();

    await Promise.allSettled(Array.from({ length: 8 }, () => run(world, viva)));

    expect(viva.times('sendSale')).toBe(1);
  });

  it('release only their own claim when the request did not leave', async () => {
    const world = new World();
    world.putSale();
    // The first claim is already released, and another attempt claims in the same millisecond.
    const viva = meanwhile(() => {
      world.payments.overwrite('sale', SALE_ID, { requestedAt: world.seconds(0), sendAttempts: 2 });
    }, notSent);

    await expect(run(world, viva)).rejects.toBe(notSent);

    expect(await world.sale()).toMatchObject({ requestedAt: world.seconds(0), sendAttempts: 2 });
  });

  it('end the sale when the request did not leave and the execution has continued', async () => {
    const world = new World();
    world.putSale();
    const viva = meanwhile(() => world.payments.overwrite('sale', SALE_ID, { status: 'awaiting_card' }), notSent);

    await expect(run(world, viva)).rejects.toBe(notSent);

    const sale = await world.sale();
    expect(sale).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
    expect(sale).not.toHaveProperty('requestedAt');
  });

  it('continue only while the claim that they found stands', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(0), sendAttempts: 1 });
    world.payments.rival = () => world.payments.overwrite('sale', SALE_ID, { requestedAt: undefined });

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ code: 'SALE_CHANGED' });

    expect((await world.sale()).status).toBe('created');
  });

  it('end a late sale only when no attempt has claimed the request', async () => {
    const world = new World();
    world.putSale();
    world.at += 30_001;
    world.payments.rival = () => world.payments.overwrite('sale', SALE_ID, { requestedAt: world.seconds(30) });

    await expect(run(world, new FakeViva())).rejects.toMatchObject({ code: 'SALE_CHANGED' });

    expect((await world.sale()).status).toBe('created');
  });
});
