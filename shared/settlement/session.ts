/**
 * What a finished session means for the sale. A success must fit what was asked; a failure that names a transaction is
 * checked against that transaction, because the two have been seen to disagree and the transaction decides.
 */
import { TransientError } from '../errors.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { Sale } from '../items.ts';
import type { SaleStatus } from '../lifecycle.ts';
import { terminalFailure } from '../platform/errors.ts';
import type { Platform, Session } from '../platform/platform.ts';

type Finished = Extract<Session, { state: 'finished' }>;

export type SessionOutcome =
  | { readonly approved: true }
  | { readonly approved: false; readonly status: SaleStatus; readonly failure: Failure };

export async function sessionOutcome(sale: Sale, session: Finished, platform: Platform): Promise<SessionOutcome> {
  if (session.success) {
    const code = mismatch(sale, session);
    return code === undefined ? { approved: true } : { approved: false, status: 'needs_review', failure: { code } };
  }
  if (session.transactionId !== undefined && (await isPaid(session.transactionId, platform))) {
    return { approved: true };
  }
  const code = reasonOf(sale, session);
  const reason = session.transactionEventId ?? session.eventId;
  return {
    approved: false,
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

async function isPaid(transactionId: string, platform: Platform): Promise<boolean> {
  try {
    return (await platform.readTransaction(transactionId)).record.statusId === 'F';
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
      return false; // the session's word stands, and proof may still overtake it
    }
    throw error;
  }
}

/** An abort nobody at the till asked for was ours, at the deadline. */
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
