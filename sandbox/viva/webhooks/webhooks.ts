/**
 * Which operation causes which webhooks. Delays keep the usual order: the answer, then its webhook, then 1799 and 2054.
 */
import type { Order } from '../books/orders.ts';
import { BOOKS_MS, TRANSACTION_TYPE, type Transaction } from '../books/transactions.ts';
import type { Simulator } from '../simulator.ts';
import type { Session } from '../terminals/sessions.ts';
import { queueWebhook } from './delivery.ts';
import { accountTransactionData, orderData, priceData, sessionData, transactionData } from './event-data.ts';
import { WEBHOOK_TYPE } from './recipients.ts';

const WEBHOOK_MS = 100;

/** Money was taken, or held. */
export function sendPaymentWebhooks(sim: Simulator, transaction: Transaction): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account === undefined) {
    return;
  }
  const byBank = transaction.typeId === TRANSACTION_TYPE.bankTransfer;
  if (!(byBank && account.mode === 'merchant' && sim.switches.get('rfMerchantPaymentWebhook') === 'not_sent')) {
    queueWebhook(sim, account, WEBHOOK_TYPE.paymentCreated, transactionData(sim, transaction), WEBHOOK_MS);
  }
  if (transaction.typeId !== TRANSACTION_TYPE.preauth) {
    queueWebhook(sim, account, WEBHOOK_TYPE.priceCalculated, priceData(sim, transaction), BOOKS_MS);
    queueWebhook(
      sim,
      account,
      WEBHOOK_TYPE.accountTransactionCreated,
      accountTransactionData(sim, transaction),
      BOOKS_MS,
    );
  }
}

export function sendFailureWebhook(sim: Simulator, transaction: Transaction): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account !== undefined) {
    queueWebhook(sim, account, WEBHOOK_TYPE.transactionFailed, transactionData(sim, transaction), WEBHOOK_MS);
  }
}

/** `transaction` is the one that gives money or a hold back. */
export function sendReversalWebhooks(sim: Simulator, transaction: Transaction, wasHold: boolean): void {
  const account = sim.accounts.find(transaction.merchantId);
  if (account === undefined) {
    return;
  }
  queueWebhook(sim, account, WEBHOOK_TYPE.reversalCreated, transactionData(sim, transaction, -1), WEBHOOK_MS);
  if (!wasHold) {
    queueWebhook(
      sim,
      account,
      WEBHOOK_TYPE.accountTransactionCreated,
      accountTransactionData(sim, transaction, -1),
      BOOKS_MS,
    );
  }
}

export function sendSessionWebhook(sim: Simulator, session: Session): void {
  const account = sim.accounts.find(session.merchantId);
  if (account !== undefined) {
    const eventTypeId = session.outcome?.success ? WEBHOOK_TYPE.sessionCreated : WEBHOOK_TYPE.sessionFailed;
    queueWebhook(sim, account, eventTypeId, sessionData(session), WEBHOOK_MS);
  }
}

export function sendOrderWebhook(sim: Simulator, order: Order): void {
  const account = sim.accounts.find(order.merchantId);
  if (account !== undefined) {
    queueWebhook(sim, account, WEBHOOK_TYPE.orderUpdated, orderData(sim, order), WEBHOOK_MS);
  }
}
