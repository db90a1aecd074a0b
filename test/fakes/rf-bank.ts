/**
 * RF orders at a platform in memory with its ledger: payers transfer, banks return, lists lag, and any one answer may
 * be false. Everything is read as the platform's client returns it.
 */
import { TransientError } from '../../shared/flow/errors.ts';
import type { OrderRecord, TransactionRecord, Viva } from '../../shared/viva/viva.ts';
import { anyCall, FakeViva, RF_CODE } from './viva.ts';
import { MERCHANT_ID } from './world.ts';

export interface BankOrder {
  readonly orderCode: string;
  readonly merchantTrns: string;
  readonly amount: number;
  readonly isExact: boolean;
  readonly expiresAt: number;
  isCancelled: boolean;
  isPaid: boolean;
}

interface Booked {
  readonly record: TransactionRecord;
  readonly at: number;
}

export interface Answers {
  readonly records: (records: readonly TransactionRecord[]) => readonly TransactionRecord[];
  readonly order: (order: Pick<OrderRecord, 'state' | 'amount'>) => Pick<OrderRecord, 'state' | 'amount'>;
}

export type Lie = Partial<Answers> | 'outage';

/** Returns the true answer when the lie is about something else. */
export function lied(lie: Lie, kind: keyof Answers, truth: unknown): unknown {
  const falsify = lie === 'outage' ? undefined : (lie[kind] as ((truth: unknown) => unknown) | undefined);
  return falsify === undefined ? truth : falsify(truth);
}

export class RfBank {
  readonly orders = new Map<string, BankOrder>();
  readonly booked: Booked[] = [];
  /** How young a transaction is that lists leave out. */
  lagMs = 0;
  /** What the read with this number, from 0, answers instead of the truth. */
  lieAt: number | undefined;
  lie: Lie = {};
  /** What was read, in order, with the true answers. */
  readonly reads: { readonly kind: keyof Answers; readonly truth: unknown }[] = [];
  readonly viva: FakeViva;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.viva = new FakeViva({
      createOrder: async ({ amount, merchantTrns, disableExactAmount, expiresInSeconds }) => {
        const orderCode = String(9_007_199_254_740_993n + 2n * BigInt(this.orders.size));
        const expiresAt = expiresInSeconds === null ? Number.POSITIVE_INFINITY : now() + expiresInSeconds * 1000;
        const state = { isCancelled: false, isPaid: false };
        this.orders.set(orderCode, {
          orderCode,
          merchantTrns,
          amount,
          isExact: !disableExactAmount,
          expiresAt,
          ...state,
        });
        return { orderCode, call: anyCall };
      },
      createPaymentCode: async () => ({ rfCode: RF_CODE, call: anyCall }),
      readOrder: async (code) => ({ ...this.#answer('order', this.#state(code)), call: anyCall }),
      listOrderTransactions: async (code) => ({ records: this.#answer('records', this.#list(code)), call: anyCall }),
      readTransaction: async (id) => {
        const found = this.booked.filter(({ record }) => record.transactionId === id).map(({ record }) => record);
        const [record] = this.#answer('records', found);
        if (record === undefined) {
          throw new TransientError('TRANSACTION_NOT_VISIBLE', 'none');
        }
        return { record, call: anyCall };
      },
      cancelOrder: async (code) => this.#cancel(code),
    } satisfies Partial<Viva>);
  }

  transfer({ orderCode, merchantTrns }: BankOrder, amount: number): TransactionRecord {
    const order = this.orders.get(orderCode)!;
    order.isPaid = true;
    return this.#book({ orderCode, merchantTrns, amount, transactionTypeId: 15 });
  }

  /** Returns a part of a transfer to the payer. */
  giveBack(payment: TransactionRecord, amount = payment.amount): TransactionRecord {
    const { orderCode, merchantTrns, transactionId } = payment;
    const at = this.booked.findIndex(({ record }) => record.transactionId === transactionId);
    const original = this.booked[at]!;
    this.booked[at] = { ...original, record: { ...original.record, statusId: 'R' } };
    const { commission: _, ...child } = this.#book({
      ...(orderCode && { orderCode }),
      ...(merchantTrns && { merchantTrns }),
      amount,
      parentId: transactionId,
      transactionTypeId: 4,
    });
    return child;
  }

  /** What was paid and not returned. */
  net(): number {
    return this.booked.reduce((sum, { record }) => sum + (record.parentId === undefined ? 1 : -1) * record.amount, 0);
  }

  gross(): number {
    return this.booked.reduce((sum, { record }) => sum + (record.parentId === undefined ? record.amount : 0), 0);
  }

  #book(draft: Partial<TransactionRecord> & { readonly amount: number }): TransactionRecord {
    const n = String(this.booked.length + 1).padStart(12, '0');
    const record: TransactionRecord = {
      transactionId: `6f1f7a52-0000-4c53-8f1c-${n}`,
      currency: 'EUR',
      merchantId: MERCHANT_ID,
      statusId: 'F',
      bookedAt: new Date(this.#now()).toISOString(),
      ...draft,
    };
    this.booked.push({ record, at: this.#now() });
    return record;
  }

  #state(orderCode: string): Pick<OrderRecord, 'state' | 'amount'> {
    const { isPaid, isCancelled, expiresAt, amount } = this.orders.get(orderCode)!;
    const isOver = expiresAt <= this.#now();
    return { state: isPaid ? 'paid' : isCancelled ? 'cancelled' : isOver ? 'expired' : 'pending', amount };
  }

  /** The commission is calculated a moment after the payment. */
  #list(orderCode: string): TransactionRecord[] {
    return this.booked
      .filter(({ record, at }) => record.orderCode === orderCode && at + this.lagMs <= this.#now())
      .map(({ record, at }) =>
        record.parentId === undefined && at + 300 <= this.#now()
          ? { ...record, commission: Math.round(record.amount / 100) }
          : record,
      );
  }

  #answer<K extends keyof Answers>(kind: K, truth: Parameters<Answers[K]>[0]): ReturnType<Answers[K]> {
    const isLie = this.reads.length === this.lieAt;
    this.reads.push({ kind, truth });
    if (isLie && this.lie === 'outage') {
      throw new TransientError('NO_ANSWER', 'none');
    }
    return (isLie ? lied(this.lie, kind, truth) : truth) as ReturnType<Answers[K]>;
  }

  async #cancel(orderCode: string) {
    const order = this.orders.get(orderCode)!;
    if (order.isPaid) {
      throw new TransientError('RF_CANCEL_REFUSED', 'paid');
    }
    order.isCancelled = true;
    return { call: anyCall };
  }
}
