/**
 * Plays a scenario again. Unchanged, it must go exactly as before.
 *
 * What mattered in a run: the same scenario is played again without one switch, fault or kill at a time. A part
 * mattered if the run then takes other ways. Parts that did not strike are not tried.
 */
import type { Scenario, TimedFault } from './books/scenario.ts';
import { requestOf, struckCloud, struckPlatform } from './coverage.ts';
import { pathsOf, signatureOf } from './paths.ts';
import type { Run } from './run.ts';

/** One seed in so many is weighed. */
export const WEIGHED_EVERY = 100;

export interface Weighed {
  /** `weighed …` and `mattered …` of each part. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first run without a part that broke an invariant. */
  readonly broken?: Run;
}

/** Throws when the same scenario does not go the same way twice. */
export async function weigh(whole: Run, play: (scenario: Scenario) => Promise<Run>): Promise<Weighed> {
  const again = await play(whole.scenario);
  if (again.hash !== whole.hash) {
    throw new Error('the same scenario went another way when it was played again');
  }
  const signature = signatureOf(pathsOf(whole));
  const counts = new Map<string, number>();
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  let broken: Run | undefined;
  for (const { name, without } of partsOf(whole)) {
    const run = await play(without);
    count(`weighed ${name}`);
    if (signatureOf(pathsOf(run)) !== signature) {
      count(`mattered ${name}`);
    }
    broken ??= run.violations.length > 0 ? run : undefined;
  }
  return { counts, ...(broken && { broken }) };
}

export interface Part {
  readonly name: string;
  readonly without: Scenario;
}

/** Each part of the scenario that struck. */
export function partsOf({ scenario, counts }: Pick<Run, 'scenario' | 'counts'>): readonly Part[] {
  const { switches, kills, cloud, merchants } = scenario;
  return [
    ...Object.entries(switches).map(([name, value]) => {
      const { [name]: _, ...others } = switches;
      return { name: `switch ${name} ${value}`, without: { ...scenario, switches: others } };
    }),
    ...merchants.flatMap((merchant, index) =>
      eachLeftOut(merchant.faults)
        .filter(({ one }) => maybeStruck(one, counts))
        .map(({ one, others }) => ({
          name: `platform ${one.name} ${requestOf(one.match)}`,
          without: { ...scenario, merchants: merchants.with(index, { ...merchant, faults: others }) },
        })),
    ),
    ...eachLeftOut(cloud.faults)
      .filter(({ one }) => struckCloud(counts, one) > 0)
      .map(({ one, others }) => ({
        name: `cloud ${one.effect} ${one.operation}`,
        without: { ...scenario, cloud: { ...cloud, faults: others } },
      })),
    // Throttles are not counted.
    ...eachLeftOut(kills)
      .filter(({ one }) => one.kind === 'throttle' || counts.has(`death ${one.functionName}`))
      .map(({ one, others }) => ({
        name: `death ${one.functionName} ${one.kind}`,
        without: { ...scenario, kills: others },
      })),
  ];
}

/** Faults of webhooks are not counted. */
function maybeStruck({ name, match }: TimedFault, counts: ReadonlyMap<string, number>): boolean {
  return name.endsWith('_webhook') || struckPlatform(counts, { name, match }) > 0;
}

function eachLeftOut<T>(all: readonly T[]): { readonly one: T; readonly others: readonly T[] }[] {
  return all.map((one, index) => ({ one, others: all.toSpliced(index, 1) }));
}
