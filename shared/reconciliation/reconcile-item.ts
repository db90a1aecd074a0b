/**
 * Looks at an item that is due: tells others what they were not told yet, settles what can be settled from the platform's
 * records, and keeps the flow alive that has something to do. Safe to run twice and at the same time, like its parts.
 */

import type { AnnouncedKind } from '../events/cloud-event.ts';
import type { PublishDeps } from '../events/publish.ts';
import { FaultError } from '../flow/errors.ts';
import type { Stopped } from '../flow/stopped.ts';
import { existing } from '../payments/existing.ts';
import type { Charge, RfOrder, Sale } from '../payments/items.ts';
import { chargeEnded, terminalEnded } from '../payments/lifecycle.ts';
import { lookAtCard } from './card/reconcile.ts';
import { closeCharge } from './charge/end.ts';
import { closeWithoutSale, saleOf } from './charge/end-without-sale.ts';
import { settleCharge } from './charge/reconcile.ts';
import type { SettlementDeps } from './deps.ts';
import { isHold, lookAtHold } from './hold/reconcile.ts';
import { isChargeQuestion, isSaleQuestion, isSettling, nextLook, saleNeedsFlow } from './next-due.ts';
import { publish } from './publish-item.ts';
import { type KeepAliveDeps, keepChargeAlive, keepSaleAlive } from './restart.ts';
import { closeAdditionalCharge, closeSale, isChargeable, mayStillBePaid } from './sale/end.ts';
import { settleSale } from './sale/reconcile.ts';

export interface LookDeps extends PublishDeps, SettlementDeps, KeepAliveDeps {
  readonly settleRfOrder: (rfOrderId: string, deps: SettlementDeps) => Promise<RfOrder>;
}

/** The kinds of items that are looked at; the others have functions of their own. */
export type LookedAtKind = AnnouncedKind | 'card';

const died: Stopped = { state: 'Execution', error: 'DiedTooOften' };

export async function lookAt(kind: LookedAtKind, id: string, deps: LookDeps): Promise<void> {
  if (kind === 'card') {
    return lookAtCard(id, deps);
  }
  await publish(kind, id, deps);
  try {
    await looks[kind](id, deps);
  } catch (error) {
    if (error instanceof FaultError) {
      await schedule(kind, id, deps); // a person is needed: it is not tried more often than its schedule says
    }
    throw error;
  }
  await publish(kind, id, deps);
}

const looks: Readonly<Record<AnnouncedKind, (id: string, deps: LookDeps) => Promise<void>>> = {
  sale: lookAtSale,
  charge: lookAtCharge,
  rf: lookAtRfOrder,
};

/** Reading it back sets the time of the next read, unless there is nothing to read any more. */
async function lookAtRfOrder(rfOrderId: string, deps: LookDeps): Promise<void> {
  const before = await existing(deps.payments, 'rf', rfOrderId);
  const { dueAt } = await deps.settleRfOrder(rfOrderId, deps);
  if (dueAt === before.dueAt) {
    await schedule('rf', rfOrderId, deps);
  }
}

async function lookAtSale(saleId: string, deps: LookDeps): Promise<void> {
  const before = await existing(deps.payments, 'sale', saleId);
  const sale = isSaleQuestion(before, deps.now()) ? await settleSale(saleId, deps) : before;
  if (saleNeedsFlow(sale) && !(await keepSaleAlive(sale, deps))) {
    await closeSale(saleId, died, deps);
  }
  await schedule('sale', saleId, deps);
}

async function lookAtCharge(chargeId: string, deps: LookDeps): Promise<void> {
  const before = await existing(deps.payments, 'charge', chargeId);
  const charge = isChargeQuestion(before, deps.now()) ? await settleCharge(chargeId, deps) : before;
  if (isHold(charge)) {
    await lookAtHold(chargeId, deps);
  } else if (!chargeEnded(charge.status) && !(await keepAlive(charge, deps))) {
    await closeCharge(chargeId, died, deps);
  }
  await schedule('charge', chargeId, deps);
}

/** False when the flow has died too often. */
async function keepAlive(charge: Charge, deps: LookDeps): Promise<boolean> {
  if (charge.saleId === undefined) {
    return keepChargeAlive(charge, deps);
  }
  const sale = await saleOf(charge, deps.payments);
  if (sale === undefined) {
    await closeWithoutSale(charge, deps);
    return true;
  }
  if (mayStillBePaid(sale, deps.now())) {
    return true;
  }
  if (willNotStart(sale, charge)) {
    await closeAdditionalCharge(sale, deps);
    return true;
  }
  return keepSaleAlive(sale, deps);
}

/** The sale has no card to charge, or nothing may be charged for it any more. */
function willNotStart(sale: Sale, charge: Charge): boolean {
  const noCard = terminalEnded(sale.status) && (!isChargeable(sale) || sale.tokenization.status === 'refused');
  return noCard && charge.sentAt === undefined;
}

/** A review whose day is over is a person's alone. */
async function schedule(kind: AnnouncedKind, id: string, { payments, now }: LookDeps): Promise<void> {
  await payments.change(kind, id, (item) => {
    const isOver = item.settlingUntil !== undefined && !isSettling(item, now());
    const dueAt = (item.outbox ?? []).length > 0 ? item.dueAt : nextLook(item, now());
    return dueAt === item.dueAt && !isOver ? undefined : { dueAt, ...(isOver && { settlingUntil: undefined }) };
  });
}
