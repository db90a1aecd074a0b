/** What a long run must have seen: a simulation in which something never happens proves nothing about it. */
import { pathFits } from '../../sandbox/viva/http/faults.ts';
import { RANKS } from './books/as-shown.ts';
import { PLATFORM_FAULTS, PLATFORM_SPOTS } from './books/platform-faults.ts';
import { type CloudFault, DRAWN_SWITCHES, FUNCTIONS, type TimedFault } from './books/scenario.ts';
import { matches } from './cloud-faults.ts';

/** Runs of so many seeds see everything, or fail. */
export const SEES_ALL = 5_000;
/** Runs of so many seeds also see every fault of the platform at every request, and of AWS at every function. */
export const SEES_CELLS = 50_000;

/** Statuses that no scenario reaches yet: the payer cannot authenticate before there is a route for it. */
const NOT_YET = ['charge requires_authentication'];

const EFFECTS = ['before', 'after', 'twice', 'slow'];
const OPERATIONS = ['table.Get', 'table.Put', 'table.Query', 'states.', 'lambda.', 'events.', 'secrets.', 'callback.'];

/** As run.ts counts. */
export type Counts = ReadonlyMap<string, number>;

/** What should have happened after so many seeds, and did not. */
export function neverSeen(counts: Counts, seeds: number): readonly string[] {
  return [...unseenKinds(counts), ...(seeds >= SEES_CELLS ? emptyCells(counts) : [])];
}

function unseenKinds(counts: Counts): readonly string[] {
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

/** Each fault of the platform with each request that a scenario may draw it for, and each effect on each function's calls. */
export function emptyCells(counts: Counts): readonly string[] {
  return [
    ...PLATFORM_CELLS.filter((cell) => struckPlatform(counts, cell) === 0).map(
      ({ name, match }) => `platform ${name} ${requestOf(match)}`,
    ),
    ...FUNCTIONS.flatMap((functionName) =>
      EFFECTS.filter((effect) => struckCloud(counts, { effect, operation: '*', functionName }) === 0).map(
        (effect) => `cloud ${effect} ${functionName}`,
      ),
    ),
  ];
}

export type PlatformCell = Pick<TimedFault, 'name' | 'match'>;

/** Each fault and request once; both kinds of account share most of them. */
export const PLATFORM_CELLS: readonly PlatformCell[] = [
  ...new Map(
    PLATFORM_SPOTS.flatMap(({ match, names }) =>
      names.map((name) => [`${name} ${requestOf(match)}`, { name, match }] as const),
    ),
  ).values(),
];

/** The name of the requests that a fault is for. */
export function requestOf({ method = 'any', path = '*' }: TimedFault['match']): string {
  return `${method} ${path}`;
}

/** How often this fault struck one of its requests. */
export function struckPlatform(counts: Counts, { name, match }: PlatformCell): number {
  return sum(counts, (what) => {
    const [area, fault, method, path = ''] = what.split(' ');
    const isRequest = (match.method ?? method) === method && (match.path === undefined || pathFits(match.path, path));
    return area === 'platform' && fault === name && isRequest;
  });
}

/** How often calls or, by the operation `invoke`, invocations had this effect. `*`: any call. */
export function struckCloud(
  counts: Counts,
  { effect, operation, functionName }: Pick<CloudFault, 'operation' | 'functionName'> & { readonly effect: string },
): number {
  return sum(counts, (what) => {
    const [area, did, of = '', by] = what.split(' ');
    const isCall = operation !== '*' || of !== 'invoke';
    return area === 'cloud' && did === effect && isCall && matches(operation, of) && (functionName ?? by) === by;
  });
}

function sum(counts: Counts, counted: (what: string) => boolean): number {
  return [...counts].reduce((total, [what, times]) => (counted(what) ? total + times : total), 0);
}
