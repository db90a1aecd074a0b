/** The dependencies and the result of handling the webhooks about a subject. */

import type { CompleteTask, RetryTask } from '../../../shared/flow/tasks.ts';
import type { Charge } from '../../../shared/payments/items/charge.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import type { RfOrder } from '../../../shared/payments/items/rf-order.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import type { PublishedKind } from '../../../shared/payments/outbox.ts';
import { MINUTE_MS } from '../../../shared/payments/time.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';

export interface Handled {
  /** The state of the webhooks afterwards. Those that stay `new` are acted on again, later each time. */
  readonly state: 'new' | 'acted' | 'parked' | 'ignored';
  /** For state `new`: only these stay new, if not all of them do. */
  readonly held?: readonly Webhook[];
  /** A short result for the log. */
  readonly outcome: string;
  /** Whether the platform reported anything new. */
  readonly news: boolean;
  /** The platform was not asked. */
  readonly isFree?: boolean;
}

export interface HandleDeps extends ReconciliationDeps {
  readonly completeTask: CompleteTask;
  readonly retryTask: RetryTask;
  /** Publishes the events of the item. If that fails, the item stays due, and the reconciler publishes them. */
  readonly publish: (kind: PublishedKind, id: string) => Promise<void>;
}

/** The platform sends webhooks before its lists show the payment; it may appear for this long. */
const LIST_LAG_MS = 10 * MINUTE_MS;

/** Whether any of these webhooks is so young that its payment may not be listed yet. */
export function mayAppear(webhooks: readonly Webhook[], now: number): boolean {
  return webhooks.some(({ replayedAt, receivedAt }) => Date.parse(replayedAt ?? receivedAt) + LIST_LAG_MS > now);
}

export function untouched(item: Sale | Charge): Handled {
  return { state: 'acted', outcome: item.status, news: true, isFree: true };
}

export function resultOf(before: RfOrder | Sale | Charge, after: RfOrder | Sale | Charge): Handled {
  return { state: 'acted', outcome: after.status, news: changeable(before) !== changeable(after) };
}

/** The fields that reconciliation can change. */
function changeable(item: RfOrder | Sale | Charge): string {
  return JSON.stringify(
    'payments' in item
      ? [item.status, item.payments, item.readings]
      : [item.status, item.transactionId, item.refundedAmount, item.reading],
  );
}
