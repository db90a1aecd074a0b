/**
 * Looks for a payment of ours in the platform's list of transactions, by the id that its reference ends with. The list is
 * by days in Athens: around midnight there two days are asked for.
 */
import { athensDay } from '../platform/athens.ts';
import type { Platform, TransactionRecord } from '../platform/platform.ts';

/** From our request to the platform's transaction: how far the two clocks, and the payer, may be apart. */
const LONGEST_PAYMENT_MS = 30 * 60_000;

export async function searchTransactions(
  platform: Platform,
  id: string,
  requestedAt: string,
): Promise<readonly TransactionRecord[]> {
  const from = Date.parse(requestedAt);
  const days = new Set([athensDay(from), athensDay(from + LONGEST_PAYMENT_MS)]);
  const found = [];
  for (const day of days) {
    found.push(...(await platform.findTransactions(day, id)).records);
  }
  return found;
}
