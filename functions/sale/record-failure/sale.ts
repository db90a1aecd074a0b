/** Ends a sale whose part of the flow stopped: its status, its card, its additional charge, its terminal. */
import type { FailureCode } from '../../../shared/failures.ts';
import type { Sale } from '../../../shared/items.ts';
import { salePaid, terminalEnded } from '../../../shared/lifecycle.ts';
import { chargeEndedUnsent, saleMoved } from '../../../shared/moves.ts';
import type { Patch } from '../../../shared/payments.ts';
import { releaseTerminal } from '../../../shared/terminal-lease.ts';
import { appended, entry } from '../../../shared/timeline.ts';
import type { Caught, RecordFailureDeps } from './step.ts';

export async function closeSale(saleId: string, caught: Caught, { payments, now }: RecordFailureDeps): Promise<void> {
  const sale = await payments.change('sale', saleId, (item) => ended(item, caught, now()));
  await closeAdditionalCharge(sale, { payments, now });
  await releaseTerminal(payments, sale, now());
}

function ended(sale: Sale, { state, error }: Caught, at: number): Patch<'sale'> | undefined {
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
  return sale.requestedAt === undefined
    ? saleMoved(sale, 'expired', { failure: { code: 'SALE_NOT_SENT' }, taskToken: undefined }, stopped)
    : saleMoved(sale, 'needs_review', { failure: { code: reviewCode(sale) }, taskToken: undefined }, stopped);
}

function reviewCode(sale: Sale): FailureCode {
  return sale.transactionId === undefined ? 'TERMINAL_NOT_ANSWERING' : 'TRANSACTION_UNREADABLE';
}

/** An additional charge does not outlive the sale it belongs to: with no stored card there is nothing to charge. */
async function closeAdditionalCharge(sale: Sale, { payments, now }: RecordFailureDeps): Promise<void> {
  if (sale.chargeId === undefined) {
    return;
  }
  const paid = salePaid(sale.status);
  const code: FailureCode = paid ? (sale.tokenization.code ?? 'TOKENIZATION_UNAVAILABLE') : 'SALE_NOT_PAID';
  const withdrawn = sale.abortRequestedAt !== undefined;
  await payments.change('charge', sale.chargeId, (charge) =>
    chargeEndedUnsent(
      charge,
      paid && !withdrawn ? 'failed' : 'cancelled',
      { code: withdrawn ? 'SALE_ABORTED' : code },
      entry(now(), 'charge.not_started', { code }),
    ),
  );
}
