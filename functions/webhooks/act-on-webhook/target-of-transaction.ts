/**
 * Finds the item that a transaction is about by the platform's own records. A child, such as a refund made in the
 * platform's portal, may carry no reference of ours; then its parents are read.
 */
import { TransientError } from '../../../shared/flow/errors.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import { idAtEndOf } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import type { Platform, TransactionRecord } from '../../../shared/viva/viva.ts';
import { type Target, targetOf } from './target.ts';

/** The longest chain: a refund of a capture of a pre-authorization. */
const GENERATIONS = 3;

export type Found =
  | { readonly of: 'ours'; readonly target: Target; readonly record: TransactionRecord }
  | { readonly of: 'other' }
  /** Not visible yet, or not of this account. */
  | { readonly of: 'hidden' };

/**
 * Reads the platform once per generation. Throws what the platform's client throws, except for a transaction that is
 * not visible.
 */
export async function targetOfTransaction(
  transactionId: string,
  recipient: Webhook['recipient'],
  payments: Payments,
  platform: Platform,
): Promise<Found> {
  let next: string | undefined = transactionId;
  try {
    for (let generation = 0; generation < GENERATIONS && next !== undefined; generation++) {
      const { record } = await platform.readTransaction(next);
      const subject = idAtEndOf(record.merchantTrns ?? '') ?? record.orderCode;
      const target = subject === undefined ? undefined : await targetOf(subject, payments);
      if (target?.item.merchantId === recipient) {
        return { of: 'ours', target, record };
      }
      next = record.parentId;
    }
    return { of: 'other' };
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
      return { of: 'hidden' };
    }
    throw error;
  }
}
