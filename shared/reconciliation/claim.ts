/** Claims a due item, so that one invocation at a time reconciles it. The claim is a write that makes it due later. */

import type { Kind } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';

/** Longer than any function that reconciles may run. After it another invocation may claim the item. */
const CLAIM_MS = 5 * MINUTE_MS;

/** False if the item is not due or another invocation has claimed it. */
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
