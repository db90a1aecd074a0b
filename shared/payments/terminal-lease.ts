/** The lease that keeps a terminal to one open sale. Releasing twice, or somebody else's, changes nothing. */

import type { Sale } from './items.ts';
import type { Payments } from './store.ts';
import { iso } from './time.ts';

/**
 * How long an unconfirmed sale keeps its terminal, from its request on. A request is over 20 seconds after it was written
 * down, and a terminal waits a minute for a card: what came in time is over by then, with 40 seconds to spare.
 */
const HELD_AFTER_REQUEST_MS = 120_000;

export function terminalLeaseId(merchantId: string, terminalId: string): string {
  return `${merchantId}#${terminalId}`;
}

export async function releaseTerminal(payments: Payments, sale: Sale, now: number): Promise<void> {
  const id = terminalLeaseId(sale.merchantId, sale.terminalId);
  const leasedUntil = iso(now);
  await payments.change('terminal-lease', id, (lease) =>
    lease.saleId === sale.saleId && lease.leasedUntil > leasedUntil ? { leasedUntil } : undefined,
  );
}

/**
 * Until when an unconfirmed sale keeps its terminal: something of it may still appear there, unless the platform said that
 * the terminal stops, or that the session is over. Undefined for a sale with any other status.
 */
export function terminalHeldUntil({ status, requestedAt, terminalStoppedAt, transactionId }: Sale): string | undefined {
  const mayAppear = status === 'unconfirmed' && terminalStoppedAt === undefined && transactionId === undefined;
  return mayAppear && requestedAt !== undefined ? iso(Date.parse(requestedAt) + HELD_AFTER_REQUEST_MS) : undefined;
}
