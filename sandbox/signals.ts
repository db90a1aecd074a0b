/** Closes what runs on Ctrl-C or SIGTERM and exits with 0; a second one does not wait for it. */
export function stopOnSignals(close: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) {
        process.exit(1);
      }
      stopping = true;
      await close();
      process.exit(0);
    });
  }
}
