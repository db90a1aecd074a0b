/** What a long run must have seen: a simulation in which something never happens proves nothing about it. */
import { RANKS } from './books/as-shown.ts';
import { DRAWN_SWITCHES, FUNCTIONS, PLATFORM_FAULTS } from './books/scenario.ts';

/** Runs of so many seeds see everything, or fail. */
export const SEES_ALL = 5_000;

/** Statuses that no scenario reaches yet: the payer cannot authenticate before there is a route for it. */
const NOT_YET = ['charge requires_authentication'];

const EFFECTS = ['before', 'after', 'twice', 'slow'];
const OPERATIONS = ['table.Get', 'table.Put', 'table.Query', 'states.', 'lambda.', 'events.', 'secrets.', 'callback.'];

/** What never happened. `counts`: as run.ts counts. */
export function neverSeen(counts: ReadonlyMap<string, number>): readonly string[] {
  const seen = [...counts.keys()];
  const expected = [
    ...Object.entries(RANKS).flatMap(([kind, ranks]) => Object.keys(ranks).map((status) => `${kind} ${status}`)),
    ...Object.keys(RANKS).map((kind) => `${kind} needs_review`),
    ...PLATFORM_FAULTS.map((name) => `platform ${name}`),
    ...FUNCTIONS.map((name) => `death ${name}`),
    ...EFFECTS.flatMap((effect) => OPERATIONS.map((operation) => `cloud ${effect} ${operation}`)),
    ...DRAWN_SWITCHES.map(([name, value]) => `switch ${name} ${value}`),
    'cloud twice invoke',
  ];
  return expected.filter((what) => !NOT_YET.includes(what) && !seen.some((one) => one.startsWith(what)));
}
