/**
 * Finds the platform's records of a payment of ours: by its id, or in the list of a day by our id at the end of its
 * reference. Days are in Athens time (docs/viva.md, "Transactions"), so around midnight two lists are read. Only reads.
 */

import { TransientError } from '../../flow/errors.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { athensDay } from '../../viva/athens.ts';
import type { DayList, TransactionRecord, Viva, VivaFor } from '../../viva/viva.ts';
import { idOf, isReferenced } from './proof.ts';

/** The longest time from our request to the transaction, with the payer's time and clocks that differ. */
const LONGEST_PAYMENT_MS = 30 * MINUTE_MS;

/**
 * Finds the records whose reference ends with `id`, and all their children. Throws a TransientError RECORD_UNREADABLE if
 * one of them cannot be read, because nothing can be concluded without it.
 */
export async function searchTransactions(
  viva: Viva,
  id: string,
  requestedAt: string,
): Promise<readonly TransactionRecord[]> {
  const from = Date.parse(requestedAt);
  const days = new Set([athensDay(from), athensDay(from + LONGEST_PAYMENT_MS)]);
  const lists: DayList[] = [];
  for (const day of days) {
    lists.push(await viva.listDay(day));
  }
  if (lists.some(({ unreadable }) => unreadable.some((merchantTrns) => isReferenced({ merchantTrns }, id)))) {
    throw new TransientError('RECORD_UNREADABLE', 'a record of this payment is not as documented');
  }
  return familyOf(
    lists.flatMap(({ records }) => records),
    id,
  );
}

/** Reads a transaction by its id, with its children. */
export async function readPayment(viva: Viva, transactionId: string): Promise<readonly TransactionRecord[]> {
  return withChildren((await viva.readTransaction(transactionId)).record, viva);
}

/** The transaction and its children, which have the same order. Reads them only if the status says that there are any. */
export async function withChildren(record: TransactionRecord, viva: Viva): Promise<readonly TransactionRecord[]> {
  const hasChildren = /^(C|R|X|ML)$/.test(record.statusId);
  if (!hasChildren || record.orderCode === undefined) {
    return [record];
  }
  const { records } = await viva.listOrderTransactions(record.orderCode);
  return merged(records, [record]);
}

/** Each transaction once. A later reading replaces an earlier one. */
export function merged(...readings: readonly (readonly TransactionRecord[])[]): readonly TransactionRecord[] {
  return [...new Map(readings.flat().map((record) => [idOf(record), record])).values()];
}

/** A platform that keeps the lists of days, so that each list is read once per run. */
export function keepingDays(vivaFor: VivaFor): VivaFor {
  const kept = new Map<string, Promise<DayList>>();
  return (account, remainingMs) => {
    const viva = vivaFor(account, remainingMs);
    const listDay = (day: string) => {
      const key = `${account.merchantId} ${day}`;
      const list = kept.get(key) ?? viva.listDay(day);
      kept.set(key, list);
      return list;
    };
    return { ...viva, listDay };
  };
}

/** The records whose reference ends with the id, with their children, and the children of these. */
export function familyOf(records: readonly TransactionRecord[], id: string): readonly TransactionRecord[] {
  const family = new Set(records.filter((record) => isReferenced(record, id)));
  for (let size = -1; size !== family.size; ) {
    size = family.size;
    const ids = new Set([...family].map(({ transactionId }) => transactionId.toLowerCase()));
    for (const record of records) {
      if (record.parentId !== undefined && ids.has(record.parentId.toLowerCase())) {
        family.add(record);
      }
    }
  }
  return [...family];
}
