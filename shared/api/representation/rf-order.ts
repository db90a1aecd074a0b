/** The representation of an RF order, with the payer's instructions while it can be paid, and its payments. */
import type { RfOrder, RfPayment } from '../../payments/items/rf-order.ts';
import { rfOrderEnded } from '../../payments/lifecycle.ts';
import { groupRfCode } from '../../payments/rf-code.ts';
import { toMajor } from '../../viva/money.ts';
import type { Shown } from '../schemas/fields.ts';
import type * as schemas from '../schemas/rf-order.ts';
import { failureRepresentation } from './failure.ts';

export function rfOrderRepresentation(order: RfOrder): Shown<typeof schemas.rfOrder> {
  const { rfOrderId, status, merchantId, rfCode, amount, amountPaid, currency, disableExactAmount, timeline } = order;
  return {
    rfOrderId,
    status,
    final: rfOrderEnded(status) && order.reconciledUntil === undefined,
    merchantId,
    // Without an RF code the order is not shown: another order may have replaced it.
    orderCode: rfCode === undefined ? undefined : order.orderCode,
    rfCode,
    rfCodeGrouped: rfCode === undefined ? undefined : groupRfCode(rfCode),
    amount,
    amountPaid,
    currency,
    disableExactAmount,
    isvAmount: order.isvAmount,
    merchantTrns: order.merchantTrns,
    customerTrns: order.customerTrns,
    notifyCustomer: order.notifyCustomer,
    expiresInSeconds: order.expiresInSeconds,
    expiresAt: order.expiresAt ?? null,
    instructions: instructions(order),
    payments: order.payments.map(rfPayment),
    commission: order.commission,
    late: order.late,
    overpaid: order.overpaid,
    cancelRequestedAt: order.cancelRequestedAt,
    failure: failureRepresentation(order.failure),
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    timeline,
  };
}

function rfPayment(payment: RfPayment): Shown<typeof schemas.rfPayment> {
  const { transactionId, amount, at, returned, reversed, commission } = payment;
  return { transactionId, amount, at, returned, reversed, commission };
}

/** Present only while the order should be paid. */
function instructions({
  status,
  rfCode,
  amount,
  amountPaid,
  currency,
  disableExactAmount,
}: RfOrder): Shown<typeof schemas.instructions> | undefined {
  if (rfCode === undefined || (status !== 'pending' && status !== 'partially_paid')) {
    return undefined;
  }
  const code = groupRfCode(rfCode);
  const due = `${toMajor(amount - amountPaid)} ${currency}`;
  const only = disableExactAmount ? { en: '', el: '' } : { en: 'exactly ', el: 'ακριβώς ' };
  return {
    en: `In the app or at a branch of your bank, choose a payment with an RF code. 1. Transfer ${only.en}${due}. 2. Put the code ${code} into the reference (remarks) field. 3. Confirm the transfer.`,
    el: `Στην εφαρμογή ή σε κατάστημα της τράπεζάς σας, επιλέξτε πληρωμή με κωδικό RF. 1. Μεταφέρετε ${only.el}${due}. 2. Γράψτε τον κωδικό ${code} στο πεδίο αιτιολογίας (κωδικός πληρωμής). 3. Επιβεβαιώστε τη μεταφορά.`,
  };
}
