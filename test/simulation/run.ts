/** Plays one scenario in a world of its own and says what it broke. */
import { createHash } from 'node:crypto';
import { violationsAsShown } from './books/as-shown.ts';
import { type Violation, violationsAtRest } from './books/at-rest.ts';
import { type Played, play } from './books/play.ts';
import type { Scenario } from './books/scenario.ts';
import { violationsOfSends } from './books/sends.ts';
import { createWorld, type Deployed, type World } from './world.ts';

export interface Run {
  readonly scenario: Scenario;
  readonly violations: readonly Violation[];
  /** What happened how often, by name: faults that struck, statuses that were reached. */
  readonly counts: ReadonlyMap<string, number>;
  readonly turns: number;
  /** Of everything that happened, in its order. */
  readonly hash: string;
  readonly world: World;
  readonly played: Played;
}

export async function run(scenario: Scenario, deployed: Deployed): Promise<Run> {
  const world = await createWorld(scenario.seed, deployed);
  const played = await play(scenario, world);
  return {
    scenario,
    violations: [...violationsAtRest(played), ...violationsAsShown(played), ...violationsOfSends(played)],
    counts: countsOf(world, played),
    turns: world.clock.turns,
    hash: createHash('sha256').update(world.trace.join('\n')).digest('hex').slice(0, 16),
    world,
    played,
  };
}

function countsOf({ struck }: World, { requests, resources }: Played): Map<string, number> {
  const counts = new Map([...struck].map(([what, times]) => [`cloud ${what}`, times]));
  const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const { fault, method, path } of requests) {
    if (fault !== null) {
      count(`platform ${fault} ${method} ${place(path)}`);
    }
  }
  for (const { kind, views } of resources.values()) {
    for (const { body } of views) {
      count(`${kind} ${body.status}${body.failure === undefined ? '' : ` ${body.failure.code}`}`);
    }
  }
  return counts;
}

/** The path without its ids. */
function place(path: string): string {
  return path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{10,}|c(tok|t)_\w+/g, '*');
}
