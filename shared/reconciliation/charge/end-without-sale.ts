/**
 * Ends an additional charge whose sale was never written: its request broke off between the two writes and was not
 * repeated, or was repeated as another sale or as a refusal. Safe to run twice: an ended charge stays as it is. A
 * request that comes later finds the ended charge, shows it, and charges nothing.
 */

import { isRefusal } from '../../api/idempotency.ts';
import type { EndDeps } from '../../flow/stopped.ts';
import type { Charge, Sale } from '../../payments/items.ts';
import type { Payments } from '../../payments/store.ts';
import { MINUTE_MS } from '../../payments/time.ts';
import { entry } from '../../payments/timeline.ts';
import { chargeEndedUnsent } from '../../payments/transitions.ts';

/** Longer than any function lives. What was not written by then is never written. */
const ORPHAN_AFTER_MS = MINUTE_MS;

/** The sale that the charge belongs to; undefined where there is none (yet). */
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
