/** The worker processes of a run. Each plays one seed after the other. A process that dies fails the seed that it was playing. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, Outcome } from './orders.ts';

export interface Work {
  /** Of worker.ts. */
  readonly args: readonly string[];
  /** Undefined: there is nothing left to play. */
  readonly next: () => Order | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
  /** `how`: the exit code or the signal. */
  readonly onDeath: (seed: number, how: string) => void;
}

/** Resolves when there is nothing left to play and every process has ended. */
export async function playAll(work: Work, processes: number): Promise<void> {
  await Promise.all(
    Array.from({ length: processes }, async () => {
      while ((await playInOneProcess(work)) === 'died') {}
    }),
  );
}

function playInOneProcess({ args, next, onOutcome, onDeath }: Work): Promise<'done' | 'died'> {
  return new Promise((resolve) => {
    const first = next();
    if (first === undefined) {
      return resolve('done');
    }
    let playing: Order | undefined = first;
    const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), args);
    // A process that cannot be reached has died: `exit` says so.
    const send = (order: Order) => child.send(order, () => {});
    child.on('message', (outcome: Outcome) => {
      onOutcome(outcome);
      playing = next();
      if (playing === undefined) {
        child.disconnect();
      } else {
        send(playing);
      }
    });
    child.on('exit', (code, signal) => {
      if (playing !== undefined) {
        onDeath(playing.seed, signal ?? `exit code ${code}`);
      }
      resolve(playing === undefined ? 'done' : 'died');
    });
    send(first);
  });
}
