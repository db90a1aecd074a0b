/**
 * DELETE /rf-orders/{rfOrderId}: cancels an order at the platform, so that no bank takes money for it any more. The request
 * is written down first: from then on it is 202, whatever the platform answers, and the reconciler goes on. An order with
 * payments stays as it is.
 *
 * Safe to repeat: the platform cancels an order once, and what it refuses is read instead.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf } from '../../../shared/api/etag.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import { findItem } from '../../../shared/api/resources.ts';
import { FaultError, FlowError } from '../../../shared/flow/errors.ts';
import { existing } from '../../../shared/payments/existing.ts';
import type { RfOrder } from '../../../shared/payments/items.ts';
import { rfOrderEnded } from '../../../shared/payments/lifecycle.ts';
import type { Patch, Payments } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';
import { rfOrderTransition } from '../../../shared/payments/transitions.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';
import { cancelAtPlatform, reconcileRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import type { PlatformFor } from '../../../shared/viva/viva.ts';

export interface CancelRfOrderDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  /** The platform could not be asked, and only a person can change that. */
  readonly onFault: (fault: FlowError) => void;
  readonly now: () => number;
}

/** When the reconciler looks whether the platform did it. */
const DUE_AFTER_MS = MINUTE_MS;

export const cancelRfOrder: Endpoint<CancelRfOrderDeps> = {
  name: 'cancel-rf-order',
  run: async ({ caller, parameters }, deps, { remainingMs }) => {
    const { payments, now } = deps;
    const found = await findItem(payments, caller, 'rf-order', parameters['rfOrderId']);
    if (found.status === 'cancelled' || found.status === 'failed') {
      return shown(found);
    }
    const asked = await payments.change('rf-order', found.rfOrderId, (order) => cancelRequested(order, now()));
    return shown(await cancelled(asked, { ...deps, remainingMs }));
  },
};

function cancelRequested(order: RfOrder, now: number): Patch<'rf-order'> | undefined {
  if (order.payments.length > 0) {
    throw paid();
  }
  const at = iso(now);
  const requested = entry(now, 'rf_order.cancel_requested');
  if (order.status === 'creating') {
    // Nobody has its code: what an attempt still makes of it is withdrawn unseen.
    const patch = { cancelRequestedAt: at, workingUntil: undefined };
    return rfOrderTransition(order, 'cancelled', patch, requested, entry(now, 'rf_order.cancelled'));
  }
  if (order.cancelRequestedAt !== undefined) {
    return undefined;
  }
  const nextDueAt = iso(now + DUE_AFTER_MS);
  return {
    cancelRequestedAt: at,
    dueAt: order.dueAt !== undefined && order.dueAt < nextDueAt ? order.dueAt : nextDueAt,
    timeline: appended(order.timeline, requested),
  };
}

async function cancelled(
  order: RfOrder,
  deps: ReconciliationDeps & Pick<CancelRfOrderDeps, 'onFault'>,
): Promise<RfOrder> {
  try {
    const after = await cancelAtPlatform(order, deps);
    return rfOrderEnded(after.status) ? after : await reconcileRfOrder(order.rfOrderId, deps);
  } catch (error) {
    if (!(error instanceof FlowError)) {
      throw error;
    }
    if (error instanceof FaultError) {
      deps.onFault(error);
    }
    return existing(deps.payments, 'rf-order', order.rfOrderId);
  }
}

/** 202 while the platform has not said yes. */
function shown(order: RfOrder): Answer {
  if (order.payments.length > 0) {
    throw paid();
  }
  return {
    status: rfOrderEnded(order.status) ? 200 : 202,
    headers: { ETag: etagOf(order.revision) },
    body: JSON.stringify(rfOrderRepresentation(order)),
  };
}

function paid(): Problem {
  return new Problem('RF_ORDER_PAID', 'The order has received money. It can no longer be cancelled.');
}
