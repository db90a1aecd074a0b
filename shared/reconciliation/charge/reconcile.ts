/**
 * Reconciles a charge outside of its flow: one that was sent and has no known outcome, one that was reported as over
 * and was made later, a hold that somebody else captured or released, money that was given back.
 *
 * Running twice, or beside the flow, is safe: it reads, and every write is a transition up the lattice (see
 * judgement.ts).
 */

import { accountOf, existing } from '../../payments/existing.ts';
import type { Account, Charge } from '../../payments/items.ts';
import type { Platform, TransactionRecord } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { judgedHold } from '../hold/judgement.ts';
import { holdSeen, isIdle } from '../hold/records.ts';
import { dueSoon } from '../hold/transitions.ts';
import { idOf, provePayment } from '../records/proof.ts';
import { merged, readPayment, searchTransactions } from '../records/search.ts';
import { askedBy, judged } from './judgement.ts';

/** Resolves to the charge as it is then. Throws a TransientError while the platform cannot be read. */
export async function reconcileCharge(chargeId: string, deps: ReconciliationDeps): Promise<Charge> {
  const { payments, platformFor, remainingMs } = deps;
  const charge = await existing(payments, 'charge', chargeId);
  if (!isQuestion(charge) && !isIdle(charge)) {
    return charge;
  }
  const account = await accountOf(payments, charge);
  const records = await read(charge, platformFor(account, remainingMs));
  return reconcileChargeBy(charge, account, records, deps);
}

/** Reconciles a charge by records that were read before, such as the list of a day. */
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
    return isQuestion(item) ? judged(item, provePayment(askedBy(item), records), account, now()) : undefined;
  });
}

/** It was sent, and no answer said what became of it. */
export function isOutcomeUnknown(charge: Charge): boolean {
  return charge.sentAt !== undefined && charge.transactionId === undefined && charge.status !== 'failed';
}

/** Whether the platform may know more about the charge than we do. */
function isQuestion(charge: Charge): boolean {
  const { status, statusBeforeReview } = charge;
  const stands = status === 'needs_review' ? statusBeforeReview : status;
  return isOutcomeUnknown(charge) || stands === 'charged' || stands === 'captured';
}

/** By its id where it is known, else by what carries its reference, and then by the id of that before it counts. */
async function read(charge: Charge, platform: Platform): Promise<readonly TransactionRecord[]> {
  if (charge.transactionId !== undefined) {
    return readWithCaptures(charge.transactionId, charge, platform);
  }
  const listed = await searchTransactions(platform, charge.chargeId, charge.sentAt ?? charge.createdAt);
  const proof = provePayment(askedBy(charge), listed);
  if (!('record' in proof)) {
    return listed;
  }
  return merged(listed, await readPayment(platform, proof.record.transactionId));
}

/**
 * The payment and its children. On some accounts a capture is not of the order of its hold: then it is read by its id.
 */
async function readWithCaptures(transactionId: string, { captures }: Charge, platform: Platform) {
  let records = await readPayment(platform, transactionId);
  for (const capture of captures) {
    const isRead = records.some((record) => idOf(record) === capture.transactionId?.toLowerCase());
    if (capture.transactionId !== undefined && !isRead) {
      records = merged(records, await readPayment(platform, capture.transactionId));
    }
  }
  return records;
}
