/**
 * Reconciles an item that is due: publishes its events, reconciles it with the platform's records, and restarts a flow
 * that still has something to do. Safe to run twice and at the same time, like its parts.
 */

import type { PublishedKind } from '../events/cloud-event.ts';
import type { PublishDeps } from '../events/publish.ts';
import { FaultError } from '../flow/errors.ts';
import { diedTooOften } from '../flow/stopped.ts';
import { existing } from '../payments/existing.ts';
import type { Charge, RfOrder, Sale } from '../payments/items.ts';
import { chargeEnded, terminalEnded } from '../payments/lifecycle.ts';
import { reconcileCard } from './card/reconcile.ts';
import { endCharge } from './charge/end.ts';
import { endChargeWithoutSale, saleOf } from './charge/end-without-sale.ts';
import { reconcileCharge } from './charge/reconcile.ts';
import type { ReconciliationDeps } from './deps.ts';
import { isHold, reconcileHold } from './hold/reconcile.ts';
import { isChargeQuestion, isSaleQuestion, mayResolveItself, nextDueAt, saleNeedsFlow } from './next-due.ts';
import { publish } from './publish-item.ts';
import { type RestartDeps, restartCharge, restartSale } from './restart.ts';
import { endAdditionalCharge, endSale, isChargeable, mayStillBePaid } from './sale/end.ts';
import { reconcileSale } from './sale/reconcile.ts';

export interface ReconcileItemDeps extends PublishDeps, ReconciliationDeps, RestartDeps {
  readonly reconcileRfOrder: (rfOrderId: string, deps: ReconciliationDeps) => Promise<RfOrder>;
}

/** The kinds of items that are reconciled here. The others have their own functions. */
export type ReconciledKind = PublishedKind | 'card';

export async function reconcileItem(kind: ReconciledKind, id: string, deps: ReconcileItemDeps): Promise<void> {
  if (kind === 'card') {
    return reconcileCard(id, deps);
  }
  await publish(kind, id, deps);
  try {
    await reconcilers[kind](id, deps);
  } catch (error) {
    if (error instanceof FaultError) {
      await schedule(kind, id, deps); // a person is needed: it is not tried more often than its schedule says
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

/** Reading it back sets the time of the next read, unless there is nothing to read any more. */
async function advanceRfOrder(rfOrderId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'rf-order', rfOrderId);
  const { dueAt } = await deps.reconcileRfOrder(rfOrderId, deps);
  if (dueAt === before.dueAt) {
    await schedule('rf-order', rfOrderId, deps);
  }
}

async function advanceSale(saleId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'sale', saleId);
  const sale = isSaleQuestion(before, deps.now()) ? await reconcileSale(saleId, deps) : before;
  if (saleNeedsFlow(sale) && !(await restartSale(sale, deps))) {
    await endSale(saleId, diedTooOften, deps);
  }
  await schedule('sale', saleId, deps);
}

async function advanceCharge(chargeId: string, deps: ReconcileItemDeps): Promise<void> {
  const before = await existing(deps.payments, 'charge', chargeId);
  const charge = isChargeQuestion(before, deps.now()) ? await reconcileCharge(chargeId, deps) : before;
  if (isHold(charge)) {
    await reconcileHold(chargeId, deps);
  } else if (!chargeEnded(charge.status) && !(await keepAlive(charge, deps))) {
    await endCharge(chargeId, diedTooOften, deps);
  }
  await schedule('charge', chargeId, deps);
}

/** False when the flow has died too often. */
async function keepAlive(charge: Charge, deps: ReconcileItemDeps): Promise<boolean> {
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

/** The sale has no card to charge, or nothing may be charged for it any more. */
function willNotStart(sale: Sale, charge: Charge): boolean {
  const noCard = terminalEnded(sale.status) && (!isChargeable(sale) || sale.tokenization.status === 'refused');
  return noCard && charge.sentAt === undefined;
}

/** A review whose day is over: only a person decides. */
async function schedule(kind: PublishedKind, id: string, { payments, now }: ReconcileItemDeps): Promise<void> {
  await payments.change(kind, id, (item) => {
    const isOver = item.reconciledUntil !== undefined && !mayResolveItself(item, now());
    const dueAt = (item.outbox ?? []).length > 0 ? item.dueAt : nextDueAt(item, now());
    return dueAt === item.dueAt && !isOver ? undefined : { dueAt, ...(isOver && { reconciledUntil: undefined }) };
  });
}
