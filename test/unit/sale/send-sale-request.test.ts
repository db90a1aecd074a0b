import { describe, expect, it } from 'vitest';
import { sendSaleRequest } from '../../../functions/sale/send-sale-request/step.ts';
import { FaultError, RejectedError, TransientError, UnknownOutcomeError } from '../../../shared/errors.ts';
import { anyCall, FakePlatform } from '../../fakes/platform.ts';
import { SALE_ID, World } from '../../fakes/world.ts';

const unanswered = new UnknownOutcomeError('NO_ANSWER', 'timed out');

function run(world: World, platform: FakePlatform) {
  return sendSaleRequest.run({ saleId: SALE_ID }, { ...world, platformFor: platform.for }, world.invocation);
}

describe('send-sale-request', () => {
  it('sends the sale once, under its own id and with its own reference', async () => {
    const world = new World();
    world.putSale({ merchantTrns: 'room 12' });
    const platform = new FakePlatform();

    await run(world, platform);
    await run(world, platform);

    expect(platform.asked).toEqual([
      {
        method: 'sendSale',
        request: expect.objectContaining({ saleId: SALE_ID, merchantReference: `room 12 ${SALE_ID}` }),
      },
    ]);
    expect(await world.sale()).toMatchObject({ status: 'awaiting_card', deadlineAt: world.seconds(180) });
  });

  it('takes "already sent" for sent', async () => {
    const world = new World();
    world.putSale();

    await run(world, new FakePlatform({ sendSale: async () => ({ alreadySent: true, call: anyCall }) }));

    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('asks for the session instead of sending again when the first request was not answered', async () => {
    const world = new World();
    world.putSale();
    await run(world, new FakePlatform({ sendSale: () => Promise.reject(unanswered) })).catch(() => {});
    const platform = new FakePlatform();

    await run(world, platform);

    expect(platform.times('sendSale')).toBe(0);
    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('does not send again while the session may still become visible', async () => {
    const world = new World();
    world.putSale();
    await run(world, new FakePlatform({ sendSale: () => Promise.reject(unanswered) })).catch(() => {});
    const platform = new FakePlatform({ readSession: async () => ({ state: 'not_found', call: anyCall }) });
    world.at += 3_000;

    await expect(run(world, platform)).rejects.toThrow(TransientError);

    expect(platform.times('sendSale')).toBe(0);
  });

  it('sends again, under the same id, once the session was not there twice', async () => {
    const world = new World();
    world.putSale();
    await run(world, new FakePlatform({ sendSale: () => Promise.reject(unanswered) })).catch(() => {});
    const platform = new FakePlatform({ readSession: async () => ({ state: 'not_found', call: anyCall }) });
    world.at += 10_000;

    await run(world, platform);

    expect(platform.times('readSession')).toBe(2);
    expect(platform.times('sendSale')).toBe(1);
  });

  it('never lights up a terminal after the window, and ends the sale unsent', async () => {
    const world = new World();
    world.putSale();
    const platform = new FakePlatform();
    world.at += 30_001;

    await expect(run(world, platform)).rejects.toThrow(RejectedError);

    expect(platform.asked).toEqual([]);
    expect(await world.sale()).toMatchObject({ status: 'expired', failure: { code: 'SALE_NOT_SENT' } });
  });

  it('waits for the terminal after the window when a request may have arrived', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(25) });
    const platform = new FakePlatform({ readSession: async () => ({ state: 'not_found', call: anyCall }) });
    world.at += 40_000;

    await run(world, platform);

    expect(platform.times('sendSale')).toBe(0);
    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('does not send a sale that was aborted before', async () => {
    const world = new World();
    world.putSale({ abortRequestedAt: world.seconds(0) });
    const platform = new FakePlatform();

    await expect(run(world, platform)).rejects.toMatchObject({ code: 'SALE_ABORTED' });

    expect(platform.asked).toEqual([]);
    expect((await world.sale()).status).toBe('cancelled');
  });

  it('lets a sale that may be on the terminal wait for its outcome, though it was aborted meanwhile', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(0), abortRequestedAt: world.seconds(5) });
    const platform = new FakePlatform({ readSession: async () => ({ state: 'not_found', call: anyCall }) });
    world.at += 10_000;

    await run(world, platform);

    expect(platform.times('sendSale')).toBe(0);
    expect((await world.sale()).status).toBe('awaiting_card');
  });

  it('takes the refusal of a second request for no proof about the first', async () => {
    const world = new World();
    world.putSale({ requestedAt: world.seconds(0) });
    const platform = new FakePlatform({
      readSession: async () => ({ state: 'not_found', call: anyCall }),
      sendSale: () => Promise.reject(new RejectedError('TERMINAL_BUSY', 'with our first session')),
    });
    world.at += 10_000;

    await expect(run(world, platform)).rejects.toThrow(TransientError);

    expect(await world.sale()).toMatchObject({ status: 'created', requestedAt: world.seconds(11) });
  });

  it('keeps the request written down when only the note of its success is lost', async () => {
    const world = new World();
    world.putSale();
    const change = world.payments.change.bind(world.payments);
    let writes = 0;
    world.payments.change = (async (...args: Parameters<typeof change>) => {
      if (++writes === 2) {
        throw new TransientError('ITEM_CONTENDED', 'busy');
      }
      return change(...args);
    }) as typeof change;

    await expect(run(world, new FakePlatform())).rejects.toThrow(TransientError);

    expect((await world.sale()).requestedAt).toBe(world.seconds(0));
  });

  it('may send again at once when the request provably did not leave', async () => {
    const world = new World();
    world.putSale();
    const refusing = new FakePlatform({ sendSale: () => Promise.reject(new TransientError('NOT_SENT', 'refused')) });
    const platform = new FakePlatform();

    await expect(run(world, refusing)).rejects.toThrow(TransientError);
    await run(world, platform);

    expect(platform.asked.map(({ method }) => method)).toEqual(['sendSale']);
  });

  it.each([
    ['a refusal', new RejectedError('SALE_REFUSED', 'no'), 'SALE_REFUSED'],
    ['refused credentials', new FaultError('CREDENTIALS_REFUSED', 'no'), 'ACCOUNT_NOT_READY'],
  ])('ends the sale failed on %s', async (_, error, code) => {
    const world = new World();
    world.putSale();

    await expect(run(world, new FakePlatform({ sendSale: () => Promise.reject(error) }))).rejects.toBe(error);

    expect(await world.sale()).toMatchObject({ status: 'failed', failure: { code } });
  });
});
