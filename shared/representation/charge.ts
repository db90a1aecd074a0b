/** How a charge is shown: on its own, and inside its sale. */
import type { Capture, Charge } from '../items.ts';
import { chargeEnded } from '../lifecycle.ts';
import { failureRepresentation } from './failure.ts';

export function chargeRepresentation(charge: Charge) {
  const { chargeId, status, merchantId, saleId, cardId, currency, merchantTrns, timeline } = charge;
  const { final, ...part } = additionalCharge(charge);
  return {
    ...part,
    chargeId,
    status,
    final,
    merchantId,
    saleId,
    cardId,
    currency,
    merchantTrns,
    createdAt: charge.createdAt,
    updatedAt: charge.updatedAt,
    timeline,
  };
}

export function additionalCharge(charge: Charge) {
  const { chargeId, status, amount, authorizedAmount, capturedAmount, captureBefore, transactionId } = charge;
  return {
    chargeId,
    status,
    final: chargeEnded(status),
    amount,
    authorizedAmount,
    capturedAmount,
    captureBefore: captureBefore ?? null,
    captures: charge.captures.map(capture),
    refunds: charge.refunds.map(({ refundId, amount, status }) => ({ refundId, amount, status })),
    transactionId,
    nextAction: status === 'requires_authentication' ? { type: 'authenticate' } : undefined,
    failure: failureRepresentation(charge.failure),
  };
}

function capture({ captureId, amount, status, transactionId, failure }: Capture) {
  return { captureId, amount, status, transactionId, failure: failureRepresentation(failure) };
}
