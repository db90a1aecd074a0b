import { describe, expect, it } from 'vitest';
import { awaitCapture } from '../../../../functions/charge/await-capture/step.ts';
import { RejectedError } from '../../../../shared/flow/errors.ts';
import type { Capture, Charge } from '../../../../shared/payments/items/charge.ts';
import { TRANSACTION_ID } from '../../../fakes/viva.ts';
import { CHARGE_ID, World } from '../../../fakes/world.ts';

const reserved: Capture = {
  captureId: '7e6c1f8e-5b0f-4c57-9a53-0a1b6f2f7f30',
  amount: 3000,
  isvAmount: 0,
  status: 'pending',
  requestedAt: '2026-11-21T10:00:00.000Z',
};

async function run(charge: Partial<Charge>): Promise<World> {
  const world = new World();
  world.putCharge({ status: 'authorized', transactionId: TRANSACTION_ID, authorizedAmount: 4000, ...charge });
  await awaitCapture.run({ chargeId: CHARGE_ID, taskToken: 'token-1' }, world, world.invocation);
  return world;
}

describe('await-capture', () => {
  it('stores its task token and waits', async () => {
    const world = await run({});

    expect(world.completed).toEqual([]);
    expect((await world.charge()).taskToken).toBe('token-1');
  });

  it.each<[string, Capture]>([
    ['was requested before the wait began', reserved],
    ['was sent and not answered', { ...reserved, sentAt: '2026-11-21T10:00:01.000Z' }],
  ])('continues at once when a capture %s', async (_, capture) => {
    const world = await run({ captures: [capture] });

    expect(world.completed).toEqual(['token-1']);
  });

  it('continues at once when the capture has been made', async () => {
    const world = await run({ status: 'captured', captures: [{ ...reserved, status: 'done' }] });

    expect(world.completed).toEqual(['token-1']);
  });

  it('keeps waiting after a refused capture', async () => {
    const world = await run({ captures: [{ ...reserved, status: 'refused' }] });

    expect(world.completed).toEqual([]);
  });

  it('waits for the end of a hold that was found late, even when a capture was requested', async () => {
    const world = await run({ captures: [reserved], foundLate: { at: '2026-11-21T10:00:00.000Z', laterSales: [] } });

    expect(world.completed).toEqual([]);
  });

  it.each(['expired', 'cancelled', 'needs_review'] as const)('ends when the charge is %s', async (status) => {
    await expect(run({ status })).rejects.toThrow(RejectedError);
  });
});
