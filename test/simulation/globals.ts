/**
 * Replaces everything of the process that differs from run to run: time, timers, randomness and the network. The code
 * under simulation, libraries included, then depends on the world of the seed only.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Timer } from '../../sandbox/clock.ts';
import { installVirtualDate } from '../../sandbox/virtual-date.ts';
import { Random } from '../../sandbox/viva/random.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly fetch: typeof globalThis.fetch;
}

/** What runs before the first world, such as loading the template, is the same in every process. */
let surroundings: Surroundings = {
  clock: new VirtualClock(0),
  random: new Random(0),
  fetch: () => Promise.reject(new Error('no world was entered')),
};

/** From now on the globals are those of this world. */
export function enter(world: Surroundings): void {
  surroundings = world;
}

const timeouts = new WeakMap<AbortSignal, Timer>();

/** The call that the time-out was for is over: its timer would only cost a turn. */
export function endTimeout(signal: AbortSignal | null | undefined): void {
  if (signal) {
    timeouts.get(signal)?.cancel();
  }
}

export function installGlobals(): void {
  installVirtualDate(() => surroundings.clock.now());
  Math.random = () => surroundings.random.next();
  const part = () =>
    Math.floor(surroundings.random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const uuid = () => {
    const [a, b, c, d] = [part(), part(), part(), part()];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}` as ReturnType<
      typeof crypto.randomUUID
    >;
  };
  const sleep = (delayMs = 0) => surroundings.clock.sleep(delayMs);
  crypto.randomUUID = uuid;
  globalThis.crypto.randomUUID = uuid;
  crypto.randomBytes = ((size: number) =>
    Buffer.from(surroundings.random.hex(2 * size), 'hex')) as typeof crypto.randomBytes;
  timers.setTimeout = sleep as typeof timers.setTimeout;
  syncBuiltinESMExports();
  globalThis.setTimeout = ((work: () => void, delayMs = 0) =>
    surroundings.clock.schedule(delayMs, work)) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: { cancel?: () => void } | undefined) => timer?.cancel?.()) as typeof clearTimeout;
  globalThis.fetch = (input, init) => surroundings.fetch(input, init);
  AbortSignal.timeout = (delayMs: number) => {
    const controller = new AbortController();
    const timer = surroundings.clock.schedule(delayMs, () =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    );
    timeouts.set(controller.signal, timer);
    return controller.signal;
  };
}
