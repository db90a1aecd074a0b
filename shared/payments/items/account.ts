/** The settings of a merchant account. */
import type { Scheduled, StoredItem } from './common.ts';

/** Settings of a merchant's account that are no secret (docs/operations.md, "Add an account"). */
export interface Account extends StoredItem, Pick<Scheduled, 'dueAt'> {
  readonly merchantId: string;
  readonly mode: 'merchant' | 'isv';
  /** ISO 3166 alpha-2. */
  readonly country: string;
  /** ISO 4217 letters: the only currency the account trades in. */
  readonly currency: string;
  readonly industry?: string;
  readonly terminalApi: 'merchant' | 'isv';
  readonly isvCapture: 'reseller' | 'bearer';
  readonly terminals: readonly string[];
  readonly returnUrls: readonly string[];
  readonly callbackUrl?: string;
  readonly captureDays: number;
  readonly sendSessionRedirectUrl: boolean;
  /** The last day whose list was read (see reconciliation/daily-lists.ts). */
  readonly daysReadUntil?: string;
  /** The read budget of the account's movements is spent until then (see webhooks/read-budget.ts). */
  readonly spentUntil?: string;
}
