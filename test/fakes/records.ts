/** The platform's records in memory. What a test books can be read by id, by order, and in the lists of days in Athens. */
import { TransientError } from '../../shared/flow/errors.ts';
import { athensDay } from '../../shared/viva/athens.ts';
import type { TransactionRecord, Viva } from '../../shared/viva/viva.ts';
import { anyCall, FakeViva, TRANSACTION_ID } from './viva.ts';
import { MERCHANT_ID, SALE_ID } from './world.ts';

/** What one read answers, made false or late by a test. `read` counts from 0. */
export type Lie = (records: readonly TransactionRecord[], read: number) => readonly TransactionRecord[];

export class Records {
  readonly all: TransactionRecord[] = [];
  reads = 0;
  lie: Lie = (records) => records;
  readonly #now: () => number;
  readonly #lagMs: number;

  /** `lagMs`: how long lists leave out a new record. */
  constructor(now: () => number, { lagMs = 0 } = {}) {
    this.#now = now;
    this.#lagMs = lagMs;
  }

  /** Books a payment of the world's sale, with a test's changes. */
  book(record: Partial<TransactionRecord> = {}): TransactionRecord {
    const booked = { ...payment, bookedAt: new Date(this.#now()).toISOString(), ...record };
    this.all.push(booked);
    return booked;
  }

  /** Returns an original, in full or in part, by its status and a child. */
  giveBack(original: TransactionRecord, child: Partial<TransactionRecord> = {}): TransactionRecord {
    const { amount = original.amount, transactionTypeId = 7 } = child;
    this.all[this.all.indexOf(original)] = { ...original, statusId: transactionTypeId === 7 ? 'X' : 'R' };
    const { transactionId: parentId, orderCode, merchantTrns } = original;
    return this.book({
      ...(orderCode && { orderCode }),
      ...(merchantTrns && { merchantTrns }),
      ...child,
      parentId,
      amount,
      transactionTypeId,
      transactionId: child.transactionId ?? `${parentId}-back`,
    });
  }

  viva(answers: Partial<Viva> = {}): FakeViva {
    return new FakeViva({
      readTransaction: async (transactionId) => {
        const record = this.#read((one) => one.transactionId === transactionId)[0];
        if (record === undefined) {
          throw new TransientError('TRANSACTION_NOT_VISIBLE', 'not there');
        }
        return { record, call: anyCall };
      },
      listDay: async (day) => ({
        records: this.#read((one) => this.#isListed(one) && athensDay(Date.parse(one.bookedAt ?? '')) === day),
        unreadable: [],
        call: anyCall,
      }),
      listOrderTransactions: async (code) => ({
        records: this.#read((one) => this.#isListed(one) && one.orderCode === code),
        call: anyCall,
      }),
      ...answers,
    });
  }

  #isListed({ bookedAt = '' }: TransactionRecord): boolean {
    return Date.parse(bookedAt) + this.#lagMs <= this.#now();
  }

  #read(fits: (record: TransactionRecord) => boolean): readonly TransactionRecord[] {
    return this.lie(this.all.filter(fits), this.reads++);
  }
}

const payment: TransactionRecord = {
  transactionId: TRANSACTION_ID,
  merchantId: MERCHANT_ID,
  merchantTrns: `room 12 ${SALE_ID}`,
  orderCode: '1234567890123456',
  amount: 1500,
  currency: 'EUR',
  statusId: 'F',
  transactionTypeId: 5,
};
