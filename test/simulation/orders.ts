/** What main.ts and the worker processes tell each other. */
import type { Paths } from './paths.ts';

export interface Order {
  readonly seed: number;
  readonly switches: Readonly<Record<string, string | number>>;
  /** Whether a scenario that breaks an invariant is made smaller before it is reported. */
  readonly shrinks: boolean;
  /** Whether the scenario is played again without each of its parts, to count which of them mattered. */
  readonly weighs: boolean;
}

export interface Outcome {
  readonly seed: number;
  readonly turns: number;
  readonly counts: readonly (readonly [string, number])[];
  /** The hashes of the distinct paths. */
  readonly paths: Paths;
  readonly broken: readonly string[];
  /** For a person: what was broken, and how. */
  readonly report?: string;
}

/** The outcome of a seed that ended in an error, which says nothing about an invariant. */
export function notPlayed(seed: number, error: string): Outcome {
  return {
    seed,
    turns: 0,
    counts: [],
    paths: { machine: [], items: [] },
    broken: ['noError'],
    report: `seed ${seed}: ${error}`,
  };
}
