/**
 * Finds the platform's records of one of our payments: by its id, or in the list of a day by the id at the end of its
 * reference. Lists are by days in Athens. Around midnight there, two days are read.
 */

import { TransientError } from '../../flow/errors.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { athensDay } from '../../viva/athens.ts';
import type { DayList, Platform, PlatformFor, TransactionRecord } from '../../viva/viva.ts';
import { idOf, isReferenced } from './proof.ts';

/** From our request to the platform's transaction: how far the two clocks, and the payer, may be apart. */
const LONGEST_PAYMENT_MS = 30 * MINUTE_MS;

/** What carries our id, and its children whatever they carry. */
export async function searchTransactions(
  platform: Platform,
  id: string,
  requestedAt: string,
): Promise<readonly TransactionRecord[]> {
  const from = Date.parse(requestedAt);
  const days = new Set([athensDay(from), athensDay(from + LONGEST_PAYMENT_MS)]);
  const lists: DayList[] = [];
  for (const day of days) {
    lists.push(await platform.listDay(day));
  }
  if (lists.some(({ unreadable }) => unreadable.some((merchantTrns) => isReferenced({ merchantTrns }, id)))) {
    throw new TransientError('RECORD_UNREADABLE', 'a record of this payment is not as documented');
  }
  return familyOf(
    lists.flatMap(({ records }) => records),
    id,
  );
}

export async function readPayment(platform: Platform, transactionId: string): Promise<readonly TransactionRecord[]> {
  return withChildren((await platform.readTransaction(transactionId)).record, platform);
}

/** A transaction and, where its status says that it has any, its children: they share its order. */
export async function withChildren(
  record: TransactionRecord,
  platform: Platform,
): Promise<readonly TransactionRecord[]> {
  const hasChildren = /^(C|R|X|ML)$/.test(record.statusId);
  if (!hasChildren || record.orderCode === undefined) {
    return [record];
  }
  const { records } = await platform.listOrderTransactions(record.orderCode);
  return merged(records, [record]);
}

/** Each transaction once; of two readings of one the latter counts. */
export function merged(...readings: readonly (readonly TransactionRecord[])[]): readonly TransactionRecord[] {
  return [...new Map(readings.flat().map((record) => [idOf(record), record])).values()];
}

/** The platform, with a cache of the lists of days: a run reads each list once. */
export function keepingDays(platformFor: PlatformFor): PlatformFor {
  const kept = new Map<string, Promise<DayList>>();
  return (account, remainingMs) => {
    const platform = platformFor(account, remainingMs);
    const listDay = (day: string) => {
      const key = `${account.merchantId} ${day}`;
      const list = kept.get(key) ?? platform.listDay(day);
      kept.set(key, list);
      return list;
    };
    return { ...platform, listDay };
  };
}

/** The records that carry the id, and whatever names one of them as its parent. */
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
