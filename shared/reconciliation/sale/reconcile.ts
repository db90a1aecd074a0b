/**
 * Reconciles a sale outside of its flow: a terminal that does not answer, a payment that could not be read, a refusal
 * that a payment overtook, money that was given back.
 *
 * Running twice, or beside the flow, is safe: it reads, and every write is a transition up the lattice. An
 * `unconfirmed` sale whose payment is found gets its transaction here and continues in the flow, which confirms it as
 * usual. So does a sale that is found paid after it was reported as refused, to store its card (see judgement.ts).
 */

import { TransientError } from '../../flow/errors.ts';
import { accountOf, existing } from '../../payments/existing.ts';
import type { Sale } from '../../payments/items.ts';
import { salePaid, saleReportedUnpaid, terminalEnded } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { HOUR_MS, iso } from '../../payments/time.ts';
import { appended, callEntry, entry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import type { Platform, TransactionRecord } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { provePayment } from '../records/proof.ts';
import { merged, readPayment, searchTransactions } from '../records/search.ts';
import { endAdditionalCharge, isChargeable } from './end.ts';
import { askedBy, judged, type SaleEvidence } from './judgement.ts';
import { type SessionOutcome, sessionOutcome } from './session.ts';

/** If nothing could be read for so long, the sale is for a person. It is still read. */
const GIVE_UP_AFTER_MS = HOUR_MS;
const MOST_LATER_SALES = 20;

/** Resolves to the sale as it is then. Throws a TransientError while the platform cannot be read. */
export async function reconcileSale(saleId: string, deps: ReconciliationDeps): Promise<Sale> {
  const { payments, platformFor, remainingMs } = deps;
  const sale = await existing(payments, 'sale', saleId);
  if (!isQuestion(sale)) {
    return sale;
  }
  const platform = platformFor(await accountOf(payments, sale), remainingMs);
  try {
    return sale.status === 'unconfirmed' ? await confirm(sale, platform, deps) : await reread(sale, platform, deps);
  } catch (error) {
    if (sale.status !== 'unconfirmed' || deps.now() < requestedMs(sale) + GIVE_UP_AFTER_MS) {
      throw error;
    }
    return payments.change('sale', saleId, (item) =>
      isQuestion(item) && item.status === 'unconfirmed'
        ? saleTransition(
            item,
            'needs_review',
            { failure: { code: 'TERMINAL_NOT_ANSWERING' } },
            entry(deps.now(), 'terminal.unknown'),
          )
        : undefined,
    );
  }
}

/** Reconciles a sale by records that were read before, such as the list of a day. */
export async function reconcileSaleBy(
  sale: Sale,
  records: readonly TransactionRecord[],
  deps: ReconciliationDeps,
  evidence: Partial<SaleEvidence> = {},
): Promise<Sale> {
  const { payments, now } = deps;
  const proof = provePayment(askedBy(sale), records);
  const isLate = proof.of === 'payment' && saleReportedUnpaid(sale.status);
  const laterSales = isLate ? await laterSalesOf(sale, deps) : [];
  const settled = await payments.change('sale', sale.saleId, (item) => {
    const patch = isQuestion(item) ? judged(item, { ...evidence, proof, laterSales }, now()) : undefined;
    return patch && { dueAt: iso(now()), ...patch };
  });
  await endAdditionalChargeOf(settled, deps);
  return settled;
}

/** Of a sale for which nothing may be charged any more. */
async function endAdditionalChargeOf(sale: Sale, deps: ReconciliationDeps): Promise<void> {
  if (terminalEnded(sale.status) && !isChargeable(sale)) {
    await endAdditionalCharge(sale, deps);
  }
}

/** Whether the platform may know more about the sale than we do. */
function isQuestion(sale: Sale): boolean {
  if (sale.requestedAt === undefined) {
    return false;
  }
  return sale.status === 'unconfirmed'
    ? sale.transactionId === undefined
    : saleReportedUnpaid(sale.status) || salePaid(sale.status) || sale.status === 'needs_review';
}

/** Reads the session and, if it does not decide, the list of transactions. */
async function confirm(sale: Sale, platform: Platform, deps: ReconciliationDeps): Promise<Sale> {
  const { now } = deps;
  const session = await platform.readSession(sale.saleId).catch(unreadable);
  const outcome = session?.state === 'finished' ? await sessionOutcome(sale, session, platform, now()) : undefined;
  if (session?.state === 'finished' && outcome !== undefined && (outcome.approved || outcome.proven)) {
    const { transactionId, receipt, call } = session;
    const told = (event: string) => callEntry(now(), event, call, { sessionEventId: session.eventId });
    return write(sale, deps, (item) =>
      outcome.approved
        ? { transactionId, receipt, timeline: appended(item.timeline, told('terminal.approved')) }
        : saleTransition(
            item,
            outcome.status,
            { transactionId, receipt, failure: outcome.failure },
            told('terminal.refused'),
          ),
    );
  }
  const records = await searchTransactions(platform, sale.saleId, sale.requestedAt ?? sale.createdAt);
  return reconcileSaleBy(sale, records, deps, { told: unprovenOf(outcome) });
}

/** A session that cannot be read counts as pending. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof TransientError)) {
    throw error;
  }
}

function unprovenOf(outcome: SessionOutcome | undefined): SaleEvidence['told'] {
  return outcome?.approved === false ? outcome : undefined;
}

async function write(
  sale: Sale,
  deps: ReconciliationDeps,
  decide: (item: Sale) => Patch<'sale'> | undefined,
): Promise<Sale> {
  const { payments, now } = deps;
  const settled = await payments.change('sale', sale.saleId, (item) =>
    item.status === 'unconfirmed' && item.transactionId === undefined
      ? { dueAt: iso(now()), ...decide(item) }
      : undefined,
  );
  await endAdditionalChargeOf(settled, deps);
  return settled;
}

/**
 * By its id where it is paid, else by what carries its reference; then by the id of what was found, before it counts.
 */
async function reread(sale: Sale, platform: Platform, deps: ReconciliationDeps): Promise<Sale> {
  const known = salePaid(sale.status) ? sale.transactionId : undefined;
  if (known !== undefined) {
    return reconcileSaleBy(sale, await readPayment(platform, known), deps);
  }
  const listed = await searchTransactions(platform, sale.saleId, sale.requestedAt ?? sale.createdAt);
  const proof = provePayment(askedBy(sale), listed);
  const found = 'record' in proof ? proof.record.transactionId : sale.transactionId;
  const records = found === undefined ? [] : await readPayment(platform, found).catch(notVisible);
  return reconcileSaleBy(sale, merged(listed, records), deps);
}

/** The list may be ahead; and what a failed session named need not exist. */
function notVisible(error: unknown): [] {
  if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
    return [];
  }
  throw error;
}

/** The storefront may have sold again since. */
async function laterSalesOf(sale: Sale, { payments }: ReconciliationDeps): Promise<readonly string[]> {
  const { merchantId, terminalId, amount, createdAt } = sale;
  const { items } = await payments.list('sale', {
    merchantId,
    createdFrom: createdAt,
    limit: MOST_LATER_SALES,
    where: { terminalId, amount },
  });
  return items.filter(({ saleId, status }) => saleId !== sale.saleId && salePaid(status)).map(({ saleId }) => saleId);
}

function requestedMs(sale: Sale): number {
  // mutant logic: only a sale that was requested is asked about
  return Date.parse(sale.requestedAt ?? sale.createdAt);
}
