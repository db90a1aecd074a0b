/**
 * A movement of a merchant's account that names no transaction may be the payment of any bank transfer: the pending orders
 * are read back soon, five at most. Anyone who knows the webhook's path can say that the account moved, so all messages
 * that name nothing of ours have one budget of looks per account.
 */
import type { Account, Message } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { spent } from '../../../shared/webhooks/read-budget.ts';

const AT_MOST = 5;

/** Whose message it is, where the account has a look left for it. */
export async function takesTurn(
  message: Message,
  payments: Payments,
  now: number,
): Promise<Account | 'later' | undefined> {
  const { recipient, currency } = message;
  const isOfIsv = recipient === 'isv';
  const merchantId = isOfIsv ? message.merchantId : recipient;
  const account = merchantId === undefined ? undefined : await payments.get('account', merchantId);
  const isOurs = account !== undefined && (!isOfIsv || account.mode === 'isv');
  if (!isOurs || account.currency !== (currency ?? account.currency)) {
    return undefined;
  }
  const { won } = await payments.claim('account', account.merchantId, (item) => {
    const spentUntil = spent(item.spentUntil, now);
    return spentUntil === undefined ? undefined : { spentUntil };
  });
  return won ? account : 'later';
}

/** Resolves to how many pending orders of the account are read back earlier now. */
export async function wakeOrders({ merchantId }: Account, payments: Payments, now: number): Promise<number> {
  const dueAt = iso(now);
  const pending = await payments.list('rf-order', { merchantId, limit: AT_MOST, where: { status: 'pending' } });
  let woken = 0;
  for (const { rfOrderId } of pending.items) {
    const { won } = await payments.claim('rf-order', rfOrderId, (item) =>
      item.status === 'pending' && (item.dueAt ?? '9') > dueAt ? { dueAt } : undefined,
    );
    woken += won ? 1 : 0;
  }
  return woken;
}
