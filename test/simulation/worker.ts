/** Plays the seeds that main.ts sends, one after the other, in a process of its own. */
import type { Synthesized } from '../../infra/synthesize.ts';
import { report } from './books/report.ts';
import { scenarioOf } from './books/scenario.ts';
import { loadDeployed } from './deployed.ts';
import { installGlobals } from './globals.ts';
import { notPlayed, type Order, type Outcome } from './orders.ts';
import { hashed, pathsOf } from './paths.ts';
import { type Run, run } from './run.ts';
import { shrink } from './shrink.ts';
import { type Weighed, weigh } from './weigh.ts';

const NOTHING_WEIGHED: Weighed = { counts: new Map() };

const [synthesized = '', traced] = process.argv.slice(2);
installGlobals();
const deployed = loadDeployed(JSON.parse(synthesized) as Synthesized);

process.on('message', async (order: Order) => {
  process.send?.(await play(order));
});
process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the group. main.ts ends this one after its seed.
process.on('SIGINT', () => {});

async function play({ seed, switches, shrinks, weighs }: Order): Promise<Outcome> {
  const drawn = scenarioOf(seed);
  try {
    const scenario = { ...drawn, switches: { ...drawn.switches, ...switches } };
    const whole = await run(scenario, deployed);
    if (traced === 'true') {
      process.stdout.write(`${whole.world.trace.join('\n')}\n`);
    }
    const weighed = weighs ? await weigh(whole, (smaller) => run(smaller, deployed)) : NOTHING_WEIGHED;
    const failing = whole.violations.length > 0 ? whole : weighed.broken;
    return {
      seed,
      turns: whole.turns,
      counts: [...whole.counts, ...weighed.counts],
      paths: hashed(pathsOf(whole)),
      broken: [...new Set(failing?.violations.map(({ invariant }) => invariant))],
      ...(failing && { report: shrinks ? await explained(failing) : report(failing.violations, failing.played) }),
    };
  } catch (error) {
    return notPlayed(seed, `${(error as Error).stack}`);
  }
}

/** For a person: the smallest scenario that breaks the same, with the books, the answers and the requests side by side. */
async function explained({ scenario, violations }: Run): Promise<string> {
  const broken = new Set(violations.map(({ invariant }) => invariant));
  const small = await shrink(scenario, async (smaller) => {
    const { violations: still } = await run(smaller, deployed).catch(() => ({ violations: [] }));
    return still.some(({ invariant }) => broken.has(invariant));
  });
  const { violations: left, played } = await run(small, deployed);
  return report(left, played);
}
