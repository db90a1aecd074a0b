import { expect, it } from 'vitest';
import { scenarioOf } from '../../simulation/books/scenario.ts';
import { emptyCells, neverSeen, SEES_CELLS, struckCloud, struckPlatform } from '../../simulation/coverage.ts';
import type { Run } from '../../simulation/run.ts';
import { partsOf, weigh } from '../../simulation/weigh.ts';

const session = { name: 'slow', match: { method: 'GET', path: '/sessions/' } };

it('a fault of the platform is counted for the requests that it is for', () => {
  const counts = new Map([
    ['platform slow GET /ecr/v1/sessions/*', 3],
    ['platform slow GET /ecr/isv/v1/sessions/*', 1],
    ['platform slow DELETE /ecr/v1/sessions/*', 5],
    ['platform refused GET /ecr/v1/sessions/*', 7],
  ]);

  expect(struckPlatform(counts, session)).toBe(4);
  expect(emptyCells(counts)).not.toContain('platform slow GET /sessions/');
  expect(emptyCells(counts)).toContain('platform refused DELETE /sessions/');
});

it('a fault of AWS is counted for the calls of its function, and not for its invocations', () => {
  const counts = new Map([
    ['cloud twice table.Put capture', 2],
    ['cloud twice invoke capture', 4],
    ['cloud twice table.Get void', 1],
  ]);

  expect(struckCloud(counts, { effect: 'twice', operation: '*', functionName: 'capture' })).toBe(2);
  expect(struckCloud(counts, { effect: 'twice', operation: 'table.*' })).toBe(3);
  expect(struckCloud(counts, { effect: 'twice', operation: 'invoke' })).toBe(4);
  expect(emptyCells(counts)).not.toContain('cloud twice capture');
  expect(emptyCells(counts)).toContain('cloud before capture');
});

it('only long runs have to fill every cell', () => {
  const cell = 'platform slow GET /sessions/';

  expect(neverSeen(new Map(), SEES_CELLS - 1)).not.toContain(cell);
  expect(neverSeen(new Map(), SEES_CELLS)).toContain(cell);
});

const drawn = scenarioOf(5);
const fault = { ...session, from: 0, until: 60, times: 1, skip: 0 };
const idle = { ...fault, name: 'refused' };
const scenario = {
  ...drawn,
  switches: { abortVerb: 'get' },
  kills: [{ at: 0, functionName: 'void', kind: 'kill', afterCall: 1, times: 1 }] as const,
  cloud: { ...drawn.cloud, faults: [] },
  merchants: [{ merchant: 0, faults: [fault, idle], sales: [], orders: [] }],
};
const counts = new Map([['platform slow GET /ecr/v1/sessions/*', 1]]);

it('a part that did not strike is not weighed', () => {
  const parts = partsOf({ scenario, counts });

  expect(parts.map(({ name }) => name)).toEqual(['switch abortVerb get', 'platform slow GET /sessions/']);
  expect(parts.map(({ without }) => [without.switches, without.merchants[0]?.faults.length])).toEqual([
    [{}, 2],
    [{ abortVerb: 'get' }, 1],
  ]);
});

it('a part mattered when the run without it takes other paths', async () => {
  const runOf = (status: string) =>
    ({
      scenario,
      counts,
      violations: [],
      world: { states: { listExecutions: () => [] } },
      played: { items: [{ pk: 'sale#1', status, timeline: [{ event: 'created' }] }] },
    }) as unknown as Run;

  const weighed = await weigh(runOf('paid'), async ({ switches }) =>
    runOf(switches['abortVerb'] === undefined ? 'cancelled' : 'paid'),
  );

  expect([...weighed.counts.keys()]).toEqual([
    'weighed switch abortVerb get',
    'mattered switch abortVerb get',
    'weighed platform slow GET /sessions/',
  ]);
});
