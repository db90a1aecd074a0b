/**
 * Runs inside a function's worker before the function's own code: provides virtual time, collects its log lines,
 * applies injected faults, then serves one event at a time as the Lambda runtime does.
 *
 * Bundled into one module when the sandbox starts, because stripping types would slow down the start of every worker.
 */
import { open } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { installVirtualDate } from '../../virtual-date.ts';
import type { FromWorker, ToWorker, WorkerStart } from './protocol.ts';
import { armFault, disarmFault } from './worker-faults.ts';
import { installVirtualTimers } from './worker-timers.ts';

type Handler = (event: unknown, context: object) => unknown;

const { module, handler: handlerName, clockOffset, inspectPort } = workerData as WorkerStart;
const port = parentPort!;
const send = (message: FromWorker) => port.postMessage(message);

const realNow = Date.now;
const offset = new BigInt64Array(clockOffset);
installVirtualDate(() => realNow() + Number(Atomics.load(offset, 0)));
const timerFired = installVirtualTimers(send);

for (const stream of [process.stdout, process.stderr]) {
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    send({ type: 'log', text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString() });
    const callback = rest.at(-1);
    if (typeof callback === 'function') {
      callback();
    }
    return true;
  }) as typeof stream.write;
}

process.on('uncaughtException', (error) => fail(error, true));
process.on('unhandledRejection', (reason) =>
  fail(new UnhandledPromiseRejection(String(reason instanceof Error ? reason.message : reason)), true),
);

class UnhandledPromiseRejection extends Error {
  override readonly name = 'Runtime.UnhandledPromiseRejection';
}

if (inspectPort !== undefined) {
  open(inspectPort, '127.0.0.1');
}

try {
  const exported = ((await import(module)) as Record<string, unknown>)[handlerName];
  if (typeof exported === 'function') {
    serve(exported as Handler);
  } else {
    send({
      type: 'failed',
      errorType: 'Runtime.HandlerNotFound',
      errorMessage: `${handlerName} is undefined or not exported`,
      fatal: true,
    });
  }
} catch (error) {
  fail(error, true);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let idle: NodeJS.Timeout | undefined;

/** A worker that waits allocates nothing, so nothing else makes it free its garbage. A collection takes some 20 ms. */
const COLLECT_AFTER_IDLE_MS = 5_000;

function serve(handler: Handler): void {
  port.on('message', (message: ToWorker) => {
    if (message.type === 'timerFired') {
      timerFired(message.timerId);
    } else {
      void invoke(handler, message);
    }
  });
  send({ type: 'ready' });
}

async function invoke(handler: Handler, { event, context, deadlineMs, fault }: ToWorker & { type: 'invoke' }) {
  clearTimeout(idle);
  try {
    armFault(fault, send);
    const remaining = { getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()) };
    const result = await handler(JSON.parse(event), { ...context, ...remaining, callbackWaitsForEmptyEventLoop: true });
    send({ type: 'succeeded', payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    fail(error, false);
  } finally {
    disarmFault();
    idle = setTimeout(collectGarbage, COLLECT_AFTER_IDLE_MS).unref();
  }
}

function fail(error: unknown, fatal: boolean): void {
  const { name, message, stack } =
    error instanceof Error ? error : { name: typeof error, message: String(error), stack: undefined };
  send({ type: 'failed', errorType: name, errorMessage: message, stack, fatal });
}
