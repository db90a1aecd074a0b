/**
 * The ground truth: every movement of money and every hold. Entries are appended and never changed. Declined attempts
 * move no money and have no entry. They are transactions with status E.
 */
const LEDGER_KINDS = [
  'sale',
  'charge',
  'preauth',
  'capture',
  'void',
  'refund',
  'reversal',
  'rf_credit',
  'rf_return',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

export interface LedgerEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: LedgerKind;
  readonly transactionId: string;
  readonly parentId: string | null;
  readonly merchantId: string;
  readonly terminalId: string | null;
  readonly sessionId: string | null;
  readonly orderCode: string;
  readonly amount: number;
  readonly isvAmount: number;
  readonly currency: string;
  readonly merchantTrns: string;
  /** `success`: money moved. `held`: money was reserved. `released`: a hold was given back. */
  readonly status: 'success' | 'held' | 'released';
}

export interface LedgerQuery {
  readonly merchantId?: string | undefined;
  readonly merchantTrns?: string | undefined;
  readonly after?: number | undefined;
}

const SIGN: Readonly<Record<LedgerKind, number>> = {
  sale: 1,
  charge: 1,
  preauth: 0,
  capture: 1,
  void: -1,
  refund: -1,
  reversal: -1,
  rf_credit: 1,
  rf_return: -1,
};

export class Ledger {
  readonly #entries: LedgerEntry[] = [];

  append(entry: Omit<LedgerEntry, 'seq'>): void {
    this.#entries.push({ seq: this.#entries.length + 1, ...entry });
  }

  /** `merchantTrns` also matches a part of a reference, because callers append an id to their own text. */
  entries({ merchantId, merchantTrns, after = 0 }: LedgerQuery): LedgerEntry[] {
    return this.#entries.filter(
      (entry) =>
        entry.seq > after &&
        (merchantId === undefined || entry.merchantId === merchantId) &&
        (merchantTrns === undefined || entry.merchantTrns.includes(merchantTrns)),
    );
  }
}

/** Count and amount of every kind, and `net`: what the merchant has in the end. A hold and its release do not count. */
export function totalsOf(entries: readonly LedgerEntry[]) {
  const totals = Object.fromEntries(LEDGER_KINDS.map((kind) => [kind, { count: 0, amount: 0 }]));
  let net = 0;
  for (const { kind, amount, status } of entries) {
    const total = totals[kind] as { count: number; amount: number };
    total.count++;
    total.amount += amount;
    net += status === 'success' ? SIGN[kind] * amount : 0;
  }
  return { ...totals, net };
}
