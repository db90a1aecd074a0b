/** The dependencies of every function that reconciles: the items and the platform's records. */
import type { Payments } from '../payments/store.ts';
import type { VivaFor } from '../viva/viva.ts';

export interface ReconciliationDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  /** Milliseconds until Lambda ends this invocation. */
  readonly remainingMs: () => number;
  readonly now: () => number;
}
