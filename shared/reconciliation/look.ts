/**
 * Takes another look at a sale, a charge or an RF order: tells others what they were not told yet, settles what can be
 * settled, and keeps the flow alive that has something to do. Safe to run twice and at the same time, like its parts.
 */

import { closeCharge } from '../closing/charge.ts';
import { closeAdditionalCharge, closeSale } from '../closing/sale.ts';
import type { Stopped } from '../closing/stopped.ts';
import type { AnnouncedKind } from '../cloud-event.ts';
import type { Charge, RfOrder, Sale } from '../items.ts';
import { chargeEnded, salePaid, terminalEnded } from '../lifecycle.ts';
import { type PublishDeps, publishOutbox } from '../publish.ts';
import { settleCharge } from '../settlement/charge.ts';
import { settleSale } from '../settlement/sale.ts';
import type { SettlementDeps } from '../settlement/settlement.ts';
import { existing } from '../subjects.ts';
import { isHold, lookAtHold } from './hold.ts';
import { type KeepAliveDeps, keepChargeAlive, keepSaleAlive } from './keep-alive.ts';
import { isOpenQuestion, isUnconfirmed, nextLook, saleNeedsFlow } from './next-look.ts';

export interface LookDeps extends PublishDeps, SettlementDeps, KeepAliveDeps {
  readonly settleRfOrder: (rfOrderId: string, deps: SettlementDeps) => Promise<RfOrder>;
}

const died: Stopped = { state: 'Execution', error: 'DiedTooOften' };

export async function lookAt(kind: AnnouncedKind, id: string, deps: LookDeps): Promise<void> {
  await publish(kind, id, deps);
  switch (kind) {
    case 'sale':
      await lookAtSale(id, deps);
      break;
    case 'charge':
      await lookAtCharge(id, deps);
      break;
    case 'rf':
      await lookAtRfOrder(id, deps);
      break;
  }
  await publish(kind, id, deps);
}

/** Only tells others what they were not told yet. */
export async function publish(kind: AnnouncedKind, id: string, deps: PublishDeps): Promise<void> {
  await publishOutbox(kind, id, (item) => nextLook(item, deps.now()), deps);
}

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
  const sale = isUnconfirmed(before) ? await settleSale(saleId, deps) : before;
  if (saleNeedsFlow(sale) && !(await keepSaleAlive(sale, deps))) {
    await closeSale(saleId, died, deps);
  }
  await schedule('sale', saleId, deps);
}

async function lookAtCharge(chargeId: string, deps: LookDeps): Promise<void> {
  const before = await existing(deps.payments, 'charge', chargeId);
  const charge = isOpenQuestion(before, deps.now()) ? await settleCharge(chargeId, deps) : before;
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
  const sale = await existing(deps.payments, 'sale', charge.saleId);
  if (isUnconfirmed(sale)) {
    return true;
  }
  if (willNotStart(sale, charge)) {
    await closeAdditionalCharge(sale, deps);
    return true;
  }
  return keepSaleAlive(sale, deps);
}

/** The sale has no card to charge, and never will. */
function willNotStart(sale: Sale, charge: Charge): boolean {
  const noCard = terminalEnded(sale.status) && (!salePaid(sale.status) || sale.tokenization.status === 'refused');
  return noCard && charge.sentAt === undefined;
}

async function schedule(kind: AnnouncedKind, id: string, { payments, now }: LookDeps): Promise<void> {
  await payments.change(kind, id, (item) => {
    const dueAt = (item.outbox ?? []).length > 0 ? item.dueAt : nextLook(item, now());
    return dueAt === item.dueAt ? undefined : { dueAt };
  });
}
