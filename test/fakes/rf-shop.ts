/** An RF order in memory, with everything that creates, reconciles and cancels it; the payer's bank is a list that tests fill. */
import { cancelRfOrder } from '../../functions/rf-orders/cancel-rf-order/endpoint.ts';
import { createRfOrder } from '../../functions/rf-orders/create-rf-order/endpoint.ts';
import type { FlowError } from '../../shared/flow/errors.ts';
import type { RfOrder } from '../../shared/payments/items/rf-order.ts';
import {
  type FoundAlready,
  reconcileRfOrder,
  reconcileRfOrderBy,
} from '../../shared/reconciliation/rf-order/reconcile.ts';
import type { OrderRecord, TransactionRecord, Viva } from '../../shared/viva/viva.ts';
import { MemoryPayments } from './payments.ts';
import { account, call, type Got, merchantId, type Sent } from './storefront.ts';
import { anyCall, FakeViva, ORDER_CODE, RF_CODE } from './viva.ts';

const body = { merchantId, amount: 4200, currency: 'EUR', merchantTrns: 'room 12' };

export class RfShop {
  now = Date.parse('2026-11-21T09:00:00.000Z');
  readonly payments = new MemoryPayments(() => this.now);
  records: TransactionRecord[] = [];
  state: OrderRecord['state'] = 'pending';
  /** Codes of the faults that were reported to operators. */
  readonly faults: string[] = [];
  #returns = 0;
  /** Replaces answers of the platform. */
  answers: Partial<Viva> = {};
  readonly viva = new FakeViva({
    createOrder: (request) =>
      (this.answers.createOrder ?? (async () => ({ orderCode: ORDER_CODE, call: anyCall })))(request),
    createPaymentCode: (code) =>
      (this.answers.createPaymentCode ?? (async () => ({ rfCode: RF_CODE, call: anyCall })))(code),
    readOrder: (code) =>
      (this.answers.readOrder ?? (async () => ({ state: this.state, amount: 4200, call: anyCall })))(code),
    listOrderTransactions: (code) =>
      (this.answers.listOrderTransactions ?? (async () => ({ records: [...this.records], call: anyCall })))(code),
    cancelOrder: (code) => (this.answers.cancelOrder ?? (async () => this.#cancelled()))(code),
  });
  readonly deps = {
    payments: this.payments,
    vivaFor: this.viva.for,
    stackId: 'stack-1',
    now: () => this.now,
    remainingMs: () => 24_000,
    onFault: ({ code }: FlowError) => this.faults.push(code),
  };

  constructor() {
    this.payments.put('account', merchantId, account({}));
  }

  post(change: object = {}, sent: Partial<Sent> & { readonly key?: string } = {}): Promise<Got> {
    const { key = 'key-1', ...rest } = sent;
    return call(createRfOrder, this.deps, {
      route: 'POST /rf-orders',
      body: { ...body, ...change },
      headers: { 'Idempotency-Key': key },
      ...rest,
    });
  }

  cancel(rfOrderId: string): Promise<Got> {
    return call(cancelRfOrder, this.deps, { route: 'DELETE /rf-orders/{rfOrderId}', parameters: { rfOrderId } });
  }

  reconcile(rfOrderId: string, found?: FoundAlready): Promise<RfOrder> {
    return reconcileRfOrder(rfOrderId, this.deps, found);
  }

  async reconcileBy(rfOrderId: string, records: readonly TransactionRecord[]): Promise<RfOrder> {
    return reconcileRfOrderBy((await this.payments.get('rf-order', rfOrderId))!, records, this.deps);
  }

  async order(): Promise<RfOrder> {
    const pk = [...this.payments.items.keys()].find((key) => key.startsWith('rf-order#')) ?? '';
    return (await this.payments.get('rf-order', pk.slice('rf-order#'.length)))!;
  }

  /** Reconciles the order whenever it is due, until the time is over. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (let reconcilers = 0; reconcilers < 400; reconcilers++) {
      const { rfOrderId, dueAt, outbox } = await this.order();
      if (outbox !== undefined && outbox.length > 0) {
        await this.payments.change('rf-order', rfOrderId, () => ({ outbox: undefined }));
      }
      if (dueAt === undefined || Date.parse(dueAt) > end) {
        this.now = end;
        return;
      }
      this.now = Math.max(this.now, Date.parse(dueAt));
      await this.reconcile(rfOrderId);
    }
    throw new Error('the order is due again and again without end');
  }

  /** Adds a transfer to the platform's list. */
  pay(amount: number, change: Partial<TransactionRecord> = {}): TransactionRecord {
    const record = {
      transactionId: `transaction-${this.records.length + 1}`,
      amount,
      currency: 'EUR',
      merchantId,
      statusId: 'F',
      transactionTypeId: 15,
      orderCode: ORDER_CODE,
      bookedAt: new Date(this.now).toISOString(),
      ...change,
    };
    this.records.push(record);
    this.state = 'paid';
    return record;
  }

  /** Returns a transfer, or a part of it, to the payer; the result is the record that the list shows. */
  giveBack({ transactionId, ...record }: TransactionRecord, amount = record.amount): TransactionRecord {
    this.records = this.records.map((one) => (one.transactionId === transactionId ? { ...one, statusId: 'R' } : one));
    const nth = ++this.#returns;
    const back = { ...record, transactionId: `return-${nth}`, amount, parentId: transactionId, transactionTypeId: 4 };
    this.records = [...this.records, { ...back, statusId: 'F' }];
    return { ...back, statusId: 'F' };
  }

  #cancelled() {
    this.state = 'cancelled';
    return { call: anyCall };
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
