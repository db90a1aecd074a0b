/**
 * The one door of a running function to the world. Everything it does outside of itself (tables, calls, waits) passes here:
 * it takes time, may fail, may be repeated, and may be the last thing that the function does.
 */
import type { Random } from '../../sandbox/viva/random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** One environment of a function. Once dead, it has no new effects; what it had sent before may still arrive. */
export interface Instance {
  readonly name: string;
  readonly id: number;
  alive: boolean;
  /** Effects of the current invocation that were answered. */
  answered: number;
  /** Ends the current invocation when so many effects were answered. */
  diesAfter: number | undefined;
  die: (() => void) | undefined;
  /** Between two invocations Lambda freezes an environment: what was not awaited goes on in the next one, or never. */
  frozen: PromiseWithResolvers<void> | undefined;
}

/** What happens to one effect: `before` it fails without effect; `after` it fails with it; `twice` the SDK repeated it. */
export type Strike = 'before' | 'after' | 'twice' | 'slow';

export interface SeamOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** The longest time that a call takes. */
  readonly latencyMs: () => number;
  /** Draws the fault of an operation such as `table.put`. */
  readonly strike: (operation: string, instance: Instance) => Strike | undefined;
  readonly outage: () => Error;
  readonly trace: (instance: Instance, operation: string, key: string, result: string) => void;
}

export type Seam = <T>(instance: Instance, operation: string, key: string, effect: () => T | Promise<T>) => Promise<T>;

const SLOW_MS = 4_000;
const never = (): Promise<never> => new Promise(() => {});

export function createSeam({ clock, random, latencyMs, strike, outage, trace }: SeamOptions): Seam {
  return async (instance, operation, key, effect) => {
    await instance.frozen?.promise;
    if (!instance.alive || instance.diesAfter === 0) {
      instance.die?.();
      return never();
    }
    const struck = strike(operation, instance);
    const delayMs = 1 + Math.floor(random.next() * latencyMs()) + (struck === 'slow' ? SLOW_MS : 0);
    await clock.sleep(delayMs);
    await instance.frozen?.promise;
    if (struck === 'before') {
      trace(instance, operation, key, 'failed before');
      return answered(instance, () => {
        throw outage();
      });
    }
    let settle = await settled(effect);
    if (struck === 'twice') {
      await clock.sleep(delayMs);
      if (!instance.alive) {
        return never();
      }
      settle = await settled(effect);
    }
    trace(instance, operation, key, struck ?? settle.outcome);
    return answered(instance, () => {
      if (struck === 'after') {
        throw outage();
      }
      return settle.result();
    });
  };
}

async function settled<T>(effect: () => T | Promise<T>): Promise<{ outcome: string; result: () => T }> {
  try {
    const value = await effect();
    return { outcome: 'done', result: () => value };
  } catch (error) {
    const result = () => {
      throw error;
    };
    return { outcome: (error as Error).name, result };
  }
}

/** The effect was answered, but a dead function does not learn it. */
function answered<T>(instance: Instance, result: () => T | Promise<T>): T | Promise<T> {
  instance.answered++;
  if (instance.answered === instance.diesAfter) {
    instance.die?.();
  }
  return instance.alive ? result() : never();
}
