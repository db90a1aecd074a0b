/** Finds the item that a subject names, and handles the webhooks about it. */
import { isRefusal } from '../../../shared/api/idempotency.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import type { Items } from '../../../shared/payments/items.ts';
import { UUID } from '../../../shared/payments/references.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { handleCharge } from './charge.ts';
import type { HandleDeps, Handled } from './handled.ts';
import { handleRfOrder } from './rf-order.ts';
import { handleSale } from './sale.ts';

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

export async function handleTarget(
  { kind, item }: Target,
  webhooks: readonly Webhook[],
  deps: HandleDeps,
): Promise<Handled> {
  const ofAccount = webhooks.filter(({ recipient }) => recipient === 'isv' || recipient === item.merchantId);
  if (ofAccount.length === 0) {
    return { state: 'ignored', outcome: 'of another merchant', news: false, isFree: true };
  }
  switch (kind) {
    case 'rf-order':
      return handleRfOrder(item, ofAccount, deps);
    case 'charge':
      return handleCharge(item, ofAccount, deps);
    case 'sale':
      return handleSale(item, ofAccount, deps);
  }
}
