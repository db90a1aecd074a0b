/**
 * Ends an additional charge whose sale was never stored: the request stopped between the two writes and was not repeated,
 * or the repeat became another sale or a refusal. Safe to run twice: an ended charge stays as it is. A later repeat of the
 * request finds the ended charge and charges nothing.
 */

import { isRefusal } from '../../api/idempotency.ts';
import type { EndDeps } from '../../flow/stopped.ts';
import type { Charge } from '../../payments/items/charge.ts';
import type { Sale } from '../../payments/items/sale.ts';
import type { Payments } from '../../payments/store.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { chargeEndedUnsent } from '../../payments/transitions.ts';

/** Longer than the request can run. A sale that is not stored by then never will be. */
const ORPHAN_AFTER_MS = MINUTE_MS;

/** The sale of an additional charge; undefined if it is not stored (yet). */
export async function saleOf(charge: Charge, payments: Payments): Promise<Sale | undefined> {
  const sale = charge.saleId === undefined ? undefined : await payments.get('sale', charge.saleId);
  return sale !== undefined && !isRefusal(sale) && sale.chargeId === charge.chargeId ? sale : undefined;
}

export async function endChargeWithoutSale({ chargeId }: Charge, { payments, now }: EndDeps): Promise<void> {
  const code = 'SALE_NOT_CREATED';
  await payments.change('charge', chargeId, (charge) =>
    Date.parse(charge.createdAt) + ORPHAN_AFTER_MS <= now()
      ? chargeEndedUnsent(charge, 'cancelled', { code }, entry(now(), 'charge.not_started', { code }))
      : undefined,
  );
}
