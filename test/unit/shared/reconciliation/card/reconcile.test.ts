import { beforeEach, describe, expect, it } from 'vitest';
import { handleExecutionEnd } from '../../../../../functions/reconciler/handle-execution-end/step.ts';
import { reconcileDue } from '../../../../../functions/reconciler/reconcile-due/step.ts';
import type { ExecutionState } from '../../../../../shared/flow/executions.ts';
import type { Card } from '../../../../../shared/payments/items/card.ts';
import type { NewItem } from '../../../../../shared/payments/store.ts';
import { reconcileCard } from '../../../../../shared/reconciliation/card/reconcile.ts';
import { MERCHANT_ID, World } from '../../../../fakes/world.ts';

const CARD_ID = `card_${'ab'.repeat(16)}`;
const arnOf = (name: string) => `arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:${name}`;
const input = { saleId: null, cardId: CARD_ID, chargeId: null };

let world: World;
let started: [string, unknown][];
let states: Record<string, ExecutionState>;

beforeEach(() => {
  world = new World();
  started = [];
  states = {};
});

const nobody = () => Promise.reject(new Error('nobody is asked'));
const deps = () => ({
  ...world,
  executions: { arnOf, start: async (name: string, asked: unknown) => void started.push([name, asked]) },
  stateOfExecution: async (arn: string) => states[arn.slice(arn.lastIndexOf(':') + 1)] ?? ('absent' as const),
  vivaFor: nobody as never,
  putEvents: nobody,
  onPublished: () => {},
  onError: () => {},
  onFinding: () => {},
  onDayTooLarge: () => {},
  reconcileRfOrder: nobody,
});

function request(change: Partial<Card> = {}): NewItem<'card'> {
  const transactionId = '6f1f7a52-0000-4c53-8f1c-000000000001';
  const executionArn = arnOf(CARD_ID);
  return {
    cardId: CARD_ID,
    merchantId: MERCHANT_ID,
    status: 'pending',
    transactionId,
    executionArn,
    timeline: [],
    ...change,
  };
}

const card = () => world.payments.get('card', CARD_ID);

describe('reconciliation of a card request', () => {
  it('makes a request that was never started due within five minutes', async () => {
    await world.payments.create('card', CARD_ID, request());

    expect((await card())?.dueAt).toBe(world.seconds(300));
  });

  it('starts a missing execution and sets the next due time', async () => {
    world.payments.put('card', CARD_ID, request({ dueAt: world.seconds(0) }));

    await reconcileDue.run({ due: [{ kind: 'card', id: CARD_ID }] }, deps(), world.invocation);

    expect(started).toEqual([[CARD_ID, input]]);
    expect(await card()).toMatchObject({ status: 'pending', dueAt: world.seconds(300) });
  });

  it('leaves a running execution alone and sets the next due time', async () => {
    world.payments.put('card', CARD_ID, request({ dueAt: world.seconds(0) }));
    states = { [CARD_ID]: 'running' };

    await reconcileCard(CARD_ID, deps());

    expect(started).toEqual([]);
    expect((await card())?.dueAt).toBe(world.seconds(300));
  });

  it.each(['FAILED', 'TIMED_OUT', 'ABORTED'] as const)('replaces an execution that ended %s', async (status) => {
    world.payments.put('card', CARD_ID, request());
    states = { [CARD_ID]: 'ended' };
    const ended = { detail: { status, input } };

    const asked = {
      ...deps(),
      reconcileDue: async ({ due }: { due: readonly unknown[] }) => {
        await reconcileDue.run({ due: due as never }, deps(), world.invocation);
      },
    };
    await Promise.all([
      handleExecutionEnd.run(ended, asked, world.invocation),
      handleExecutionEnd.run(ended, asked, world.invocation),
    ]);

    expect(new Set(started.map(([name]) => name))).toEqual(new Set([`${CARD_ID}.1`]));
    expect(await card()).toMatchObject({ status: 'pending', restarts: 1, executionArn: arnOf(`${CARD_ID}.1`) });
  });

  it('refuses the request after four executions', async () => {
    world.payments.put('card', CARD_ID, request({ restarts: 3, executionArn: arnOf(`${CARD_ID}.3`) }));
    states = { [`${CARD_ID}.3`]: 'ended' };

    await reconcileCard(CARD_ID, deps());

    expect(started).toEqual([]);
    expect(await card()).toMatchObject({ status: 'refused', failure: { code: 'TOKENIZATION_UNAVAILABLE' } });
    expect(await card()).not.toHaveProperty('dueAt');
  });

  it.each(['active', 'refused', 'deleted'] as const)('does nothing more for a card that is %s', async (status) => {
    world.payments.put('card', CARD_ID, request({ status, dueAt: world.seconds(0) }));
    states = { [CARD_ID]: 'ended' };

    await reconcileDue.run({ due: [{ kind: 'card', id: CARD_ID }] }, deps(), world.invocation);

    expect(started).toEqual([]);
    expect(await card()).toMatchObject({ status });
    expect(await card()).not.toHaveProperty('dueAt');
  });

  it('removes the token that the deletion of a card left behind', async () => {
    world.payments.put('card', CARD_ID, request({ status: 'deleted', tokenLeft: true, dueAt: world.seconds(0) }));
    const expiresAt = Date.parse(world.seconds(86_400)) / 1000;
    await world.tokens.put('ct', CARD_ID, { token: 'left', expirationMonth: 1, expirationYear: 2030 }, expiresAt, 0);

    await reconcileDue.run({ due: [{ kind: 'card', id: CARD_ID }] }, deps(), world.invocation);

    expect(await world.tokens.get('ct', CARD_ID)).toBeUndefined();
    expect(await card()).toMatchObject({ status: 'deleted' });
    expect(await card()).not.toHaveProperty('dueAt');
    expect(await card()).not.toHaveProperty('tokenLeft');
  });

  it('skips a card that is not due', async () => {
    world.payments.put('card', CARD_ID, request({ dueAt: world.seconds(1) }));

    await reconcileDue.run({ due: [{ kind: 'card', id: CARD_ID }] }, deps(), world.invocation);

    expect(started).toEqual([]);
    expect((await card())?.dueAt).toBe(world.seconds(1));
  });
});
