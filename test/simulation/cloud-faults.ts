/** Draws which faults of a scenario strike the effects of functions, and counts them. */
import type { CloudFault, CloudScenario } from './books/scenario.ts';
import type { Randomness } from './randomness.ts';
import type { Strike } from './seam.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface CloudFaults {
  /** From now on the cloud is like this; the times of its faults are seconds from `beganMs`. */
  arm(cloud: CloudScenario, beganMs: number): void;
  /** The longest time that a call takes. */
  readonly latencyMs: number;
  strike(operation: string, functionName: string): Strike | undefined;
  /** How often each fault struck. */
  readonly struck: ReadonlyMap<string, number>;
}

/** Each fault has a stream of its own, so that a scenario without one of them stays nearly the same. */
export function createCloudFaults(clock: VirtualClock, randomness: Randomness): CloudFaults {
  const struck = new Map<string, number>();
  let armed: readonly CloudFault[] = [];
  let latencyMs = 8;
  let zeroMs = 0;
  return {
    struck,
    get latencyMs() {
      return latencyMs;
    },
    arm(cloud, beganMs) {
      armed = cloud.faults;
      latencyMs = cloud.latencyMs;
      zeroMs = beganMs;
    },
    strike(operation, functionName) {
      const second = (clock.now() - zeroMs) / 1000;
      for (const fault of armed) {
        const { from, until, effect, probability } = fault;
        const concerns = matches(fault.operation, operation) && (fault.functionName ?? functionName) === functionName;
        const isTime = second >= from && second < until;
        if (concerns && isTime && randomness.of(JSON.stringify(fault)).next() < probability) {
          const key = `${effect} ${operation} ${functionName}`;
          struck.set(key, (struck.get(key) ?? 0) + 1);
          return effect;
        }
      }
      return undefined;
    },
  };
}

export function matches(pattern: string, operation: string): boolean {
  return pattern.endsWith('*') ? operation.startsWith(pattern.slice(0, -1)) : operation === pattern;
}
