/** Which ways a run took: the states of each execution of the machine, and the history of each item. */
import { createHash } from 'node:crypto';
import type { Run } from './run.ts';

export interface Paths {
  /** Of each execution: the states that it entered, and its final status. */
  readonly machine: readonly string[];
  /** Of each item with a timeline: its kind, its final status, and the events of the timeline. */
  readonly items: readonly string[];
}

export function pathsOf({ world: { states }, played: { items } }: Pick<Run, 'world' | 'played'>): Paths {
  return {
    machine: states.listExecutions().map(({ executionArn, status }) => {
      const entered = states.history(executionArn).flatMap(({ stateEnteredEventDetails: details }) => {
        return details === undefined ? [] : [(details as { readonly name: string }).name];
      });
      return `${status}: ${withoutRepeats(entered).join(' ')}`;
    }),
    items: items
      .filter(({ timeline }) => timeline !== undefined)
      .map(({ pk, status, timeline }) => {
        const events = timeline.map(({ event }: { readonly event: string }) => event);
        return `${pk.split('#')[0]} ${status}: ${withoutRepeats(events).join(' ')}`;
      }),
  };
}

/** The same for two runs that went the same ways, whatever their ids and times are. */
export function signatureOf({ machine, items }: Paths): string {
  return JSON.stringify([machine.toSorted(), items.toSorted()]);
}

/** Each path once, as a short hash. */
export function hashed({ machine, items }: Paths): Paths {
  return { machine: [...new Set(machine.map(hash))], items: [...new Set(items.map(hash))] };
}

/** Longer loops than this are told apart by the number of their rounds. */
const LONGEST_LOOP = 4;

/** A part that follows itself is kept once: `A B A B C` is `A B C`. */
export function withoutRepeats(steps: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const step of steps) {
    kept.push(step);
    for (let size = 1; size <= LONGEST_LOOP; size++) {
      const last = kept.slice(-size);
      if (kept.length >= 2 * size && last.every((one, index) => one === kept[kept.length - 2 * size + index])) {
        kept.length -= size;
        break;
      }
    }
  }
  return kept;
}

function hash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 10);
}
