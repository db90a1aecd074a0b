/**
 * Ends a sale after its execution stopped: its status, the storing of its card, its additional charge and its terminal
 * lease. Safe to run twice: what ended already stays as it is.
 */

import type { EndDeps, SourceState, Stopped } from '../../flow/stopped.ts';
import type { FailureCode } from '../../payments/failures.ts';
import type { Sale } from '../../payments/items/sale.ts';
import { type SaleStatus, saleMoney, salePaid, terminalEnded } from '../../payments/lifecycle.ts';
import type { Patch } from '../../payments/store.ts';
import { releaseTerminal } from '../../payments/terminal-lease.ts';
import { HOUR_MS } from '../../payments/time.ts';
import { appended, entry } from '../../payments/timeline.ts';
import { chargeEndedUnsent, saleTransition } from '../../payments/transitions.ts';

/**
 * A review may end by itself within a day (`reconciledUntil`). The additional charge waits for it in the first hour
 * only.
 */
const CHARGE_NOT_LATER_MS = 23 * HOUR_MS;

export async function endSale(saleId: string, where: Stopped<SourceState>, { payments, now }: EndDeps): Promise<void> {
  const sale = await payments.change('sale', saleId, (item) => ended(item, where, now()));
  await endAdditionalCharge(sale, { payments, now });
  if (sale.status !== 'unconfirmed') {
    await releaseTerminal(payments, sale, now()); // an unconfirmed sale keeps its terminal, see terminalHeldUntil
  }
}

function ended(sale: Sale, { state, error }: Stopped<SourceState>, at: number): Patch<'sale'> | undefined {
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
    saleTransition(sale, to, { failure: { code }, taskToken: undefined }, stopped);
  if (sale.transactionId !== undefined) {
    return end('needs_review', 'TRANSACTION_UNREADABLE');
  }
  return sale.requestedAt === undefined
    ? end('expired', 'SALE_NOT_SENT')
    : end('unconfirmed', 'TERMINAL_NOT_ANSWERING');
}

/**
 * Ends the additional charge of the sale if it was not sent: without a stored card there is nothing to charge. Does
 * nothing while the sale may still be paid. Safe to run twice.
 */
export async function endAdditionalCharge(sale: Sale, { payments, now }: EndDeps): Promise<void> {
  if (sale.chargeId === undefined || mayStillBePaid(sale, now())) {
    return;
  }
  const code = reasonNotToStart(sale);
  const to = isChargeable(sale) && code !== 'CHARGE_WITHDRAWN' ? 'failed' : 'cancelled';
  await payments.change('charge', sale.chargeId, (charge) =>
    chargeEndedUnsent(charge, to, { code }, entry(now(), 'charge.not_started', { code })),
  );
}

/**
 * Whether the sale may still be paid soon enough for its additional charge: it is unconfirmed, or in review for under
 * an hour.
 */
export function mayStillBePaid({ status, reconciledUntil = '' }: Sale, now: number): boolean {
  return (
    status === 'unconfirmed' || (status === 'needs_review' && now < Date.parse(reconciledUntil) - CHARGE_NOT_LATER_MS)
  );
}

function reasonNotToStart(sale: Sale): FailureCode {
  if (sale.abortRequestedAt !== undefined) {
    return 'CHARGE_WITHDRAWN';
  }
  return isChargeable(sale) ? (sale.tokenization.code ?? 'TOKENIZATION_UNAVAILABLE') : unpaidReason(sale);
}

/** Whether the sale is paid and was never reported as unpaid. Nothing more is charged for any other sale. */
export function isChargeable({ status, foundLate }: Sale): boolean {
  return salePaid(status) && foundLate === undefined;
}

/** Why the additional charge of a sale that is not chargeable is not started. */
export function unpaidReason({ status }: Pick<Sale, 'status'>): FailureCode {
  switch (saleMoney(status)) {
    case 'unknown':
      return 'SALE_IN_REVIEW';
    case 'given_back':
      return 'SALE_REVERSED';
    case 'open':
    case 'none':
    case 'held':
    case 'taken':
      return 'SALE_NOT_PAID';
  }
}
