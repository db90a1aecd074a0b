/**
 * A movement of a merchant's account that names no transaction may be the payment of any bank transfer, so at most five
 * pending orders are made due soon. Anyone who knows the webhook's path can send such a webhook, so all webhooks that
 * name nothing of ours share one read budget per account.
 */
import type { Account } from '../../../shared/payments/items/account.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { spent } from '../../../shared/webhooks/read-budget.ts';

const AT_MOST = 5;

/** Resolves to the account of the webhook if its budget allows a read. */
export async function takesTurn(
  webhook: Webhook,
  payments: Payments,
  now: number,
): Promise<Account | 'later' | undefined> {
  const { recipient, currency } = webhook;
  const isOfIsv = recipient === 'isv';
  const merchantId = isOfIsv ? webhook.merchantId : recipient;
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

/** Resolves to the number of pending orders of the account that are now due earlier. */
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
