/** What reconciling needs: the items, and the platform, because only its records prove something. */
import type { Payments } from '../payments/store.ts';
import type { PlatformFor } from '../viva/viva.ts';

export interface ReconciliationDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  /** Milliseconds until Lambda ends this invocation. */
  readonly remainingMs: () => number;
  readonly now: () => number;
}
