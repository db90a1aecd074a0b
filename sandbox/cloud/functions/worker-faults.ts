/**
 * Ends an invocation at the worst moment: after the other side has answered, before our code sees the answer. Node
 * reports an answer of `node:http` and of `fetch` on its diagnostics channels before it passes it on.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { ArmedFault, FromWorker } from './protocol.ts';

let armed: (ArmedFault & { readonly send: (message: FromWorker) => void }) | undefined;
let answers = 0;

for (const channel of ['http.client.response.finish', 'undici:request:headers']) {
  subscribe(channel, () => {
    answers++;
    strike();
  });
}

export function armFault(fault: ArmedFault | undefined, send: (message: FromWorker) => void): void {
  armed = fault === undefined ? undefined : { ...fault, send };
  answers = 0;
  strike();
}

export function disarmFault(): void {
  armed = undefined;
}

function strike(): void {
  if (armed === undefined || answers !== armed.afterCall) {
    return;
  }
  if (armed.kind === 'timeout') {
    armed.send({ type: 'hanging' });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  process.exit(armed.kind === 'oom' ? outOfMemoryExitCode : 1);
}

/** The exit code of a process that was killed for its memory: 128 + SIGKILL. */
const outOfMemoryExitCode = 137;
