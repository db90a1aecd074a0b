/**
 * What a finished session means for its sale. A success must fit the sale. A failure that names a transaction is
 * checked against that transaction: the two may disagree, and the transaction decides (docs/viva.md, "Sessions").
 */
import { TransientError } from '../../flow/errors.ts';
import type { Failure, FailureCode } from '../../payments/failures.ts';
import type { Sale } from '../../payments/items/sale.ts';
import { type SaleStatus, salePaid, terminalEnded } from '../../payments/lifecycle.ts';
import { appended, callEntry } from '../../payments/timeline.ts';
import { saleTransition } from '../../payments/transitions.ts';
import type { TerminalFailure } from '../../viva/event-ids.ts';
import { terminalFailure } from '../../viva/outcomes.ts';
import type { Session, Viva } from '../../viva/viva.ts';
import type { ReconciliationDeps } from '../deps.ts';
import { isTaken } from '../records/proof.ts';

type Finished = Extract<Session, { state: 'finished' }>;

export type SessionOutcome =
  | { readonly approved: true }
  | {
      readonly approved: false;
      /** False for a technical failure that names no transaction: the payment may have been made. */
      readonly proven: boolean;
      readonly status: SaleStatus;
      readonly failure: Failure;
    };

/** Whether the terminal's outcome is stored already. */
export function isDecided(sale: Sale): boolean {
  return sale.transactionId !== undefined || terminalEnded(sale.status);
}

/** Whether the terminal approved and the execution continues. */
export function flowContinues(sale: Sale): boolean {
  return salePaid(sale.status) || (sale.transactionId !== undefined && !terminalEnded(sale.status));
}

const unconfirmed = { status: 'unconfirmed', failure: { code: 'TERMINAL_NOT_ANSWERING' } } as const;

/**
 * Stores the outcome of a finished session. Safe to run twice: a stored outcome stays as it is. Resolves to the sale
 * after that. Throws as `sessionOutcome`.
 */
export async function recordSession(
  sale: Sale,
  session: Finished,
  viva: Viva,
  { payments, now }: Pick<ReconciliationDeps, 'payments' | 'now'>,
): Promise<Sale> {
  const outcome = await sessionOutcome(sale, session, viva, now());
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
export async function sessionOutcome(sale: Sale, session: Finished, viva: Viva, now: number): Promise<SessionOutcome> {
  if (session.success) {
    const code = mismatch(sale, session);
    return code === undefined
      ? { approved: true }
      : { approved: false, proven: true, status: 'needs_review', failure: { code } };
  }
  if (session.transactionId !== undefined && (await isPaid(session.transactionId, sale, viva, now))) {
    return { approved: true };
  }
  const code = reasonOf(sale, session);
  const reason = session.transactionEventId || session.eventId;
  return {
    approved: false,
    proven: session.transactionId !== undefined || (code !== 'TERMINAL_ERROR' && code !== 'TERMINAL_OFFLINE'),
    status: endStatus[code],
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

/** Until the sale's deadline a transaction may still appear or finish. After it the session decides. */
async function isPaid(transactionId: string, sale: Sale, viva: Viva, now: number): Promise<boolean> {
  const undecided = now < Date.parse(sale.deadlineAt ?? '');
  try {
    const { record } = await viva.readTransaction(transactionId);
    if (record.statusId === 'A' && undecided) {
      throw new TransientError('TRANSACTION_NOT_FINISHED', 'the transaction of a failed session is not finished');
    }
    return isTaken(record); // the execution reads it again and finds refunds
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE' && !undecided) {
      return false;
    }
    throw error;
  }
}

/** An abort that the storefront did not request was sent by us at the deadline. */
function reasonOf(sale: Sale, session: Finished): TerminalFailure {
  const code = terminalFailure(session.eventId, session.transactionEventId);
  return code === 'SALE_ABORTED' && sale.abortRequestedAt === undefined ? 'TERMINAL_TIMED_OUT' : code;
}

const endStatus: Readonly<Record<TerminalFailure, SaleStatus>> = {
  SALE_ABORTED: 'cancelled',
  CANCELLED_ON_TERMINAL: 'cancelled',
  TERMINAL_TIMED_OUT: 'expired',
  TERMINAL_BUSY: 'failed',
  TERMINAL_ERROR: 'failed',
  TERMINAL_OFFLINE: 'failed',
  TERMINAL_REFUSED: 'failed',
  CARD_BLOCKED: 'declined',
  CARD_DECLINED: 'declined',
  CARD_EXPIRED: 'declined',
  CARD_INSUFFICIENT_FUNDS: 'declined',
  CARD_LIMIT_EXCEEDED: 'declined',
  CARD_NOT_READ: 'declined',
  CARD_WRONG_PIN: 'declined',
  ISSUER_UNAVAILABLE: 'declined',
};
