/** What ends a sale, a charge or a stored card whose flow stopped needs to know. */
import type { Payments } from '../payments/store.ts';

/** Where the flow stopped, and on what: a state and an error's name, or what became of the execution. */
export interface Stopped {
  readonly state: string;
  readonly error: string;
}

export interface EndDeps {
  readonly payments: Payments;
  readonly now: () => number;
}
