/**
 * Random scenarios through the public API, under random faults, deaths of functions and interpretations of the
 * documentation. Then all faults stop, time passes, and the API, its answers and the events are compared with the
 * simulator's ledger. `SEED=n` plays another scenario, `SEEDS=a-b` a range.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsAsShown } from './books/as-shown.ts';
import { violationsAtRest } from './books/at-rest.ts';
import { play } from './books/play.ts';
import { report } from './books/report.ts';
import { scenarioOf } from './books/scenario.ts';
import { violationsOfSends } from './books/sends.ts';
import { type RunningSandbox, runSandbox } from './run-sandbox.ts';

const { SEED, SEEDS } = process.env;

function seeds(): number[] {
  const [from = 1, to = from] = (SEED ?? SEEDS ?? '3').split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('the API and the ledger', () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await runSandbox(['--port', '0']);
  });
  afterAll(() => sandbox.stop());

  it.each(seeds())(
    'agree after the scenario of seed %i',
    async (seed) => {
      const played = await play(scenarioOf(seed), sandbox.ready);

      const violations = [...violationsAtRest(played), ...violationsAsShown(played), ...violationsOfSends(played)];

      expect(violations.length === 0 ? '' : report(violations, played)).toBe('');
    },
    600_000,
  );
});
