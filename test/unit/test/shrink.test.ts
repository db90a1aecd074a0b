import { expect, it } from 'vitest';
import type { Scenario } from '../../simulation/books/scenario.ts';
import { scenarioOf } from '../../simulation/books/scenario.ts';
import { shrink } from '../../simulation/shrink.ts';

it('a scenario shrinks to the fault and the sale that matter', async () => {
  const drawn = scenarioOf(5);
  const kill = { at: 0, functionName: 'capture', kind: 'kill', afterCall: 3, times: 1 } as const;
  const scenario: Scenario = { ...drawn, kills: [...drawn.kills, kill, ...drawn.kills] };
  const matters = ({ kills, merchants }: Scenario) =>
    kills.some(({ functionName }) => functionName === 'capture') && merchants.some(({ sales }) => sales.length > 0);

  const small = await shrink(scenario, async (smaller) => matters(smaller));

  expect(small.kills).toEqual([kill]);
  expect(small.merchants.map(({ sales, orders, faults }) => [sales.length, orders.length, faults.length])).toEqual([
    [1, 0, 0],
  ]);
  expect(small.switches).toEqual({});
  expect(small.cloud.faults).toEqual([]);
});
