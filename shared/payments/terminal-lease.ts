/** The lease of a terminal: one open sale has the terminal for itself. */

import type { Sale } from './items/sale.ts';
import type { Payments } from './store.ts';
import { iso } from './time.ts';

/**
 * How long an unconfirmed sale keeps its terminal after its request. A request takes at most 20 seconds, and a terminal
 * waits about 60 seconds for a card (docs/viva.md, "Terminal sales"). 40 seconds are a reserve.
 */
const HELD_AFTER_REQUEST_MS = 120_000;

export function terminalLeaseId(merchantId: string, terminalId: string): string {
  return `${merchantId}#${terminalId}`;
}

/** Ends the sale's lease. Safe to run twice. A lease of another sale stays as it is. */
export async function releaseTerminal(payments: Payments, sale: Sale, now: number): Promise<void> {
  const id = terminalLeaseId(sale.merchantId, sale.terminalId);
  const leasedUntil = iso(now);
  await payments.change('terminal-lease', id, (lease) =>
    lease.saleId === sale.saleId && lease.leasedUntil > leasedUntil ? { leasedUntil } : undefined,
  );
}

/**
 * Until when an unconfirmed sale keeps its terminal, because the sale may still appear there. Undefined if the platform
 * confirmed that the terminal stops or that the session is over, and for every other status.
 */
export function terminalHeldUntil({ status, requestedAt, terminalStoppedAt, transactionId }: Sale): string | undefined {
  const mayAppear = status === 'unconfirmed' && terminalStoppedAt === undefined && transactionId === undefined;
  return mayAppear && requestedAt !== undefined ? iso(Date.parse(requestedAt) + HELD_AFTER_REQUEST_MS) : undefined;
}
