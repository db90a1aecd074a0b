/** The representation of a charge, alone and inside its sale. */
import { failureOf } from '../../payments/failures.ts';
import type { Capture, Charge, Refund } from '../../payments/items/charge.ts';
import { chargeEnded } from '../../payments/lifecycle.ts';
import type * as schemas from '../schemas/charge.ts';
import type { Shown } from '../schemas/fields.ts';
import { failureRepresentation } from './failure.ts';

export function chargeRepresentation(charge: Charge): Shown<typeof schemas.charge> {
  const { merchantId, saleId, cardId, currency, merchantTrns, createdAt, updatedAt, timeline } = charge;
  const { chargeId, status, final, amount, ...rest } = additionalCharge(charge);
  return {
    ...{ chargeId, status, final, merchantId, saleId, cardId, amount, currency, merchantTrns },
    ...rest,
    ...{ createdAt, updatedAt, timeline },
  };
}

export function additionalCharge(charge: Charge): Shown<typeof schemas.additionalCharge> {
  const { chargeId, status, amount, authorizedAmount, capturedAmount, captureBefore, transactionId } = charge;
  return {
    chargeId,
    status,
    final: chargeEnded(status) && charge.reconciledUntil === undefined,
    amount,
    authorizedAmount,
    capturedAmount,
    refundedAmount: charge.refundedAmount ?? 0,
    captureBefore: captureBefore ?? null,
    captures: charge.captures.map(capture),
    refunds: charge.refunds.map(refund),
    transactionId,
    nextAction: status === 'requires_authentication' ? { type: 'authenticate' } : undefined,
    failure: failureRepresentation(failureOf(charge, 'CHARGE_MADE_LATE')),
  };
}

function capture({
  captureId,
  amount,
  isvAmount,
  status,
  transactionId,
  failure,
}: Capture): Shown<typeof schemas.capture> {
  return { captureId, amount, isvAmount, status, transactionId, failure: failureRepresentation(failure) };
}

function refund({ refundId, amount, status }: Refund): Shown<typeof schemas.refund> {
  return { refundId, amount, status };
}
