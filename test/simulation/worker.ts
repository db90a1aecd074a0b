/** Plays the seeds that main.ts sends, one after the other, in a process of its own. */
import type { Synthesized } from '../../infra/synthesize.ts';
import { report } from './books/report.ts';
import { type Scenario, scenarioOf } from './books/scenario.ts';
import { loadDeployed } from './deployed.ts';
import { installGlobals } from './globals.ts';
import { type Run, run } from './run.ts';
import { shrink } from './shrink.ts';

export interface Order {
  readonly seed: number;
  readonly switches: Readonly<Record<string, string | number>>;
  /** Whether a scenario that breaks an invariant is made smaller before it is reported. */
  readonly shrinks: boolean;
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

process.on('message', async (order: Order) => {
  process.send?.(await play(order));
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the group. main.ts ends this one after its seed.
process.on('SIGINT', () => {});

async function play({ seed, switches, shrinks }: Order): Promise<Outcome> {
  const drawn = scenarioOf(seed);
  try {
    const scenario = { ...drawn, switches: { ...drawn.switches, ...switches } };
    const { violations, counts, turns, hash, world, played } = await run(scenario, deployed);
    if (traced === 'true') {
      process.stdout.write(`${world.trace.join('\n')}\n`);
    }
    return {
      seed,
      turns,
      hash,
      counts: [...counts],
      broken: [...new Set(violations.map(({ invariant }) => invariant))],
      ...(violations.length > 0 && {
        report: shrinks ? await explained(scenario, violations) : report(violations, played),
      }),
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

/** For a person: the smallest scenario that breaks the same, with the books, the answers and the requests side by side. */
async function explained(scenario: Scenario, violations: Run['violations']): Promise<string> {
  const broken = new Set(violations.map(({ invariant }) => invariant));
  const small = await shrink(scenario, async (smaller) => {
    const { violations: still } = await run(smaller, deployed).catch(() => ({ violations: [] }));
    return still.some(({ invariant }) => broken.has(invariant));
  });
  const { violations: left, played } = await run(small, deployed);
  return report(left, played);
}
