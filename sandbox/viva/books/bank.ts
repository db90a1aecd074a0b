/**
 * The payer's bank: transfers to RF Payment Codes, and their return. Only the code counts: an expired order still takes
 * money.
 */

import type { Simulator } from '../simulator.ts';
import { giveBack, pay } from './money.ts';
import type { Transaction } from './transactions.ts';
import type { Transfer } from './transfers.ts';

export type TransferRefusal = 'UNKNOWN_RF_CODE' | 'AMOUNT_NOT_EXACT' | 'ORDER_CANCELLED';

export function transferMoney(sim: Simulator, rfCode: string, amount: number): Transfer | TransferRefusal {
  const order = sim.books.orders.ofRfCode(rfCode.replaceAll(' ', ''));
  const account = sim.accounts.find(order?.merchantId);
  if (order === undefined || account === undefined) {
    return 'UNKNOWN_RF_CODE';
  }
  if (order.isCanceled) {
    return 'ORDER_CANCELLED';
  }
  if (!order.disableExactAmount && order.amount !== amount) {
    return 'AMOUNT_NOT_EXACT';
  }
  const { orderCode, isvAmount, merchantTrns, customerTrns, customer, sourceCode } = order;
  order.paid ||= !order.disablePaidState;
  const transfer = {
    transferId: sim.random.uuid(),
    transaction: pay(sim, 'rf_credit', {
      account,
      amount,
      orderCode,
      isvAmount,
      merchantTrns,
      customerTrns,
      customer,
      sourceCode,
    }),
    returned: false,
  };
  sim.books.transfers.set(transfer.transferId, transfer);
  return transfer;
}

/** The bank takes the money back, once. Undefined if it already did. */
export function returnTransfer(sim: Simulator, transfer: Transfer): Transaction | undefined {
  const { transaction } = transfer;
  const account = sim.accounts.find(transaction.merchantId);
  if (transfer.returned || account === undefined) {
    return undefined;
  }
  transfer.returned = true;
  const { amount, merchantTrns } = transaction;
  return giveBack(sim, 'rf_return', transaction, { account, amount, merchantTrns });
}
