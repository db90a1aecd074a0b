/** The lease of a terminal. */
import type { StoredItem } from './common.ts';

/** The right of one sale to use a terminal. A lease may be taken over if its sale ended or was never created. */
export interface TerminalLease extends StoredItem {
  readonly terminalId: string;
  readonly merchantId: string;
  /** The sale that holds the terminal. */
  readonly saleId: string;
  readonly leasedAt: string;
  readonly leasedUntil: string;
}
