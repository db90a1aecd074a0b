/** Which of our items a message's subject is. */
import { isRefusal } from '../../../shared/api/idempotency.ts';
import type { Items } from '../../../shared/payments/items.ts';
import { UUID } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';

const ORDER_CODE = /^\d+$/;

export type Target = { [K in 'sale' | 'rf' | 'charge']: { readonly kind: K; readonly item: Items[K] } }[
  | 'sale'
  | 'rf'
  | 'charge'];

export async function targetOf(subject: string, payments: Payments): Promise<Target | undefined> {
  if (ORDER_CODE.test(subject)) {
    const pointer = await payments.get('order', subject);
    const item = pointer && (await payments.get('rf', pointer.rfOrderId));
    return item && { kind: 'rf', item };
  }
  if (!UUID.test(subject)) {
    return undefined;
  }
  const [sale, rf, charge] = await Promise.all([
    payments.get('sale', subject),
    payments.get('rf', subject),
    payments.get('charge', subject),
  ]);
  if (sale !== undefined && !isRefusal(sale)) {
    return { kind: 'sale', item: sale };
  }
  if (rf !== undefined && !isRefusal(rf)) {
    return { kind: 'rf', item: rf };
  }
  return charge !== undefined && !isRefusal(charge) ? { kind: 'charge', item: charge } : undefined;
}
