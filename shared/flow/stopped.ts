/** The input of the functions that end a sale, a charge or a card request after its flow stopped. */
import type { Payments } from '../payments/store.ts';

/** Where and why the flow stopped: the name of a state and of an error, or how the execution ended. */
export interface Stopped {
  readonly state: string;
  readonly error: string;
}

export interface EndDeps {
  readonly payments: Payments;
  readonly now: () => number;
}
