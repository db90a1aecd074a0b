/** Claims an item that is due: one of several that look at it wins the write that makes it due later. */

import type { Kind } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';
import { iso, MINUTE_MS } from '../payments/time.ts';

/** Longer than any function that looks lives: what stops is followed by another. */
const CLAIM_MS = 5 * MINUTE_MS;

/** False when it is not due, or somebody else looks at it. */
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
