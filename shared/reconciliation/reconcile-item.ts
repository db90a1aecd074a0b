/**
 * Reconciles a due item: publishes its events, reconciles it with the platform's records, and replaces its execution if
 * that failed. Safe to run twice and at the same time, like its parts.
 */

import { type PublishDeps, publish } from '../events/publish.ts';
import { FaultError } from '../flow/errors.ts';
import { diedTooOften } from '../flow/stopped.ts';
import { existing } from '../payments/existing.ts';
import type { Charge } from '../payments/items/charge.ts';
import type { RfOrder } from '../payments/items/rf-order.ts';
import type { Sale } from '../payments/items/sale.ts';
import { chargeEnded, terminalEnded } from '../payments/lifecycle.ts';
import type { PublishedKind } from '../payments/outbox.ts';
import { type ReconcileCardDeps, reconcileCard } from './card/reconcile.ts';
import { endCharge } from './charge/end.ts';
import { endChargeWithoutSale, saleOf } from './charge/end-without-sale.ts';
import { reconcileCharge } from './charge/reconcile.ts';
import type { ReconciliationDeps } from './deps.ts';
import { isHold, reconcileHold } from './hold/reconcile.ts';
import { chargeNeedsReading, mayResolveItself, nextDueAt, saleNeedsFlow, saleNeedsReading } from './next-due.ts';
import { restartCharge, restartSale } from './restart.ts';
import { endAdditionalCharge, endSale, isChargeable, mayStillBePaid } from './sale/end.ts';
import { reconcileSale } from './sale/reconcile.ts';

export interface ReconcileItemDeps extends PublishDeps, ReconciliationDeps, ReconcileCardDeps {
  readonly reconcileRfOrder: (rfOrderId: string, deps: ReconciliationDeps) => Promise<RfOrder>;
}

/** The kinds that are reconciled here. Due items of other kinds have functions of their own. */
export type ReconciledKind = PublishedKind | 'card';

/** Throws a TransientError while the platform cannot be read, and a FaultError that a person must resolve. */
export async function reconcileItem(kind: ReconciledKind, id: string, deps: ReconcileItemDeps): Promise<void> {
  if (kind === 'card') {
    return reconcileCard(id, deps);
  }
  await publish(kind, id, deps);
  try {
    await reconcilers[kind](id, deps);
  } catch (error) {
    if (error instanceof FaultError) {
      await schedule(kind, id, deps); // a person must resolve it, so it is not tried more often than usual
    }
    throw error;
  }
  await publish(kind, id, deps);
}

const reconcilers: Readonly<Record<PublishedKind, (id: string, deps: ReconcileItemDeps) => Promise<void>>> = {
  sale: advanceSale,
  charge: advanceCharge,
  'rf-order': advanceRfOrder,
};

/** Reconciling the order sets when it is due next. If it did not, because nothing was read, it is set here. */
async function advanceRfOrder(rfOrderId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'rf-order', rfOrderId);
  const { dueAt } = await deps.reconcileRfOrder(rfOrderId, deps);
  if (dueAt === before.dueAt) {
    await schedule('rf-order', rfOrderId, deps);
  }
}

async function advanceSale(saleId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'sale', saleId);
  const sale = saleNeedsReading(before, deps.now()) ? await reconcileSale(saleId, deps) : before;
  if (saleNeedsFlow(sale) && !(await restartSale(sale, deps))) {
    await endSale(saleId, diedTooOften, deps);
  }
  await schedule('sale', saleId, deps);
}

async function advanceCharge(chargeId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'charge', chargeId);
  const charge = chargeNeedsReading(before, deps.now()) ? await reconcileCharge(chargeId, deps) : before;
  if (isHold(charge)) {
    await reconcileHold(chargeId, deps);
  } else if (!chargeEnded(charge.status) && !(await restartExecution(charge, deps))) {
    await endCharge(chargeId, diedTooOften, deps);
  }
  await schedule('charge', chargeId, deps);
}

/** False if too many of its executions have failed. */
async function restartExecution(charge: Charge, deps: ReconcileItemDeps): Promise<boolean> {
  if (charge.saleId === undefined) {
    return restartCharge(charge, deps);
  }
  const sale = await saleOf(charge, deps.payments);
  if (sale === undefined) {
    await endChargeWithoutSale(charge, deps);
    return true;
  }
  if (mayStillBePaid(sale, deps.now())) {
    return true;
  }
  if (willNotStart(sale, charge)) {
    await endAdditionalCharge(sale, deps);
    return true;
  }
  return restartSale(sale, deps);
}

/** Whether the sale has no card to charge, or nothing may be charged for it any more. */
function willNotStart(sale: Sale, charge: Charge): boolean {
  const noCard = terminalEnded(sale.status) && (!isChargeable(sale) || sale.tokenization.status === 'refused');
  return noCard && charge.sentAt === undefined;
}

/** Sets when the item is due next. After a day only a person can end a review. */
async function schedule(kind: PublishedKind, id: string, { payments, now }: ReconcileItemDeps): Promise<void> {
  await payments.change(kind, id, (item) => {
    const isOver = item.reconciledUntil !== undefined && !mayResolveItself(item, now());
    const dueAt = (item.outbox ?? []).length > 0 ? item.dueAt : nextDueAt(kind, item, now());
    return dueAt === item.dueAt && !isOver ? undefined : { dueAt, ...(isOver && { reconciledUntil: undefined }) };
  });
}
