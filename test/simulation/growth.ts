/** Whether more seeds still find new paths. */

export interface Growth {
  readonly seeds: number;
  readonly machine: number;
  readonly items: number;
}

/** By the hash of a path: the seed that took it first. */
export type FirstSeeds = ReadonlyMap<string, number>;

interface Found {
  readonly first: number;
  /** The seed after the last one. */
  readonly next: number;
  readonly machine: FirstSeeds;
  readonly items: FirstSeeds;
}

/** How many distinct paths there were after 1,000, 2,000, 5,000, 10,000 seeds and so on, and at the end. */
export function growthOf({ first, next, machine, items }: Found): readonly Growth[] {
  const played = next - first;
  return [...milestonesBelow(played), played].map((seeds) => ({
    seeds,
    machine: countBefore(machine, first + seeds),
    items: countBefore(items, first + seeds),
  }));
}

/** How many paths the last tenth of the seeds found. */
export function newInLastTenth({ first, next, machine, items }: Found): Omit<Growth, 'seeds'> {
  const start = next - Math.floor((next - first) / 10);
  return {
    machine: machine.size - countBefore(machine, start),
    items: items.size - countBefore(items, start),
  };
}

function milestonesBelow(played: number): number[] {
  const milestones = [];
  for (let power = 1_000; power < played; power *= 10) {
    milestones.push(power, 2 * power, 5 * power);
  }
  return milestones.filter((seeds) => seeds < played);
}

function countBefore(paths: FirstSeeds, seed: number): number {
  return [...paths.values()].filter((firstSeed) => firstSeed < seed).length;
}
