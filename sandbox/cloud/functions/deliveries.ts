/**
 * Asynchronous invocations: accepted at once, delivered at least once. A failed one gets the retries of its function, a
 * throttled one waits, and none is kept longer than its maximum age.
 */
import type { Clock } from '../../clock.ts';
import type { InvokeResult } from '../seams.ts';
import type { FunctionDefinition } from './definition.ts';

/** The virtual time between the attempts of a failed invocation. */
const RETRY_DELAYS_MS = [60_000, 120_000];
const THROTTLE_DELAY_MS = 1_000;
const MAX_THROTTLE_DELAY_MS = 300_000;

type Attempt = (definition: FunctionDefinition, payload: unknown) => Promise<InvokeResult>;

export interface Deliveries {
  accept(definition: FunctionDefinition, payload: unknown): void;
  /** Drops everything that waits for a retry. */
  forget(): void;
}

export function createDeliveries(clock: Clock, attempt: Attempt): Deliveries {
  let generation = 0;

  async function deliver(definition: FunctionDefinition, payload: unknown): Promise<void> {
    const { maxRetries, maxEventAgeSeconds } = definition;
    const expiresMs = clock.now() + maxEventAgeSeconds * 1000;
    const accepted = generation;
    for (let failures = 0, throttles = 0; generation === accepted; ) {
      const result = await attempt(definition, payload);
      if (result.ok) {
        return;
      }
      const throttled = result.errorType === 'Lambda.TooManyRequestsException';
      const delayMs = throttled
        ? Math.min(THROTTLE_DELAY_MS * 2 ** throttles++, MAX_THROTTLE_DELAY_MS)
        : RETRY_DELAYS_MS[failures++];
      if (failures > maxRetries || delayMs === undefined || clock.now() + delayMs > expiresMs) {
        return;
      }
      await clock.sleep(delayMs);
    }
  }

  return {
    accept: (definition, payload) => void clock.track(deliver(definition, payload)),
    forget() {
      generation++;
    },
  };
}
