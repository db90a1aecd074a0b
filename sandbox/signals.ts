import type { Sandbox } from './sandbox.ts';

/** Stops the sandbox on Ctrl-C or SIGTERM; a second one does not wait for it. */
export function stopOnSignals(running: Sandbox): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) {
        process.exit(1);
      }
      stopping = true;
      await running.close();
      process.exit(0);
    });
  }
}
