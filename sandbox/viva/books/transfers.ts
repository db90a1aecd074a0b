/** Bank transfers to RF Payment Codes, as the payer's bank keeps them. */
import type { Transaction } from './transactions.ts';

export interface Transfer {
  readonly transferId: string;
  readonly transaction: Transaction;
  returned: boolean;
}
