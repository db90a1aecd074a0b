/** The items a sale begins with. */

import type { Keyed } from '../../../shared/api/idempotency.ts';
import type { SaleBody } from '../../../shared/api/schemas/sale.ts';
import { derivedId } from '../../../shared/payments/references.ts';
import type { NewItem } from '../../../shared/payments/store.ts';
import { iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { entry } from '../../../shared/payments/timeline.ts';

/** Later than this nothing is sent to the terminal: the payer may have left. */
const SEND_WITHIN_MS = 30_000;
/** Longer than a sale takes at a terminal that answers: the reconciler looks whether its execution lives. */
const SALE_LOOK_MS = 6 * MINUTE_MS;
const CHARGE_LOOK_MS = 15 * MINUTE_MS;

export type NewSale = Omit<NewItem<'sale'>, 'origin'>;

export function newSale(
  { additionalCharge: _, ...body }: SaleBody,
  { id: saleId }: Keyed,
  chargeId: string | undefined,
  executionArn: string,
  at: number,
): NewSale {
  return {
    ...body,
    saleId,
    ...(chargeId !== undefined && { chargeId }),
    status: 'created',
    sendBefore: iso(at + SEND_WITHIN_MS),
    dueAt: iso(at + SALE_LOOK_MS),
    tokenization: { status: body.tokenize ? 'pending' : 'none' },
    executionArn,
    timeline: [entry(at, 'sale.created')],
  };
}

/**
 * The id follows from the body too: of two different requests with one key only one becomes the sale, and it must not
 * find the other one's charge.
 */
export function newCharge(
  body: SaleBody,
  { id, requestHash }: Keyed,
  executionArn: string,
  at: number,
): NewItem<'charge'> | undefined {
  const { additionalCharge: charge, merchantId, currency } = body;
  return (
    charge && {
      ...charge,
      ...(charge.preauth && { capture: charge.capture ?? 'manual' }),
      chargeId: derivedId(id, 'charge', requestHash),
      saleId: id,
      merchantId,
      currency,
      status: 'created',
      authorizedAmount: 0,
      capturedAmount: 0,
      captures: [],
      refunds: [],
      dueAt: iso(at + CHARGE_LOOK_MS),
      executionArn,
      timeline: [],
    }
  );
}
