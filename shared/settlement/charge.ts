/**
 * Settles a charge that was sent and whose outcome nobody knows, from the platform's list of transactions.
 *
 * Running twice, or beside the flow, is safe: it reads, and every write is a move up the lattice. That the charge was
 * never made is concluded only after its one charge token is dead and everything late has arrived, and then the charge
 * ends `expired`, which proof may still overtake.
 */
import { immediateCapture } from '../capture-plan.ts';
import type { Account, Charge, TimelineEntry } from '../items.ts';
import { chargeEnded } from '../lifecycle.ts';
import { chargeMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import type { TransactionRecord } from '../platform/platform.ts';
import { accountOf, existing } from '../subjects.ts';
import { appended, entry } from '../timeline.ts';
import { mismatchOf } from './match.ts';
import { searchTransactions } from './search.ts';
import type { SettlementDeps } from './settlement.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The flow has captured the hold by then, or given it back. */
const CAPTURE_GRACE_MS = 10 * MINUTE_MS;
/** Of the charge token: 10 minutes until it is dead, 15 for a late commit, 2 until the list shows it, 3 for the clocks. */
const ABSENT_AFTER_MS = 30 * MINUTE_MS;
/** Pre-authorization, card charge, card charge with instalments: never the terminal's sale, nor a capture. */
const CHARGE_TYPES: readonly (number | undefined)[] = [1, 5, 6];

export async function settleCharge(chargeId: string, deps: SettlementDeps): Promise<Charge> {
  const { payments, platformFor, remainingMs, now } = deps;
  const charge = await existing(payments, 'charge', chargeId);
  if (!isOutcomeUnknown(charge)) {
    return charge;
  }
  const account = await accountOf(payments, charge);
  const sale = charge.saleId === undefined ? undefined : await existing(payments, 'sale', charge.saleId);
  const found = await searchTransactions(
    platformFor(account, remainingMs),
    chargeId,
    charge.sentAt ?? charge.createdAt,
  );
  const record = found
    .filter(({ transactionTypeId }) => CHARGE_TYPES.includes(transactionTypeId))
    .filter(({ transactionId }) => transactionId !== sale?.transactionId)
    .toSorted((a, b) => Number(a.statusId === 'E') - Number(b.statusId === 'E'))[0];
  return payments.change('charge', chargeId, (item) =>
    isOutcomeUnknown(item) ? judged(item, record, account, now()) : undefined,
  );
}

/** It was sent, and no answer said what became of it. */
export function isOutcomeUnknown(charge: Charge): boolean {
  return charge.sentAt !== undefined && charge.transactionId === undefined && charge.status !== 'failed';
}

function judged(
  charge: Charge,
  record: TransactionRecord | undefined,
  account: Account,
  at: number,
): Patch<'charge'> | undefined {
  if (record === undefined) {
    const absent = at >= Date.parse(charge.bornAt ?? charge.sentAt ?? '') + ABSENT_AFTER_MS;
    return absent
      ? chargeMoved(
          charge,
          'expired',
          { failure: { code: 'CHARGE_EXPIRED' }, sealed: true },
          entry(at, 'charge.absent'),
        )
      : undefined;
  }
  const { transactionId, statusId } = record;
  const seen = entry(at, 'transaction.found', { transactionId, statusId });
  const code = mismatchOf(charge, record);
  if (code !== undefined) {
    const review = { failure: { code } };
    return (
      chargeMoved(charge, 'needs_review', review, seen) ??
      (charge.failure?.code === code ? undefined : { ...review, timeline: appended(charge.timeline, seen) })
    );
  }
  if (statusId === 'E') {
    return chargeMoved(charge, 'declined', { failure: { code: 'CARD_DECLINED' }, sealed: true }, seen);
  }
  return statusId === 'F' ? chargeMade(charge, account, transactionId, seen) : undefined;
}

/** The card was charged, or the amount is held: what that means for the charge. */
export function chargeMade(
  charge: Charge,
  account: Account,
  transactionId: string,
  made: TimelineEntry,
): Patch<'charge'> | undefined {
  if (!charge.preauth) {
    return chargeMoved(charge, 'charged', { transactionId }, made);
  }
  const captureBeforeMs = Date.parse(charge.sentAt ?? made.at) + account.captureDays * DAY_MS;
  const flowEnded = chargeEnded(charge.status);
  const lookMs =
    charge.capture === 'immediate' ? Date.parse(made.at) + CAPTURE_GRACE_MS : captureBeforeMs + CAPTURE_GRACE_MS;
  const hold = {
    transactionId,
    authorizedAmount: charge.amount,
    captureBefore: new Date(captureBeforeMs).toISOString(),
    ...(charge.capture === 'immediate' && { captures: [immediateCapture(charge, made.at)] }),
    // A flow that ended without the hold has to be taken up again, to capture it or to give it back.
    dueAt: flowEnded ? made.at : new Date(lookMs).toISOString(),
  };
  return chargeMoved(charge, 'authorized', hold, made);
}
