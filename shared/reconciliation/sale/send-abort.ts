/**
 * Sends an abort to the terminal of a sale. Safe to run twice and at the same time: one attempt wins the write that claims
 * it, and the others do nothing. The abort is sent again until the platform accepts it, because it may be lost, or may come
 * before the session exists. Its answer decides nothing: the session does.
 */

import { FlowError } from '../../flow/errors.ts';
import type { Sale } from '../../payments/items/sale.ts';
import type { Patch, Payments } from '../../payments/store.ts';
import { iso } from '../../payments/time.ts';
import { appended, callEntry, entry } from '../../payments/timeline.ts';
import type { Viva } from '../../viva/viva.ts';
import { isDecided } from './session.ts';

/** Longer than the time-out of the request. */
const SEND_AGAIN_AFTER_MS = 6_000;

interface StopDeps {
  readonly payments: Payments;
  readonly now: () => number;
}

export async function sendAbort({ saleId }: Sale, viva: Viva, { payments, now }: StopDeps): Promise<void> {
  const { item, won } = await payments.claim('sale', saleId, (sale) => claimed(sale, now()));
  if (!won) {
    return;
  }
  try {
    const { accepted, call } = await viva.abortSession(saleId, item.cashRegisterId);
    await payments.change('sale', saleId, (item) => ({
      ...(accepted && { terminalStoppedAt: iso(now()) }),
      timeline: appended(item.timeline, callEntry(now(), 'terminal.abort_sent', call, { accepted })),
    }));
  } catch (error) {
    if (!(error instanceof FlowError)) {
      throw error;
    }
    const { code } = error;
    await payments.change('sale', saleId, (item) => ({
      timeline: appended(item.timeline, entry(now(), 'terminal.abort_unanswered', { code })),
    }));
  }
}

function claimed(sale: Sale, at: number): Patch<'sale'> | undefined {
  const abortTriedAt = iso(at);
  const { abortSentAt = abortTriedAt, abortTriedAt: last, terminalStoppedAt } = sale;
  const isDue = last === undefined || Date.parse(last) + SEND_AGAIN_AFTER_MS <= at;
  return isDue && terminalStoppedAt === undefined && !isDecided(sale) ? { abortSentAt, abortTriedAt } : undefined;
}
