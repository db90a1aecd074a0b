/** Whether a transaction of the platform is the one that was asked for. */
import type { FailureCode } from '../failures.ts';
import type { TransactionRecord } from '../platform/platform.ts';

interface Asked {
  readonly merchantId: string;
  readonly amount: number;
  readonly currency: string;
}

export function mismatchOf(asked: Asked, record: TransactionRecord): FailureCode | undefined {
  if (ofOtherMerchant(asked, record)) {
    return 'MERCHANT_MISMATCH';
  }
  return record.amount === asked.amount && record.currency === asked.currency ? undefined : 'AMOUNT_MISMATCH';
}

export function ofOtherMerchant({ merchantId }: { readonly merchantId: string }, record: TransactionRecord): boolean {
  return record.merchantId !== undefined && record.merchantId.toLowerCase() !== merchantId.toLowerCase();
}
