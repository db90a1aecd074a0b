/**
 * What a finished session means for the sale. A success must fit the request. A failure that names a transaction is
 * checked against that transaction, because the two can disagree and the transaction decides (docs/viva.md,
 * "Sessions").
 */
import { TransientError } from '../../flow/errors.ts';
import type { Failure, FailureCode } from '../../payments/failures.ts';
import type { Sale } from '../../payments/items.ts';
import { type SaleStatus, salePaid, terminalEnded } from '../../payments/lifecycle.ts';
import { appended, callEntry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import { terminalFailure } from '../../viva/outcomes.ts';
import type { Platform, Session } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { isTaken } from '../records/proof.ts';

type Finished = Extract<Session, { state: 'finished' }>;

export type SessionOutcome =
  | { readonly approved: true }
  | {
      readonly approved: false;
      /**
       * A technical failure that names no transaction proves nothing: the payment may have gone through all the same.
       */
      readonly proven: boolean;
      readonly status: SaleStatus;
      readonly failure: Failure;
    };

/** Whether the terminal's outcome is written down already. */
export function isDecided(sale: Sale): boolean {
  return sale.transactionId !== undefined || terminalEnded(sale.status);
}

/** The terminal approved, and the flow goes on from here. */
export function goesOn(sale: Sale): boolean {
  return salePaid(sale.status) || (sale.transactionId !== undefined && !terminalEnded(sale.status));
}

const unconfirmed = { status: 'unconfirmed', failure: { code: 'TERMINAL_NOT_ANSWERING' } } as const;

/** Writes down what a finished session says, unless that is done already. */
export async function recordSession(
  sale: Sale,
  session: Finished,
  platform: Platform,
  { payments, now }: Pick<ReconciliationDeps, 'payments' | 'now'>,
): Promise<Sale> {
  const outcome = await sessionOutcome(sale, session, platform, now());
  return payments.change('sale', sale.saleId, (item) => {
    if (isDecided(item)) {
      return undefined;
    }
    const done = { taskToken: undefined, transactionId: session.transactionId, receipt: session.receipt };
    const entryOf = (event: string) =>
      callEntry(now(), event, session.call, { sessionEventId: session.eventId, success: session.success });
    if (outcome.approved) {
      return { ...done, timeline: appended(item.timeline, entryOf('terminal.approved')) };
    }
    const { status, failure } = outcome.proven ? outcome : unconfirmed;
    return saleTransition(item, status, { ...done, failure }, entryOf(`terminal.${status}`));
  });
}

/** Throws a TransientError while the transaction of a failed session cannot be read for certain. */
export async function sessionOutcome(
  sale: Sale,
  session: Finished,
  platform: Platform,
  now: number,
): Promise<SessionOutcome> {
  if (session.success) {
    const code = mismatch(sale, session);
    return code === undefined
      ? { approved: true }
      : { approved: false, proven: true, status: 'needs_review', failure: { code } };
  }
  if (session.transactionId !== undefined && (await isPaid(session.transactionId, sale, platform, now))) {
    return { approved: true };
  }
  const code = reasonOf(sale, session);
  const reason = session.transactionEventId || session.eventId;
  return {
    approved: false,
    proven: session.transactionId !== undefined || (code !== 'TERMINAL_ERROR' && code !== 'TERMINAL_OFFLINE'),
    status: endStatus(code),
    failure: { code, platform: { status: session.call.status, eventId: String(reason) } },
  };
}

function mismatch(sale: Sale, session: Finished): FailureCode | undefined {
  if (session.transactionId === undefined) {
    return 'TRANSACTION_UNREADABLE';
  }
  if (session.amount !== sale.amount || session.currency !== sale.currency) {
    return 'AMOUNT_MISMATCH';
  }
  return session.terminalId === sale.terminalId ? undefined : 'TERMINAL_MISMATCH';
}

/** Until the sale's deadline a transaction may still become visible or finish; after it the session's word stands. */
async function isPaid(transactionId: string, sale: Sale, platform: Platform, now: number): Promise<boolean> {
  const undecided = now < Date.parse(sale.deadlineAt ?? '');
  try {
    const { record } = await platform.readTransaction(transactionId);
    if (record.statusId === 'A' && undecided) {
      throw new TransientError('TRANSACTION_NOT_FINISHED', 'the transaction of a failed session is not finished');
    }
    return isTaken(record); // the flow reads it again, and sees what was given back
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE' && !undecided) {
      return false;
    }
    throw error;
  }
}

/** An abort that the till did not request was ours, at the deadline. */
function reasonOf(sale: Sale, session: Finished): FailureCode {
  const code = terminalFailure(session.eventId, session.transactionEventId);
  return code === 'SALE_ABORTED' && sale.abortRequestedAt === undefined ? 'TERMINAL_TIMED_OUT' : code;
}

function endStatus(code: FailureCode): SaleStatus {
  switch (code) {
    case 'SALE_ABORTED':
    case 'CANCELLED_ON_TERMINAL':
      return 'cancelled';
    case 'TERMINAL_TIMED_OUT':
      return 'expired';
    default:
      return code.startsWith('TERMINAL_') ? 'failed' : 'declined';
  }
}
