/** Ends a sale whose part of the flow stopped: its status, its card, its additional charge, its terminal. */
import type { FailureCode } from '../failures.ts';
import type { Sale } from '../items.ts';
import { type SaleStatus, salePaid, terminalEnded } from '../lifecycle.ts';
import { chargeEndedUnsent, saleMoved } from '../moves.ts';
import type { Patch } from '../payments.ts';
import { releaseTerminal } from '../terminal-lease.ts';
import { appended, entry } from '../timeline.ts';
import type { ClosingDeps, Stopped } from './stopped.ts';

export async function closeSale(saleId: string, where: Stopped, { payments, now }: ClosingDeps): Promise<void> {
  const sale = await payments.change('sale', saleId, (item) => ended(item, where, now()));
  await closeAdditionalCharge(sale, { payments, now });
  if (sale.status !== 'unconfirmed') {
    await releaseTerminal(payments, sale, now()); // until when an unconfirmed one keeps it follows from the sale
  }
}

function ended(sale: Sale, { state, error }: Stopped, at: number): Patch<'sale'> | undefined {
  const stopped = entry(at, 'flow.stopped', { state, error });
  if (salePaid(sale.status)) {
    return sale.tokenization.status === 'pending'
      ? {
          tokenization: { status: 'refused', code: 'TOKENIZATION_UNAVAILABLE' },
          timeline: appended(sale.timeline, stopped),
        }
      : undefined;
  }
  if (terminalEnded(sale.status)) {
    return undefined;
  }
  const end = (to: SaleStatus, code: FailureCode) =>
    saleMoved(sale, to, { failure: { code }, taskToken: undefined }, stopped);
  if (sale.transactionId !== undefined) {
    return end('needs_review', 'TRANSACTION_UNREADABLE');
  }
  return sale.requestedAt === undefined
    ? end('expired', 'SALE_NOT_SENT')
    : end('unconfirmed', 'TERMINAL_NOT_ANSWERING');
}

/**
 * An additional charge does not outlive the sale it belongs to: with no stored card there is nothing to charge. It waits
 * for a sale that is not settled yet.
 */
export async function closeAdditionalCharge(sale: Sale, { payments, now }: ClosingDeps): Promise<void> {
  if (sale.chargeId === undefined || sale.status === 'unconfirmed') {
    return;
  }
  const code = reasonNotToStart(sale);
  const to = salePaid(sale.status) && code !== 'CHARGE_WITHDRAWN' ? 'failed' : 'cancelled';
  await payments.change('charge', sale.chargeId, (charge) =>
    chargeEndedUnsent(charge, to, { code }, entry(now(), 'charge.not_started', { code })),
  );
}

function reasonNotToStart(sale: Sale): FailureCode {
  if (sale.abortRequestedAt !== undefined) {
    return 'CHARGE_WITHDRAWN';
  }
  if (salePaid(sale.status)) {
    return sale.tokenization.code ?? 'TOKENIZATION_UNAVAILABLE';
  }
  return unpaidReason(sale);
}

/** Why nothing is charged on top of a sale that is not paid. */
export function unpaidReason({ status }: Sale): FailureCode {
  switch (status) {
    case 'needs_review':
      return 'SALE_IN_REVIEW';
    case 'reversed':
      return 'SALE_REVERSED';
    default:
      return 'SALE_NOT_PAID';
  }
}
