/**
 * Reconciles a sale with the platform's records, outside of its execution. It finds the outcome when the terminal does
 * not answer, payments that could not be read before, payments of sales that we reported as unpaid, and refunds.
 *
 * Safe to run twice and beside the execution: it reads, and every write is a transition that the lifecycle allows. If
 * the payment of an `unconfirmed` sale is found, it only stores the transaction, and the execution continues and
 * confirms it. The execution also continues for a sale that is found paid late, to store its card.
 */

import { TransientError } from '../../flow/errors.ts';
import { accountOf, existing } from '../../payments/existing.ts';
import type { Sale } from '../../payments/items/sale.ts';
import { salePaid, saleReportedUnpaid, terminalEnded } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { HOUR_MS, iso } from '../../payments/time.ts';
import { appended, callEntry, entry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import type { TransactionRecord, Viva } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { provePayment } from '../records/proof.ts';
import { merged, readPayment, searchTransactions } from '../records/search.ts';
import { endAdditionalCharge, isChargeable } from './end.ts';
import { expectedPayment, judged, type SaleEvidence } from './judgement.ts';
import { type SessionOutcome, sessionOutcome } from './session.ts';

/** If nothing could be read for so long, the sale goes into review. It is still reconciled after that. */
const GIVE_UP_AFTER_MS = HOUR_MS;
const MAX_LATER_SALES = 20;

/** Resolves to the sale after that. Throws a TransientError while the platform cannot be read. */
export async function reconcileSale(saleId: string, deps: ReconciliationDeps): Promise<Sale> {
  const { payments, vivaFor, remainingMs } = deps;
  const sale = await existing(payments, 'sale', saleId);
  if (!isReconcilable(sale)) {
    return sale;
  }
  const viva = vivaFor(await accountOf(payments, sale), remainingMs);
  try {
    return sale.status === 'unconfirmed' ? await confirm(sale, viva, deps) : await reread(sale, viva, deps);
  } catch (error) {
    if (sale.status !== 'unconfirmed' || deps.now() < requestedMs(sale) + GIVE_UP_AFTER_MS) {
      throw error;
    }
    return payments.change('sale', saleId, (item) =>
      isReconcilable(item) && item.status === 'unconfirmed'
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

/** As `reconcileSale`, with records that were read already, for example the list of a day. */
export async function reconcileSaleBy(
  sale: Sale,
  records: readonly TransactionRecord[],
  deps: ReconciliationDeps,
  evidence: Partial<SaleEvidence> = {},
): Promise<Sale> {
  const { payments, now } = deps;
  const proof = provePayment(expectedPayment(sale), records);
  const isLate = proof.of === 'payment' && saleReportedUnpaid(sale.status);
  const laterSales = isLate ? await laterSalesOf(sale, deps) : [];
  const reconciled = await payments.change('sale', sale.saleId, (item) => {
    const patch = isReconcilable(item) ? judged(item, { ...evidence, proof, laterSales }, now()) : undefined;
    return patch && { dueAt: iso(now()), ...patch };
  });
  await endUnchargeable(reconciled, deps);
  return reconciled;
}

/** Ends the additional charge of a sale for which nothing may be charged any more. */
async function endUnchargeable(sale: Sale, deps: ReconciliationDeps): Promise<void> {
  if (terminalEnded(sale.status) && !isChargeable(sale)) {
    await endAdditionalCharge(sale, deps);
  }
}

/** Whether the platform may know more about the sale than we do. */
function isReconcilable(sale: Sale): boolean {
  if (sale.requestedAt === undefined) {
    return false;
  }
  return sale.status === 'unconfirmed'
    ? sale.transactionId === undefined
    : saleReportedUnpaid(sale.status) || salePaid(sale.status) || sale.status === 'needs_review';
}

/** Reads the session, and if that proves nothing the list of transactions. */
async function confirm(sale: Sale, viva: Viva, deps: ReconciliationDeps): Promise<Sale> {
  const { now } = deps;
  const session = await viva.readSession(sale.saleId).catch(unreadable);
  const outcome = session?.state === 'finished' ? await sessionOutcome(sale, session, viva, now()) : undefined;
  if (session?.state === 'finished' && outcome !== undefined && (outcome.approved || outcome.proven)) {
    const { transactionId, receipt, call } = session;
    const entryOf = (event: string) => callEntry(now(), event, call, { sessionEventId: session.eventId });
    return write(sale, deps, (item) =>
      outcome.approved
        ? { transactionId, receipt, timeline: appended(item.timeline, entryOf('terminal.approved')) }
        : saleTransition(
            item,
            outcome.status,
            { transactionId, receipt, failure: outcome.failure },
            entryOf('terminal.refused'),
          ),
    );
  }
  const records = await searchTransactions(viva, sale.saleId, sale.requestedAt ?? sale.createdAt);
  return reconcileSaleBy(sale, records, deps, { reported: unprovenOf(outcome) });
}

/** A session that cannot be read proves as little as one that is not finished. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof TransientError)) {
    throw error;
  }
}

function unprovenOf(outcome: SessionOutcome | undefined): SaleEvidence['reported'] {
  return outcome?.approved === false ? outcome : undefined;
}

async function write(
  sale: Sale,
  deps: ReconciliationDeps,
  decide: (item: Sale) => Patch<'sale'> | undefined,
): Promise<Sale> {
  const { payments, now } = deps;
  const reconciled = await payments.change('sale', sale.saleId, (item) =>
    item.status === 'unconfirmed' && item.transactionId === undefined
      ? { dueAt: iso(now()), ...decide(item) }
      : undefined,
  );
  await endUnchargeable(reconciled, deps);
  return reconciled;
}

/** Reads the transaction of a paid sale by its id. Otherwise finds it by our reference and then reads it by its id. */
async function reread(sale: Sale, viva: Viva, deps: ReconciliationDeps): Promise<Sale> {
  const known = salePaid(sale.status) ? sale.transactionId : undefined;
  if (known !== undefined) {
    return reconcileSaleBy(sale, await readPayment(viva, known), deps);
  }
  const listed = await searchTransactions(viva, sale.saleId, sale.requestedAt ?? sale.createdAt);
  const proof = provePayment(expectedPayment(sale), listed);
  const found = 'record' in proof ? proof.record.transactionId : sale.transactionId;
  const records = found === undefined ? [] : await readPayment(viva, found).catch(notVisible);
  return reconcileSaleBy(sale, merged(listed, records), deps);
}

/**
 * The list may show a transaction before a read by id does, and the transaction that a failed session names may not
 * exist.
 */
function notVisible(error: unknown): [] {
  if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
    return [];
  }
  throw error;
}

/** Paid sales with the same terminal and amount after this one: the storefront may have sold again. */
async function laterSalesOf(sale: Sale, { payments }: ReconciliationDeps): Promise<readonly string[]> {
  const { merchantId, terminalId, amount, createdAt } = sale;
  const { items } = await payments.list('sale', {
    merchantId,
    createdFrom: createdAt,
    limit: MAX_LATER_SALES,
    where: { terminalId, amount },
  });
  return items.filter(({ saleId, status }) => saleId !== sale.saleId && salePaid(status)).map(({ saleId }) => saleId);
}

function requestedMs(sale: Sale): number {
  // mutant logic: only a sale that was requested is reconciled
  return Date.parse(sale.requestedAt ?? sale.createdAt);
}
