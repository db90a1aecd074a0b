/**
 * Asks the terminal of a sale to stop. Safe to run twice and at the same time: one attempt wins the conditional write
 * and asks. It is repeated until the platform accepts the abort, because an abort may be lost, and a session that does
 * not exist yet cannot be aborted. The answer decides nothing. The session decides.
 */

import { FlowError } from '../../flow/errors.ts';
import type { Sale } from '../../payments/items.ts';
import type { Patch, Payments } from '../../payments/store.ts';
import { iso } from '../../payments/time.ts';
import { appended, callEntry, entry } from '../../payments/timeline.ts';
import type { Platform } from '../../viva/viva.ts';
import { isDecided } from './session.ts';

/** Longer than an attempt waits for the answer. */
const ASK_AGAIN_AFTER_MS = 6_000;

interface StopDeps {
  readonly payments: Payments;
  readonly now: () => number;
}

export async function askToStop({ saleId }: Sale, platform: Platform, { payments, now }: StopDeps): Promise<void> {
  const { item, won } = await payments.claim('sale', saleId, (sale) => claimed(sale, now()));
  if (!won) {
    return;
  }
  try {
    const { accepted, call } = await platform.abortSession(saleId, item.cashRegisterId);
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
  const isDue = last === undefined || Date.parse(last) + ASK_AGAIN_AFTER_MS <= at;
  return isDue && terminalStoppedAt === undefined && !isDecided(sale) ? { abortSentAt, abortTriedAt } : undefined;
}
