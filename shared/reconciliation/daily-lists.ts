/**
 * Reads a merchant's daily lists for what no webhook reported: reversals and refunds, late money, and payments of items
 * that we reported as unpaid. A payment with our reference that no item has becomes a finding for a person.
 *
 * Each night reads three days: the last full day, the day before it, and the day two before that. So a day D is read on
 * D+1, D+2 and D+4. The statuses of D's payments show what was given back since, and returns on D of older payments are
 * found by their reference. This costs three calls per merchant and night, and one more for each payment that was given
 * back and whose list does not show that all of it was. Missed nights are read later.
 *
 * Safe to run twice: it reads, and every write is a transition that the lifecycle allows.
 */

import { FaultError } from '../flow/errors.ts';
import { existing } from '../payments/existing.ts';
import type { Account } from '../payments/items/account.ts';
import type { Finding } from '../payments/items/finding.ts';
import { saleReportedUnpaid } from '../payments/lifecycle.ts';
import { idAtEndOf, OWN_ID } from '../payments/references.ts';
import { DAY_MS, HOUR_MS, iso } from '../payments/time.ts';
import { athensDay, instantOf } from '../viva/athens.ts';
import type { TransactionRecord, Viva } from '../viva/viva.ts';
import { isOutcomeUnknown, reconcileCharge, reconcileChargeBy } from './charge/reconcile.ts';
import type { ReconciliationDeps } from './deps.ts';
import { isTaken, type Payment, paymentsIn } from './records/proof.ts';
import { familyOf, merged } from './records/search.ts';
import { reconcileRfOrderBy } from './rf-order/reconcile.ts';
import { reconcileSale, reconcileSaleBy } from './sale/reconcile.ts';

export interface DailyListsDeps {
  readonly onFinding: (finding: Pick<Finding, 'reason' | 'transactionId'>) => void;
  /** Called for a day whose list was too long for one answer. It was not read. */
  readonly onDayTooLarge: (merchantId: string, day: string) => void;
}

type Deps = DailyListsDeps & ReconciliationDeps;

/** In Athens. By then late commits are over and the lists show them. */
const NIGHT_BEGINS = 'T01:00:00';
/** The merchants are spread over so long from the beginning of the night. */
const SPREAD_MS = 3 * HOUR_MS;
/** Days before the last full day. */
const DAYS_BACK = [0, 1, 3];
/** After an outage of more nights the oldest nights are not read. */
const MAX_NIGHTS = 10;
const BATCH_SIZE = 10;

/** Throws a TransientError while the platform cannot be read. */
export async function readDailyLists(merchantId: string, deps: Deps): Promise<void> {
  const { payments, vivaFor, remainingMs, now } = deps;
  const account = await existing(payments, 'account', merchantId);
  const lastFullDay = athensDay(now() - HOUR_MS - DAY_MS);
  const viva = vivaFor(account, remainingMs);
  for (const day of daysToRead(account, lastFullDay)) {
    await readDay(account, day, viva, deps);
  }
  await payments.change('account', merchantId, () => ({
    daysReadUntil: lastFullDay,
    dueAt: nextNight(merchantId, now()),
  }));
}

/** When a merchant's daily lists are read next. */
export function nextNight(merchantId: string, now: number): string {
  const spreadMs = Math.floor((Number.parseInt(merchantId.slice(0, 6), 16) / 0x1000000) * SPREAD_MS);
  // mutant logic: every day has this hour
  const begins = (at: number) => Date.parse(instantOf(`${athensDay(at)}${NIGHT_BEGINS}`) ?? '') + spreadMs;
  return iso(begins(now) > now ? begins(now) : begins(now + DAY_MS));
}

function daysToRead({ daysReadUntil }: Account, lastFullDay: string): readonly string[] {
  const last = Date.parse(lastFullDay);
  const missed = daysReadUntil === undefined ? 1 : Math.round((last - Date.parse(daysReadUntil)) / DAY_MS);
  const nights = Array.from({ length: Math.min(missed, MAX_NIGHTS) }, (_, n) => last - n * DAY_MS);
  const days = nights.flatMap((night) => DAYS_BACK.map((back) => new Date(night - back * DAY_MS)));
  return [...new Set(days.map((day) => day.toISOString().slice(0, lastFullDay.length)))].sort();
}

async function readDay(account: Account, day: string, viva: Viva, deps: Deps): Promise<void> {
  const records = await listOf(day, viva).catch((error: unknown) => {
    if (error instanceof FaultError && error.code === 'DAY_TOO_LARGE') {
      deps.onDayTooLarge(account.merchantId, day);
      return [];
    }
    throw error;
  });
  await inBatches(paymentsIn(records), (payment) => reconcilePayment(payment, records, account, viva, deps));
  await inBatches([...orphanedReturns(records)], (id) => reconcileReturn(id, deps));
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += BATCH_SIZE) {
    await Promise.all(all.slice(start, start + BATCH_SIZE).map(work));
  }
}

async function listOf(day: string, viva: Viva): Promise<readonly TransactionRecord[]> {
  return (await viva.listDay(day)).records;
}

/** Reconciles the item of the payment. A payment without an item becomes a finding. */
async function reconcilePayment(
  payment: Payment,
  records: readonly TransactionRecord[],
  account: Account,
  viva: Viva,
  deps: Deps,
): Promise<void> {
  const { record, returned } = payment;
  const { payments } = deps;
  const id = idAtEndOf(record.merchantTrns ?? '');
  if (id === undefined || !OWN_ID.test(id)) {
    return;
  }
  const listed = familyOf(records, id);
  const family = returned.mayBeMore ? merged(listed, await ordersOf(payment, viva)) : listed;
  const sale = await payments.get('sale', id);
  if (sale !== undefined && 'status' in sale) {
    // A sale that we reported as unpaid counts as paid only if the payment was also read by its id.
    const isNews = saleReportedUnpaid(sale.status) && isTaken(record);
    const reconciled = await (isNews ? reconcileSale(id, deps) : reconcileSaleBy(sale, family, deps));
    const { transactionId = record.transactionId, status } = reconciled;
    const isOther = transactionId !== record.transactionId && record.statusId === 'F' && status !== 'needs_review';
    return isOther ? createFinding(record, id, 'PAID_TWICE', account, deps) : undefined;
  }
  const charge = await payments.get('charge', id);
  if (charge !== undefined && 'status' in charge) {
    await (isOutcomeUnknown(charge) ? reconcileCharge(id, deps) : reconcileChargeBy(charge, account, family, deps));
    return;
  }
  const order = await payments.get('rf-order', id);
  if (order !== undefined && 'status' in order) {
    await reconcileRfOrderBy(order, family, deps);
    return;
  }
  if (record.statusId === 'F') {
    await createFinding(record, id, 'UNKNOWN_PAYMENT', account, deps);
  }
}

/** All records of the payment's order, and of the orders of its captures. */
async function ordersOf({ record, captures }: Payment, viva: Viva): Promise<readonly TransactionRecord[]> {
  const codes = new Set([record, ...captures].flatMap(({ orderCode }) => orderCode ?? []));
  const lists = await Promise.all([...codes].map((code) => viva.listOrderTransactions(code)));
  return lists.flatMap((list) => list.records);
}

/** The ids of ours in the references of children whose original is not in the list. */
function orphanedReturns(records: readonly TransactionRecord[]): ReadonlySet<string> {
  const listed = new Set(records.map(({ transactionId }) => transactionId.toLowerCase()));
  const orphans = records.filter(({ parentId }) => parentId !== undefined && !listed.has(parentId.toLowerCase()));
  return new Set(orphans.flatMap(({ merchantTrns = '' }) => idAtEndOf(merchantTrns) ?? []));
}

async function reconcileReturn(id: string, deps: Deps): Promise<void> {
  const { payments } = deps;
  const [sale, charge] = await Promise.all([payments.get('sale', id), payments.get('charge', id)]);
  if (sale?.transactionId !== undefined) {
    await reconcileSale(id, deps);
  } else if (charge?.transactionId !== undefined) {
    await reconcileCharge(id, deps);
  }
}

async function createFinding(
  { transactionId, amount, currency, bookedAt }: TransactionRecord,
  id: string,
  reason: Finding['reason'],
  { merchantId }: Account,
  { payments, onFinding }: Deps,
): Promise<void> {
  const state = 'open' as const;
  const finding = { merchantId, transactionId, id, reason, state, amount, currency, ...(bookedAt && { bookedAt }) };
  if (await payments.create('finding', transactionId.toLowerCase(), finding)) {
    onFinding(finding);
  }
}
