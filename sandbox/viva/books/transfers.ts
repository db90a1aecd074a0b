/** Bank transfers that reached an RF Payment Code, as the payer's bank keeps them. */
import type { Transaction } from './transactions.ts';

export interface Transfer {
  readonly transferId: string;
  readonly transaction: Transaction;
  returned: boolean;
}
