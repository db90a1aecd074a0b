/** The till of the simulated tests: a world of its own per file, in virtual time. */
import { inject } from 'vitest';
import { Till as AnyTill } from '../till.ts';
import { loadDeployed } from './deployed.ts';
import { installGlobals } from './globals.ts';
import { createWorld } from './world.ts';

export type { Json } from '../till.ts';

installGlobals();
export const world = await createWorld(1, loadDeployed(inject('synthesized')));

export class Till extends AnyTill {
  constructor(mode: 'merchant' | 'isv' = 'merchant', index = 0) {
    super(mode, index, world.ready);
  }

  /** Lets time pass until the platform has logged a request to that path. */
  async requested(path: string): Promise<void> {
    while ((await this.requests(path)).length === 0) {
      await this.pass(0.05);
    }
  }

  /** Lets time pass until AwaitTerminal has read the sale's session twice: it then waits to be entered again. */
  async betweenAttempts(saleId: string): Promise<void> {
    while ((await this.requests(`/sessions/${saleId}`)).length < 2) {
      await this.pass(1);
    }
  }
}
