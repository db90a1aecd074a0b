import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionState } from '../../../../shared/flow/executions.ts';
import type { Card } from '../../../../shared/payments/items/card.ts';
import {
  restartCardRequest,
  restartCharge,
  restartHold,
  restartSale,
} from '../../../../shared/reconciliation/restart.ts';
import { CHARGE_ID, MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const CARD_ID = `card_${'ab'.repeat(16)}`;
const arnOf = (name: string) => `arn:aws:states:eu-central-1:000000000000:execution:tillflow-test-payment:${name}`;

let world: World;
let started: string[];
let states: Record<string, ExecutionState>;

beforeEach(() => {
  world = new World();
  started = [];
  states = {};
});

const deps = () => ({
  payments: world.payments,
  executions: { arnOf, start: async (name: string) => void started.push(name) },
  stateOfExecution: async (arn: string) => states[arn.slice(arn.lastIndexOf(':') + 1)] ?? ('absent' as const),
});

const card = (): Promise<Card | undefined> => world.payments.get('card', CARD_ID);

/** For each kind of item: how its item is stored, kept alive and read. */
const items = [
  {
    kind: 'sale',
    id: SALE_ID,
    put: (change: object) => world.putSale(change),
    keep: async () => restartSale(await world.sale(), deps()),
    read: async () => world.sale(),
  },
  {
    kind: 'charge',
    id: CHARGE_ID,
    put: (change: object) => world.putCharge(change),
    keep: async () => restartCharge(await world.charge(), deps()),
    read: async () => world.charge(),
  },
  {
    kind: 'card',
    id: CARD_ID,
    put: (change: object) =>
      world.payments.put('card', CARD_ID, {
        ...{ cardId: CARD_ID, merchantId: MERCHANT_ID, status: 'pending', transactionId: 'tx', timeline: [] },
        ...change,
      }),
    keep: async () => restartCardRequest((await card())!, deps()),
    read: card,
  },
] as const;

describe.each(items)('the execution of a $kind', ({ kind, id, put, keep, read }) => {
  it.each([
    ['was never started', 'absent', [id], 0],
    ['runs', 'running', [], 0],
    ['died', 'ended', [`${id}.1`], 1],
  ] as const)('is started, left alone or replaced when its execution %s', async (_, state, names, restarts) => {
    put({ executionArn: arnOf(id) });
    states[id] = state;

    expect(await keep()).toBe(true);

    expect(started).toEqual(names);
    expect((await read())?.restarts ?? 0).toBe(restarts);
  });

  it.each([
    [2, true],
    [3, false],
  ])('that was replaced %i times and died again is kept alive: %s', async (restarts, isAlive) => {
    const name = `${id}.${restarts}`;
    put({ executionArn: arnOf(name), restarts });
    states[name] = 'ended';

    expect(await keep()).toBe(isAlive);

    expect(started).toEqual(isAlive ? [`${id}.3`] : []);
  });

  it('starts the execution of another invocation that replaced it meanwhile', async () => {
    put({ executionArn: arnOf(id) });
    states[id] = 'ended';
    world.payments.rival = () =>
      world.payments.overwrite(kind, id, { executionArn: arnOf(`${id}.2`), restarts: 2 } as never);

    expect(await keep()).toBe(true);

    expect(started).toEqual([`${id}.2`]);
    expect(await read()).toMatchObject({ executionArn: arnOf(`${id}.2`), restarts: 2 });
  });
});

describe('the execution of a hold', () => {
  const OWN = `${CHARGE_ID}.1`;

  it.each([
    ['is that of its sale while that runs', 'running', []],
    ['is its own once that has ended', 'ended', [OWN]],
  ] as const)('%s', async (_, state, names) => {
    world.putSale({ executionArn: arnOf(SALE_ID), chargeId: CHARGE_ID });
    world.putCharge({ executionArn: arnOf(SALE_ID) });
    states[SALE_ID] = state;

    expect(await restartHold(await world.charge(), deps())).toBe(true);

    expect(started).toEqual(names);
  });

  it('is its own from the start when it belongs to no sale', async () => {
    world.putCharge({ saleId: undefined, executionArn: arnOf(CHARGE_ID) } as never);
    states[CHARGE_ID] = 'ended';

    expect(await restartHold(await world.charge(), deps())).toBe(true);

    expect(started).toEqual([OWN]);
  });
});
