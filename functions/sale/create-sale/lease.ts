/**
 * Takes the terminal for a sale: one open sale per terminal, refused by us before the terminal could be confused.
 *
 * Taking it again for the same sale is the same lease. Somebody else's lease may be taken over when its time has passed,
 * when its sale has an outcome at the terminal, when its sale never came to be or never left for the terminal, or when
 * nothing of an unconfirmed sale can appear on the terminal any more.
 */

import { Problem } from '../../../shared/api/problem.ts';
import type { Sale, TerminalLease } from '../../../shared/payments/items.ts';
import { terminalEnded } from '../../../shared/payments/lifecycle.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { terminalHeldUntil, terminalLeaseId } from '../../../shared/payments/terminal-lease.ts';
import { iso } from '../../../shared/payments/time.ts';

/** Longer than the longest session: sending, waiting, asking to stop, and the patience after that. */
const LEASE_MS = 420_000;
/** Longer than any function lives: what has not been written by then never is. */
const ORPHAN_AFTER_MS = 45_000;
/** Of a sale that may have its outcome at any moment. */
const RETRY_AFTER_MS = 5_000;

export interface LeaseRequest {
  readonly merchantId: string;
  readonly terminalId: string;
  readonly saleId: string;
}

export async function leaseTerminal(payments: Payments, request: LeaseRequest, now: number): Promise<void> {
  const { merchantId, terminalId, saleId } = request;
  const id = terminalLeaseId(merchantId, terminalId);
  const lease = {
    merchantId,
    terminalId,
    saleId,
    leasedAt: iso(now),
    leasedUntil: iso(now + LEASE_MS),
  };
  if (await payments.create('terminal-lease', id, lease, { listed: false })) {
    return;
  }
  const held = await payments.get('terminal-lease', id);
  const holder = held && (await payments.get('sale', held.saleId));
  const free = held !== undefined && isFree(held, holder, now);
  const current = await payments.change('terminal-lease', id, (item) =>
    free && item.saleId === held.saleId && item.leasedAt === held.leasedAt ? lease : undefined,
  );
  if (current.saleId !== saleId) {
    const isKnown = current.saleId === holder?.saleId;
    throw new Problem(
      'TERMINAL_IN_USE',
      'Another sale holds the terminal. Wait until the sale in saleId has ended, or abort it.',
      {
        headers: { 'Retry-After': retryAfter(current, isKnown ? holder : undefined, now) },
        members: { saleId: current.saleId },
      },
    );
  }
}

function isFree(held: TerminalLease, sale: Sale | undefined, now: number): boolean {
  if (Date.parse(held.leasedUntil) <= now) {
    return true;
  }
  if (sale === undefined) {
    return Date.parse(held.leasedAt) + ORPHAN_AFTER_MS <= now;
  }
  return terminalEnded(sale.status) || neverSent(sale, now) || isGone(sale, now) || sale.terminalId !== held.terminalId;
}

/** Its execution could not be started in time, and nothing is sent to the terminal later. */
function neverSent({ status, requestedAt, sendBefore }: Sale, now: number): boolean {
  return status === 'created' && requestedAt === undefined && Date.parse(sendBefore) + ORPHAN_AFTER_MS <= now;
}

function isGone(sale: Sale, now: number): boolean {
  const heldUntil = terminalHeldUntil(sale);
  return sale.status === 'unconfirmed' && (heldUntil === undefined || Date.parse(heldUntil) <= now);
}

/** Whole seconds: for an unconfirmed sale those that its terminal is held; nothing frees it earlier but its abort. */
function retryAfter({ leasedUntil }: TerminalLease, holder: Sale | undefined, now: number): string {
  const heldUntil = holder && terminalHeldUntil(holder);
  const ms = Math.min(heldUntil ? Date.parse(heldUntil) - now : RETRY_AFTER_MS, Date.parse(leasedUntil) - now);
  return String(Math.max(1, Math.ceil(ms / 1000)));
}
