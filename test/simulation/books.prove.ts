/**
 * Random scenarios through the public API, under random faults, deaths of functions and interpretations of the
 * documentation. Then all faults stop, time passes, and the API, its answers and the events are compared with the
 * simulator's ledger. `SEEDS=a-b` plays other scenarios.
 */
import { describe, expect, inject, it } from 'vitest';
import { violationsAsShown } from './books/as-shown.ts';
import { violationsAtRest } from './books/at-rest.ts';
import { play } from './books/play.ts';
import { report } from './books/report.ts';
import { scenarioOf } from './books/scenario.ts';
import { violationsOfSends } from './books/sends.ts';
import { installGlobals } from './globals.ts';
import { createWorld, loadDeployed } from './world.ts';

installGlobals();
const deployed = loadDeployed(inject('synthesized'));
const [from = 1, to = from] = (process.env['SEEDS'] ?? '1-20').split('-').map(Number);
const seeds = Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the API and the ledger', () => {
  it.each(seeds)('agree after the scenario of seed %i', async (seed) => {
    const world = await createWorld(seed, deployed);
    const played = await play(scenarioOf(seed), world.ready);

    const violations = [...violationsAtRest(played), ...violationsAsShown(played), ...violationsOfSends(played)];

    expect(violations.length === 0 ? '' : report(violations, played)).toBe('');
  });
});
