/**
 * Settles a sale from what the platform proves, after the flow could not: a terminal that does not answer, a payment that
 * could not be read, a refusal that a payment overtook.
 *
 * Running twice, or beside the flow, is safe: it reads, and every write is a move up the lattice. An `unconfirmed` sale
 * whose payment is found gets its transaction here and goes on through the flow from there, which confirms it as always;
 * one that ended already is `paid` and stays there, because its flow is over.
 */
import { closeAdditionalCharge } from '../closing/sale.ts';
import { TransientError } from '../errors.ts';
import type { Sale } from '../items.ts';
import { salePaid } from '../lifecycle.ts';
import { saleMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import type { Platform, TransactionRecord } from '../platform/platform.ts';
import { accountOf, existing } from '../subjects.ts';
import { appended, callEntry, entry } from '../timeline.ts';
import { mismatchOf } from './match.ts';
import { searchTransactions } from './search.ts';
import { sessionOutcome } from './session.ts';
import type { SettlementDeps } from './settlement.ts';

const MINUTE_MS = 60_000;
/** A terminal has a minute for its payment, the platform two until its list shows it; this is far beyond both. */
const ABSENT_AFTER_MS = 17 * MINUTE_MS;
/** The same for a session that is over: nothing more can happen to it, only the list may lag. */
const ABSENT_AFTER_SESSION_MS = 5 * MINUTE_MS;
/** So long nothing could be read: a person decides. */
const GIVE_UP_AFTER_MS = 60 * MINUTE_MS;

export async function settleSale(saleId: string, deps: SettlementDeps): Promise<Sale> {
  const { payments, platformFor, remainingMs } = deps;
  const sale = await existing(payments, 'sale', saleId);
  if (!isQuestion(sale)) {
    return sale;
  }
  const platform = platformFor(await accountOf(payments, sale), remainingMs);
  if (sale.status !== 'unconfirmed') {
    return overtake(sale, platform, deps);
  }
  try {
    return await confirm(sale, platform, deps);
  } catch (error) {
    if (deps.now() < requestedMs(sale) + GIVE_UP_AFTER_MS) {
      throw error;
    }
    return payments.change('sale', saleId, (item) =>
      item.transactionId === undefined
        ? saleMoved(
            item,
            'needs_review',
            { failure: { code: 'TERMINAL_NOT_ANSWERING' } },
            entry(deps.now(), 'terminal.unknown'),
          )
        : undefined,
    );
  }
}

/** Whether the platform may know more about the sale than we do. */
function isQuestion(sale: Sale): boolean {
  if (sale.requestedAt === undefined) {
    return false;
  }
  if (sale.status === 'unconfirmed') {
    return sale.transactionId === undefined;
  }
  const inReview = sale.failure?.code === 'TRANSACTION_UNREADABLE' || sale.failure?.code === 'TERMINAL_NOT_ANSWERING';
  return endedUnpaid(sale) || salePaid(sale.status) || inReview;
}

function endedUnpaid({ status }: Sale): boolean {
  return status === 'declined' || status === 'cancelled' || status === 'expired' || status === 'failed';
}

const timedOut = { status: 'expired', failure: { code: 'TERMINAL_TIMED_OUT' } } as const;

/** Asks the session and, while that tells nothing, the list of transactions. */
async function confirm(sale: Sale, platform: Platform, deps: SettlementDeps): Promise<Sale> {
  const { payments, now } = deps;
  const session = await platform.readSession(sale.saleId).catch(unreadable);
  const outcome = session?.state === 'finished' ? await sessionOutcome(sale, session, platform, now()) : undefined;
  if (session?.state === 'finished' && outcome !== undefined && (outcome.approved || outcome.proven)) {
    const { transactionId, receipt, call } = session;
    const told = (event: string) => callEntry(now(), event, call, { sessionEventId: session.eventId });
    return write(sale, deps, (item) =>
      outcome.approved
        ? { transactionId, receipt, timeline: appended(item.timeline, told('terminal.approved')) }
        : saleMoved(
            item,
            outcome.status,
            { transactionId, receipt, failure: outcome.failure },
            told('terminal.refused'),
          ),
    );
  }
  const paid = (await search(sale, platform)).find(({ statusId }) => statusId === 'F');
  if (paid !== undefined) {
    const { transactionId } = paid;
    const found = entry(now(), 'transaction.found', { transactionId });
    return write(sale, deps, (item) => ({ transactionId, timeline: appended(item.timeline, found) }));
  }
  const told = outcome?.approved === false ? outcome : undefined;
  if (now() < requestedMs(sale) + (told === undefined ? ABSENT_AFTER_MS : ABSENT_AFTER_SESSION_MS)) {
    return sale;
  }
  const { status, failure } = told ?? timedOut;
  const absent = entry(now(), 'transaction.absent');
  return write(sale, { payments, now }, (item) => saleMoved(item, status, { failure }, absent));
}

/** A session that cannot be read says as little as one that goes on. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof TransientError)) {
    throw error;
  }
}

async function write(
  sale: Sale,
  { payments, now }: Pick<SettlementDeps, 'payments' | 'now'>,
  decide: (item: Sale) => Patch<'sale'> | undefined,
): Promise<Sale> {
  const settled = await payments.change('sale', sale.saleId, (item) =>
    item.status === 'unconfirmed' && item.transactionId === undefined
      ? { dueAt: new Date(now()).toISOString(), ...decide(item) }
      : undefined,
  );
  if (endedUnpaid(settled)) {
    await closeAdditionalCharge(settled, { payments, now });
  }
  return settled;
}

/** Proof beats what was concluded without it. */
async function overtake(sale: Sale, platform: Platform, { payments, now }: SettlementDeps): Promise<Sale> {
  const known = endedUnpaid(sale) ? undefined : sale.transactionId;
  const record = known === undefined ? (await search(sale, platform))[0] : await readRecord(known, platform);
  if (record === undefined) {
    return sale;
  }
  const { transactionId, statusId } = record;
  const code = mismatchOf(sale, record);
  if (code !== undefined) {
    const differs = entry(now(), 'transaction.mismatch', { transactionId, code });
    return payments.change('sale', sale.saleId, (item) =>
      statusId === 'F' && endedUnpaid(item)
        ? saleMoved(item, 'needs_review', { failure: { code }, transactionId }, differs)
        : undefined,
    );
  }
  const seen = entry(now(), 'transaction.confirmed', { transactionId, statusId });
  return payments.change('sale', sale.saleId, (item) => {
    if (statusId === 'X' || statusId === 'R') {
      return salePaid(item.status) ? saleMoved(item, 'reversed', {}, seen) : undefined;
    }
    const tokenization = item.tokenize
      ? { status: 'refused' as const, code: 'TOKENIZATION_UNAVAILABLE' as const }
      : item.tokenization;
    return statusId === 'F' ? saleMoved(item, 'paid', { transactionId, tokenization }, seen) : undefined;
  });
}

async function readRecord(transactionId: string, platform: Platform): Promise<TransactionRecord> {
  return (await platform.readTransaction(transactionId)).record;
}

/** A paid one first. */
async function search(sale: Sale, platform: Platform): Promise<readonly TransactionRecord[]> {
  const found = await searchTransactions(platform, sale.saleId, sale.requestedAt ?? sale.createdAt);
  return found.toSorted((a, b) => Number(b.statusId === 'F') - Number(a.statusId === 'F'));
}

function requestedMs(sale: Sale): number {
  return Date.parse(sale.requestedAt ?? sale.createdAt);
}
