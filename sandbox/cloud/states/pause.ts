import type { Clock } from '../../clock.ts';

/**
 * Resolves after `delayMs` of virtual time; rejects with the signal's reason when that comes first. Unlike
 * `clock.sleep`, which is for tracked work: a waiting execution is not in flight.
 */
export async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = clock.schedule(delayMs, resolve);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    await promise;
    signal.throwIfAborted();
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', abort);
  }
}
