/** What handling the messages about a subject takes, and what came of it. */

import type { CompleteTask, RetryTask } from '../../../shared/flow/tasks.ts';
import type { Charge, Message, RfOrder, Sale } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { MINUTE_MS } from '../../../shared/payments/time.ts';
import type { Hints } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import type { PlatformFor } from '../../../shared/viva/viva.ts';

export interface Handled {
  /** Of the messages: those that stay `new` are looked into again, later each time. */
  readonly state: 'new' | 'acted' | 'parked' | 'ignored';
  /** Of state `new`: only these stay so, where it is not all of them. */
  readonly held?: readonly Message[];
  /** In a word or two. */
  readonly outcome: string;
  /** Whether the platform had anything new to tell. */
  readonly news: boolean;
  /** The platform was not asked. */
  readonly isFree?: boolean;
}

/** Reconciles one item with the platform's records, publishes what changed, and resolves to the item. */
type Reconcile<T> = (id: string, remainingMs: () => number) => Promise<T>;

export interface SubjectDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly completeTask: CompleteTask;
  readonly retryTask: RetryTask;
  readonly reconcileRfOrder: (id: string, remainingMs: () => number, hints: Hints) => Promise<RfOrder>;
  readonly reconcileSale: Reconcile<Sale>;
  readonly reconcileCharge: Reconcile<Charge>;
  readonly now: () => number;
}

/** The platform tells of a payment before its lists show it: for so long it may still appear. */
const LIST_LAG_MS = 10 * MINUTE_MS;

/** Whether any of these is so young that what it tells of may not be visible yet. */
export function mayAppear(hints: readonly Message[], now: number): boolean {
  return hints.some(({ replayedAt, receivedAt }) => Date.parse(replayedAt ?? receivedAt) + LIST_LAG_MS > now);
}

export function untouched(item: Sale | Charge): Handled {
  return { state: 'acted', outcome: item.status, news: true, isFree: true };
}

export function resultOf(before: RfOrder | Sale | Charge, after: RfOrder | Sale | Charge): Handled {
  return { state: 'acted', outcome: after.status, news: changeable(before) !== changeable(after) };
}

/** What reconciliation can change. */
function changeable(item: RfOrder | Sale | Charge): string {
  return JSON.stringify(
    'payments' in item
      ? [item.status, item.payments, item.readings]
      : [item.status, item.transactionId, item.refundedAmount, item.reading],
  );
}
