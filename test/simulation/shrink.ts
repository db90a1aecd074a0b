/** Makes a scenario smaller while it still breaks the same invariant, so that what is left is what matters. */
import type { Scenario } from './books/scenario.ts';

/** Scenarios tried at most; each takes some hundred milliseconds. */
const MAX_TRIALS = 250;

/** `breaks` plays a scenario and says whether it still breaks the invariant. */
export async function shrink(scenario: Scenario, breaks: (smaller: Scenario) => Promise<boolean>): Promise<Scenario> {
  let smallest = scenario;
  let trials = 0;
  for (let progress = true; progress; ) {
    progress = false;
    for (const smaller of smallerThan(smallest)) {
      if (trials++ >= MAX_TRIALS) {
        return smallest;
      }
      if (await breaks(smaller)) {
        smallest = smaller;
        progress = true;
        break;
      }
    }
  }
  return smallest;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Large steps first: whole lists, then halves and quarters of them, then single elements, then single switches. */
function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const root = scenario as unknown as Json;
  const lists = [...listsIn(root)]
    .filter(({ list }) => list.length > 0)
    .toSorted((a, b) => a.path.length - b.path.length);
  for (const part of [1, 1 / 2, 1 / 4, 0]) {
    for (const { path, list } of lists) {
      const size = Math.max(1, Math.ceil(list.length * part));
      for (let start = 0; start < list.length; start += size) {
        const kept = list.filter((_, index) => index < start || index >= start + size);
        if (kept.length > 0 || path.join() !== 'merchants') {
          yield replaced(root, path, kept) as unknown as Scenario;
        }
      }
    }
  }
  for (const name of Object.keys(scenario.switches)) {
    const { [name]: _, ...switches } = scenario.switches;
    yield { ...scenario, switches };
  }
}

interface List {
  readonly path: readonly (string | number)[];
  readonly list: readonly Json[];
}

function* listsIn(json: Json, path: List['path'] = []): Generator<List> {
  if (Array.isArray(json)) {
    yield { path, list: json };
  }
  if (typeof json === 'object' && json !== null) {
    for (const [name, value] of Object.entries(json)) {
      yield* listsIn(value, [...path, Array.isArray(json) ? Number(name) : name]);
    }
  }
}

function replaced(json: Json, [name, ...rest]: List['path'], value: Json): Json {
  if (name === undefined) {
    return value;
  }
  if (Array.isArray(json)) {
    return json.map((one, index) => (index === name ? replaced(one, rest, value) : one));
  }
  const object = json as { readonly [name: string]: Json };
  return { ...object, [name]: replaced(object[name] ?? null, rest, value) };
}
