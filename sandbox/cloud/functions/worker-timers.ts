/**
 * Puts a function's sleeps and request timeouts on the sandbox's clock, so that they end in virtual time. Everything
 * else (sockets, the SDK's own back-off) stays in real time.
 */
import { syncBuiltinESMExports } from 'node:module';
import type { FromWorker } from './protocol.ts';

/** Replaces them; the returned function is called when a timer has fired. */
export function installVirtualTimers(send: (message: FromWorker) => void): (timerId: number) => void {
  const pending = new Map<number, () => void>();
  let lastTimerId = 0;

  const start = (delayMs: number, sleeping: boolean, fired: () => void): number => {
    const timerId = ++lastTimerId;
    pending.set(timerId, fired);
    send({ type: 'timer', timerId, delayMs, sleeping });
    return timerId;
  };

  const sleep = <T>(delayMs = 1, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      const timerId = start(delayMs, true, () => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      });
      const abort = () => {
        pending.delete(timerId);
        send({ type: 'timerCancelled', timerId });
        reject(abortError(signal));
      };
      signal?.addEventListener('abort', abort, { once: true });
    });

  const timers: { setTimeout: unknown } = process.getBuiltinModule('node:timers/promises');
  timers.setTimeout = sleep;
  syncBuiltinESMExports();

  AbortSignal.timeout = (delayMs: number) => {
    const controller = new AbortController();
    start(delayMs, false, () =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    );
    return controller.signal;
  };

  return (timerId) => {
    const fired = pending.get(timerId);
    pending.delete(timerId);
    fired?.();
  };
}

function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error('The operation was aborted', { cause: signal?.reason });
  error.name = 'AbortError';
  return Object.assign(error, { code: 'ABORT_ERR' });
}
