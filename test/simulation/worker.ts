/** Plays the seeds that main.ts sends, one after the other, in a process of its own. */
import type { Synthesized } from '../../infra/synthesize.ts';
import { report } from './books/report.ts';
import { scenarioOf } from './books/scenario.ts';
import { loadDeployed } from './deployed.ts';
import { installGlobals } from './globals.ts';
import { run } from './run.ts';

export interface Order {
  readonly seed: number;
  readonly switches: Readonly<Record<string, string | number>>;
}

export interface Outcome {
  readonly seed: number;
  readonly turns: number;
  readonly hash: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly broken: readonly string[];
  /** For a person: what was broken, and how. */
  readonly report?: string;
}

const [synthesized = '', traced] = process.argv.slice(2);
installGlobals();
const deployed = loadDeployed(JSON.parse(synthesized) as Synthesized);

process.on('message', async ({ seed, switches }: Order) => {
  process.send?.(await play(seed, switches));
});
process.on('disconnect', () => process.exit());

async function play(seed: number, switches: Order['switches']): Promise<Outcome> {
  const drawn = scenarioOf(seed);
  try {
    const { violations, counts, turns, hash, played, world } = await run(
      { ...drawn, switches: { ...drawn.switches, ...switches } },
      deployed,
    );
    if (traced === 'true') {
      process.stdout.write(`${world.trace.join('\n')}\n`);
    }
    return {
      seed,
      turns,
      hash,
      counts: [...counts],
      broken: [...new Set(violations.map(({ invariant }) => invariant))],
      ...(violations.length > 0 && { report: report(violations, played) }),
    };
  } catch (error) {
    return {
      seed,
      turns: 0,
      hash: '',
      counts: [],
      broken: ['noError'],
      report: `seed ${seed}: ${(error as Error).stack}`,
    };
  }
}
