import { describe, expect, it } from 'vitest';
import { awaitAuthentication } from '../../../../functions/charge/await-authentication/step.ts';
import { RejectedError } from '../../../../shared/flow/errors.ts';
import { CHARGE_ID, World } from '../../../fakes/world.ts';

function run(world: World, taskToken = 'token-1') {
  return awaitAuthentication.run({ chargeId: CHARGE_ID, taskToken }, world, world.invocation);
}

function waiting(): World {
  const world = new World();
  world.putCharge({ status: 'requires_authentication', ctokRef: 'reference' });
  return world;
}

describe('await-authentication', () => {
  it('stores its task token and shows that the charge waits for the payer', async () => {
    const world = waiting();

    expect(await run(world)).toEqual({});

    expect(await world.charge()).toMatchObject({
      status: 'requires_authentication',
      taskToken: 'token-1',
      timeline: [{ at: world.seconds(0), event: 'authentication.waiting' }],
    });
  });

  it('waits with the newest task token when it runs twice', async () => {
    const world = waiting();

    await run(world);
    await run(world, 'token-2');

    expect((await world.charge()).taskToken).toBe('token-2');
  });

  it.each(['declined', 'expired', 'cancelled', 'failed', 'charged', 'captured', 'needs_review'] as const)(
    'does not wait for a charge that is already %s, and leaves it unchanged',
    async (status) => {
      const world = new World();
      world.putCharge({ status, failure: { code: 'CARD_DECLINED' } });
      const before = await world.charge();

      await expect(run(world)).rejects.toMatchObject({ name: 'RejectedError', code: 'CARD_DECLINED' });

      expect(await world.charge()).toEqual(before);
    },
  );

  it('reports the status of a charge that ended without a reason', async () => {
    const world = new World();
    world.putCharge({ status: 'charged' });

    await expect(run(world)).rejects.toThrow(RejectedError);
    await expect(run(world)).rejects.toMatchObject({ code: 'CHARGE_ENDED' });
  });
});
