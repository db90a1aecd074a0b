/**
 * A movement of a merchant's account may be the payment of a bank transfer, and does not say of which order: the pending
 * orders are read back soon. As anyone who knows the webhook's path can say that the account moved, this happens once a
 * minute per account and to five orders, and never uses up the reads an order has.
 */
import type { Message } from '../../../shared/items.ts';
import type { Payments } from '../../../shared/payments.ts';
import { iso } from '../../../shared/webhooks/inbox.ts';

const AT_MOST = 5;
const PAUSE_MS = 60_000;
/** The other half of an order's reads is for its own schedule. */
const MAX_READS = 30;

/** Resolves to how many orders are read back earlier now. */
export async function hurryOrders(movement: Message, payments: Payments, now: number): Promise<number> {
  const { recipient: merchantId, currency } = movement;
  const account = await payments.get('account', merchantId);
  if (account === undefined || account.currency !== (currency ?? account.currency)) {
    return 0;
  }
  let mine = false;
  await payments.change('account', merchantId, ({ hurriedAt }) => {
    mine = hurriedAt === undefined || Date.parse(hurriedAt) + PAUSE_MS <= now;
    return mine ? { hurriedAt: iso(now) } : undefined;
  });
  return mine ? hurry(merchantId, account.currency, payments, iso(now)) : 0;
}

async function hurry(merchantId: string, currency: string, payments: Payments, dueAt: string): Promise<number> {
  const pending = await payments.list('rf', { merchantId, limit: AT_MOST, where: { status: 'pending', currency } });
  let hurried = 0;
  for (const { rfOrderId } of pending.items) {
    const order = await payments.change('rf', rfOrderId, (item) =>
      item.status === 'pending' && item.reads < MAX_READS && (item.dueAt ?? '9') > dueAt ? { dueAt } : undefined,
    );
    hurried += order.dueAt === dueAt ? 1 : 0;
  }
  return hurried;
}
