/**
 * Reads the lists of a merchant's days for what no webhook told: reversals and refunds, money that came late, payments
 * that we reported as refused, and payments with our reference that no item explains, which are written down for a
 * person.
 *
 * Each night it reads the day that is over, the one before it and the one two before that. So a day D is read three
 * times, on D+1, D+2 and D+4. Its list shows in the statuses of D's payments what was given back since. What was given
 * back on D of older payments is found by its reference. That is three calls per merchant and night, and one more for
 * each payment whose list does not show that all of it was given back. Missed nights are read later. Running twice is
 * safe: it reads, and every write is a transition up the lattice.
 */

import { FaultError } from '../flow/errors.ts';
import { existing } from '../payments/existing.ts';
import type { Account, Finding } from '../payments/items.ts';
import { saleReportedUnpaid } from '../payments/lifecycle.ts';
import { idAtEndOf, OWN_ID } from '../payments/references.ts';
import { DAY_MS, HOUR_MS, iso } from '../payments/time.ts';
import { athensDay, instantOf } from '../viva/athens.ts';
import type { Platform, TransactionRecord } from '../viva/viva.ts';
import { isOutcomeUnknown, reconcileCharge, reconcileChargeBy } from './charge/reconcile.ts';
import type { ReconciliationDeps } from './deps.ts';
import { isTaken, type Payment, paymentsIn } from './records/proof.ts';
import { familyOf, merged } from './records/search.ts';
import { reconcileRfOrderBy } from './rf-order/reconcile.ts';
import { reconcileSale, reconcileSaleBy } from './sale/reconcile.ts';

export interface DailyListsDeps {
  readonly onFinding: (finding: Pick<Finding, 'reason' | 'transactionId'>) => void;
  /** The list of a day was too long for one answer, and was not read. */
  readonly onDayTooLarge: (merchantId: string, day: string) => void;
}

type Deps = DailyListsDeps & ReconciliationDeps;

/**
 * After midnight in Athens: late commits and the lists' lag are over, and merchants are spread over the hours from
 * here.
 */
const NIGHT_BEGINS = 'T01:00:00';
const SPREAD_MS = 3 * HOUR_MS;
/** Before the day that is over. */
const DAYS_BACK = [0, 1, 3];
/** After an outage of more nights than this the oldest are left out. */
const MOST_NIGHTS = 10;
const AT_ONCE = 10;

export async function readDailyLists(merchantId: string, deps: Deps): Promise<void> {
  const { payments, platformFor, remainingMs, now } = deps;
  const account = await existing(payments, 'account', merchantId);
  const lastOver = athensDay(now() - HOUR_MS - DAY_MS);
  const platform = platformFor(account, remainingMs);
  for (const day of daysToRead(account, lastOver)) {
    await readDay(account, day, platform, deps);
  }
  await payments.change('account', merchantId, () => ({
    daysReadUntil: lastOver,
    dueAt: nextNight(merchantId, now()),
  }));
}

/** When a merchant's days are read next. */
export function nextNight(merchantId: string, now: number): string {
  const spreadMs = Math.floor((Number.parseInt(merchantId.slice(0, 6), 16) / 0x1000000) * SPREAD_MS);
  // mutant logic: every day has that hour
  const begins = (at: number) => Date.parse(instantOf(`${athensDay(at)}${NIGHT_BEGINS}`) ?? '') + spreadMs;
  return iso(begins(now) > now ? begins(now) : begins(now + DAY_MS));
}

function daysToRead({ daysReadUntil }: Account, lastOver: string): readonly string[] {
  const last = Date.parse(lastOver);
  const missed = daysReadUntil === undefined ? 1 : Math.round((last - Date.parse(daysReadUntil)) / DAY_MS);
  const nights = Array.from({ length: Math.min(missed, MOST_NIGHTS) }, (_, n) => last - n * DAY_MS);
  const days = nights.flatMap((night) => DAYS_BACK.map((back) => new Date(night - back * DAY_MS)));
  return [...new Set(days.map((day) => day.toISOString().slice(0, lastOver.length)))].sort();
}

async function readDay(account: Account, day: string, platform: Platform, deps: Deps): Promise<void> {
  const records = await listOf(day, platform).catch((error: unknown) => {
    if (error instanceof FaultError && error.code === 'DAY_TOO_LARGE') {
      deps.onDayTooLarge(account.merchantId, day);
      return [];
    }
    throw error;
  });
  await inParts(paymentsIn(records), (payment) => explain(payment, records, account, platform, deps));
  await inParts([...orphanedReturns(records)], (id) => explainReturn(id, deps));
}

async function inParts<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += AT_ONCE) {
    await Promise.all(all.slice(start, start + AT_ONCE).map(work));
  }
}

async function listOf(day: string, platform: Platform): Promise<readonly TransactionRecord[]> {
  return (await platform.listDay(day)).records;
}

/** Reconciles the item of a payment by the records. A payment without an item is written down for a person. */
async function explain(
  payment: Payment,
  records: readonly TransactionRecord[],
  account: Account,
  platform: Platform,
  deps: Deps,
): Promise<void> {
  const { record, returned } = payment;
  const { payments } = deps;
  const id = idAtEndOf(record.merchantTrns ?? '');
  if (id === undefined || !OWN_ID.test(id)) {
    return;
  }
  const listed = familyOf(records, id);
  const family = returned.mayBeMore ? merged(listed, await ordersOf(payment, platform)) : listed;
  const sale = await payments.get('sale', id);
  if (sale !== undefined && 'status' in sale) {
    // What was reported as over counts as paid only if it is also read by its id.
    const isNews = saleReportedUnpaid(sale.status) && isTaken(record);
    const settled = await (isNews ? reconcileSale(id, deps) : reconcileSaleBy(sale, family, deps));
    const { transactionId = record.transactionId, status } = settled;
    const isOther = transactionId !== record.transactionId && record.statusId === 'F' && status !== 'needs_review';
    return isOther ? writeDown(record, id, 'PAID_TWICE', account, deps) : undefined;
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
    await writeDown(record, id, 'UNKNOWN_PAYMENT', account, deps);
  }
}

/** Everything of the payment's order, and of its captures' orders where these are others. */
async function ordersOf({ record, captures }: Payment, platform: Platform): Promise<readonly TransactionRecord[]> {
  const codes = new Set([record, ...captures].flatMap(({ orderCode }) => orderCode ?? []));
  const lists = await Promise.all([...codes].map((code) => platform.listOrderTransactions(code)));
  return lists.flatMap((list) => list.records);
}

/** Ids that children carry whose original is of another day. */
function orphanedReturns(records: readonly TransactionRecord[]): ReadonlySet<string> {
  const listed = new Set(records.map(({ transactionId }) => transactionId.toLowerCase()));
  const orphans = records.filter(({ parentId }) => parentId !== undefined && !listed.has(parentId.toLowerCase()));
  return new Set(orphans.flatMap(({ merchantTrns = '' }) => idAtEndOf(merchantTrns) ?? []));
}

async function explainReturn(id: string, deps: Deps): Promise<void> {
  const { payments } = deps;
  const [sale, charge] = await Promise.all([payments.get('sale', id), payments.get('charge', id)]);
  if (sale?.transactionId !== undefined) {
    await reconcileSale(id, deps);
  } else if (charge?.transactionId !== undefined) {
    await reconcileCharge(id, deps);
  }
}

async function writeDown(
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
