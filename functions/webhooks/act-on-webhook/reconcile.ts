/** Reconciles an item and publishes its events at once. If publishing fails, the item stays due and the reconciler publishes. */

import type { PublishDeps } from '../../../shared/events/publish.ts';
import type { PublishedKind } from '../../../shared/payments/outbox.ts';
import { reconcileCharge } from '../../../shared/reconciliation/charge/reconcile.ts';
import type { ReconciliationDeps } from '../../../shared/reconciliation/deps.ts';
import { publish } from '../../../shared/reconciliation/publish-item.ts';
import { reconcileRfOrder } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import { reconcileSale } from '../../../shared/reconciliation/sale/reconcile.ts';
import type { SubjectDeps } from './handled.ts';

export function createReconcile(
  deps: Omit<ReconciliationDeps, 'remainingMs'>,
  publishing: PublishDeps,
  onUnpublished: (error: unknown) => void,
): Pick<SubjectDeps, 'reconcileSale' | 'reconcileCharge' | 'reconcileRfOrder'> {
  async function publishAfter<T>(kind: PublishedKind, id: string, reconciled: Promise<T>): Promise<T> {
    const item = await reconciled;
    await publish(kind, id, publishing).catch(onUnpublished);
    return item;
  }
  return {
    reconcileSale: (id, remainingMs) => publishAfter('sale', id, reconcileSale(id, { ...deps, remainingMs })),
    reconcileCharge: (id, remainingMs) => publishAfter('charge', id, reconcileCharge(id, { ...deps, remainingMs })),
    reconcileRfOrder: (id, remainingMs, found) =>
      publishAfter('rf-order', id, reconcileRfOrder(id, { ...deps, remainingMs }, found)),
  };
}
