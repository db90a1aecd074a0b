/**
 * An adversary of the books: random scenarios through the public contract, under random faults, deaths and readings of the
 * documentation; then all faults stop, the time passes, and what the API, the events and the answers said is compared with
 * the simulator's ledger. `SEED=n` plays another one, `SEEDS=a-b` as many as you like.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsAsTold } from './books/as-told.ts';
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

describe('the books and the word agree', () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await runSandbox(['--port', '0']);
  });
  afterAll(() => sandbox.stop());

  it.each(seeds())(
    'after the scenario of seed %i',
    async (seed) => {
      const played = await play(scenarioOf(seed), sandbox.ready);

      const violations = [...violationsAtRest(played), ...violationsAsTold(played), ...violationsOfSends(played)];

      expect(violations.length === 0 ? '' : report(violations, played)).toBe('');
    },
    600_000,
  );
});
