/** Claims an item that is due: of several invocations one wins the write that makes it due later. */

import type { Kind } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';

/** Longer than any function that claims an item lives. If it stops, the item is due again. */
const CLAIM_MS = 5 * MINUTE_MS;

/** False if the item is not due, or another invocation claimed it. */
export async function claim(
  kind: Kind & ('sale' | 'charge' | 'rf-order' | 'card' | 'account'),
  id: string,
  { payments, now }: { readonly payments: Payments; readonly now: () => number },
): Promise<boolean> {
  const at = iso(now());
  const dueAt = iso(now() + CLAIM_MS);
  const { won } = await payments.claim(kind, id, (item) =>
    item.dueAt !== undefined && item.dueAt <= at ? { dueAt } : undefined,
  );
  return won;
}
