/** Finds the item that the subject of a webhook names. */
import { isRefusal } from '../../../shared/api/idempotency.ts';
import type { Items } from '../../../shared/payments/items.ts';
import { UUID } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';

const ORDER_CODE = /^\d+$/;

export type Target = { [K in 'sale' | 'rf-order' | 'charge']: { readonly kind: K; readonly item: Items[K] } }[
  | 'sale'
  | 'rf-order'
  | 'charge'];

export async function targetOf(subject: string, payments: Payments): Promise<Target | undefined> {
  if (ORDER_CODE.test(subject)) {
    const pointer = await payments.get('order-pointer', subject);
    const item = pointer && (await payments.get('rf-order', pointer.rfOrderId));
    return item && { kind: 'rf-order', item };
  }
  if (!UUID.test(subject)) {
    return undefined;
  }
  const [sale, rf, charge] = await Promise.all([
    payments.get('sale', subject),
    payments.get('rf-order', subject),
    payments.get('charge', subject),
  ]);
  if (sale !== undefined && !isRefusal(sale)) {
    return { kind: 'sale', item: sale };
  }
  if (rf !== undefined && !isRefusal(rf)) {
    return { kind: 'rf-order', item: rf };
  }
  return charge !== undefined && !isRefusal(charge) ? { kind: 'charge', item: charge } : undefined;
}
