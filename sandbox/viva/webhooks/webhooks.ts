/** Which operation emits which events. Delays keep the usual order: the answer, then its event, then 1799 and 2054. */

import type { Order } from '../books/orders.ts';
import { BOOKS_MS, TRANSACTION_TYPE, type Transaction } from '../books/transactions.ts';
import type { Simulator } from '../simulator.ts';
import type { Session } from '../terminals/sessions.ts';
import { emit } from './delivery.ts';
import { accountTransactionData, orderData, priceData, sessionData, transactionData } from './event-data.ts';
import { EVENT_TYPE } from './recipients.ts';

const EVENT_MS = 100;

/** Money was taken, or held. */
export function paymentCreated(sim: Simulator, transaction: Transaction): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account === undefined) {
    return;
  }
  const byBank = transaction.typeId === TRANSACTION_TYPE.bankTransfer;
  if (!(byBank && account.mode === 'merchant' && sim.switches.get('rfMerchantPaymentEvent') === 'not_sent')) {
    emit(sim, account, EVENT_TYPE.paymentCreated, transactionData(sim, transaction), EVENT_MS);
  }
  if (transaction.typeId !== TRANSACTION_TYPE.preauth) {
    emit(sim, account, EVENT_TYPE.priceCalculated, priceData(sim, transaction), BOOKS_MS);
    emit(sim, account, EVENT_TYPE.accountTransactionCreated, accountTransactionData(sim, transaction), BOOKS_MS);
  }
}

export function transactionFailed(sim: Simulator, transaction: Transaction): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account !== undefined) {
    emit(sim, account, EVENT_TYPE.transactionFailed, transactionData(sim, transaction), EVENT_MS);
  }
}

/** `transaction` is the one that gives money or a hold back. */
export function reversalCreated(sim: Simulator, transaction: Transaction, wasHold: boolean): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account === undefined) {
    return;
  }
  emit(sim, account, EVENT_TYPE.reversalCreated, transactionData(sim, transaction, -1), EVENT_MS);
  if (!wasHold) {
    emit(sim, account, EVENT_TYPE.accountTransactionCreated, accountTransactionData(sim, transaction, -1), BOOKS_MS);
  }
}

export function sessionEnded(sim: Simulator, session: Session): void {
  const account = sim.accounts.find(session.merchantId);
  if (account !== undefined) {
    const eventTypeId = session.outcome?.success ? EVENT_TYPE.sessionCreated : EVENT_TYPE.sessionFailed;
    emit(sim, account, eventTypeId, sessionData(session), EVENT_MS);
  }
}

export function orderUpdated(sim: Simulator, order: Order): void {
  const account = sim.accounts.find(order.merchantId);
  if (account !== undefined) {
    emit(sim, account, EVENT_TYPE.orderUpdated, orderData(sim, order), EVENT_MS);
  }
}
