import { describe, expect, inject, it } from 'vitest';
import { report } from './books/report.ts';
import { scenarioOf } from './books/scenario.ts';
import { loadDeployed } from './deployed.ts';
import { installGlobals } from './globals.ts';
import { run } from './run.ts';

installGlobals();
const deployed = loadDeployed(inject('synthesized'));

describe('a seed', () => {
  it.each([1, 2, 3])('plays the same every time: seed %i', async (seed) => {
    const first = await run(scenarioOf(seed), deployed);
    const second = await run(scenarioOf(seed), deployed);

    expect(second.hash).toBe(first.hash);
    expect(second.turns).toBe(first.turns);
    expect(first.violations.length === 0 ? '' : report(first.violations, first.played)).toBe('');
  });
});
