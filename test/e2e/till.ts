/** The till of the end-to-end tests, on the sandbox of this worker. */
import { expect, inject } from 'vitest';
import { Till as AnyTill } from '../till.ts';
import type { ReadyLine } from './run-sandbox.ts';

export type { Answer, Json } from '../till.ts';

function sandboxOfWorker(): ReadyLine {
  const ready = inject('ready');
  return ready[Number(process.env['VITEST_POOL_ID']) - 1]!;
}

export class Till extends AnyTill {
  constructor(mode: 'merchant' | 'isv' = 'merchant', index = 0, ready = sandboxOfWorker()) {
    super(mode, index, ready);
  }

  /** Resolves after the last read of the sale's session before AwaitTerminal is entered again. */
  async betweenAttempts(saleId: string): Promise<void> {
    const sessionReads = async () => (await this.requests(`/sessions/${saleId}`)).length;
    await expect.poll(sessionReads, { timeout: 20_000 }).toBe(1);
    await this.pass(3);
    await expect.poll(sessionReads, { timeout: 20_000 }).toBe(2);
  }
}
