/**
 * Reconciles a charge with the platform's records, outside of its execution. It finds the outcome of a charge that was
 * sent, a charge that was made after we reported it as not made, a hold that somebody else captured or released, and
 * refunds.
 *
 * Safe to run twice and beside the execution: it reads, and every write is a transition that the lifecycle allows.
 */

import { accountOf, existing } from '../../payments/existing.ts';
import type { Account } from '../../payments/items/account.ts';
import type { Charge } from '../../payments/items/charge.ts';
import { chargePaid } from '../../payments/lifecycle.ts';
import type { TransactionRecord, Viva } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { judgedHold } from '../hold/judgement.ts';
import { holdSeen, isIdle } from '../hold/records.ts';
import { dueSoon } from '../hold/transitions.ts';
import { idOf, provePayment } from '../records/proof.ts';
import { merged, readPayment, searchTransactions } from '../records/search.ts';
import { expectedPayment, judged } from './judgement.ts';

/** Resolves to the charge after that. Throws a TransientError while the platform cannot be read. */
export async function reconcileCharge(chargeId: string, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, vivaFor, remainingMs } = deps;
  const charge = await existing(payments, 'charge', chargeId);
  if (!isReconcilable(charge) && !isIdle(charge)) {
    return charge;
  }
  const account = await accountOf(payments, charge);
  const records = await read(charge, vivaFor(account, remainingMs));
  return reconcileChargeBy(charge, account, records, deps);
}

/** As `reconcileCharge`, with records that were read already, for example the list of a day. */
export async function reconcileChargeBy(
  { chargeId }: Charge,
  account: Account,
  records: readonly TransactionRecord[],
  { payments, now }: ReconciliationDeps,
): Promise<Charge> {
  return payments.change('charge', chargeId, (item) => {
    if (isIdle(item)) {
      const patch = judgedHold(item, { of: 'review' }, holdSeen(item, records), now());
      return patch && { ...dueSoon(now()), ...patch };
    }
    return isReconcilable(item)
      ? judged(item, provePayment(expectedPayment(item), records), account, now())
      : undefined;
  });
}

/** Whether the charge was sent and its outcome is unknown. */
export function isOutcomeUnknown(charge: Charge): boolean {
  return charge.sentAt !== undefined && charge.transactionId === undefined && charge.status !== 'failed';
}

/** Whether the platform may know more about the charge than we do. */
function isReconcilable(charge: Charge): boolean {
  const { status, statusBeforeReview } = charge;
  return isOutcomeUnknown(charge) || chargePaid(status === 'needs_review' ? statusBeforeReview : status);
}

/** Reads the transaction by its id. If the id is not known, finds it by our reference and then reads it by its id. */
async function read(charge: Charge, viva: Viva): Promise<readonly TransactionRecord[]> {
  if (charge.transactionId !== undefined) {
    return readWithCaptures(charge.transactionId, charge, viva);
  }
  const listed = await searchTransactions(viva, charge.chargeId, charge.sentAt ?? charge.createdAt);
  const proof = provePayment(expectedPayment(charge), listed);
  if (!('record' in proof)) {
    return listed;
  }
  return merged(listed, await readPayment(viva, proof.record.transactionId));
}

/**
 * Reads the payment and its children. On some accounts a capture has another order than its hold, and is read by its
 * id.
 */
async function readWithCaptures(transactionId: string, { captures }: Charge, viva: Viva) {
  let records = await readPayment(viva, transactionId);
  for (const capture of captures) {
    const isRead = records.some((record) => idOf(record) === capture.transactionId?.toLowerCase());
    if (capture.transactionId !== undefined && !isRead) {
      records = merged(records, await readPayment(viva, capture.transactionId));
    }
  }
  return records;
}
