/**
 * DELETE /rf-orders/{rfOrderId}: cancels an order at the platform, so that banks no longer accept payments for it. The
 * request is stored first; after that the answer is 202 whatever the platform answers, and the reconciler continues. An
 * order with payments is not changed. Safe to repeat: the platform cancels an order once, and a refusal is checked by a
 * read.
 */

import type { Answer, Endpoint } from '../../../shared/api/endpoint.ts';
import { etagOf } from '../../../shared/api/etag.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { rfOrderRepresentation } from '../../../shared/api/representation/rf-order.ts';
import { findItem } from '../../../shared/api/resources.ts';
import { FaultError, FlowError } from '../../../shared/flow/errors.ts';
import { existing } from '../../../shared/payments/existing.ts';
import type { RfOrder } from '../../../shared/payments/items/rf-order.ts';
import { rfOrderEnded } from '../../../shared/payments/lifecycle.ts';
import type { Patch, Payments } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';
import { rfOrderTransition } from '../../../shared/payments/transitions.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';
import { cancelAtPlatform, reconcileRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import type { VivaFor } from '../../../shared/viva/viva.ts';

export interface CancelRfOrderDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  /** Called when the platform could not be asked for a reason that only a person can repair. */
  readonly onFault: (fault: FlowError) => void;
  readonly now: () => number;
}

/** When the reconciler checks whether the platform cancelled the order. */
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
    return shown(await cancel(asked, { ...deps, remainingMs }));
  },
};

function cancelRequested(order: RfOrder, now: number): Patch<'rf-order'> | undefined {
  if (order.payments.length > 0) {
    throw paid();
  }
  const at = iso(now);
  const requested = entry(now, 'rf_order.cancel_requested');
  if (order.status === 'creating') {
    // Nobody has its code. If an attempt still creates an order at the platform, that one is cancelled, too.
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

async function cancel(order: RfOrder, deps: ReconciliationDeps & Pick<CancelRfOrderDeps, 'onFault'>): Promise<RfOrder> {
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

/** 202 until the platform confirms. */
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
