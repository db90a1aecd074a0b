/**
 * A movement of a merchant's account may be the payment of a bank transfer. Where it names a transaction, the platform's
 * record of that says which order; where not, the pending orders are read back soon. As anyone who knows the webhook's
 * path can say that the account moved, this happens once a minute per account and to five orders, and never uses up the
 * reads an order has.
 */
import { TransientError } from '../../../shared/errors.ts';
import type { Account, Message, RfOrder } from '../../../shared/items.ts';
import type { Payments } from '../../../shared/payments.ts';
import type { Platform, TransactionRecord } from '../../../shared/platform/platform.ts';
import { idAtEndOf } from '../../../shared/references.ts';
import { iso } from '../../../shared/webhooks/inbox.ts';
import { targetOf } from './target.ts';

const AT_MOST = 5;
const PAUSE_MS = 60_000;
/** The other half of an order's reads is for its own schedule. */
const MAX_READS = 30;

/** Whether this movement is looked at now: the account's only one in a minute. */
export async function takesTurn(movement: Message, payments: Payments, now: number): Promise<Account | undefined> {
  const { recipient: merchantId, currency } = movement;
  const account = await payments.get('account', merchantId);
  if (account === undefined || account.currency !== (currency ?? account.currency)) {
    return undefined;
  }
  let mine = false;
  await payments.change('account', merchantId, ({ hurriedAt }) => {
    mine = hurriedAt === undefined || Date.parse(hurriedAt) + PAUSE_MS <= now;
    return mine ? { hurriedAt: iso(now) } : undefined;
  });
  return mine ? account : undefined;
}

/** The order that the movement's transaction paid, as the platform's own record of it says. */
export async function orderOfMovement(
  { recipient, transactionId }: Message,
  payments: Payments,
  platform: Platform,
): Promise<{ readonly order: RfOrder; readonly record: TransactionRecord } | undefined> {
  if (transactionId === undefined) {
    return undefined;
  }
  try {
    const { record } = await platform.readTransaction(transactionId);
    const subject = idAtEndOf(record.merchantTrns ?? '') ?? record.orderCode;
    const target = subject === undefined ? undefined : await targetOf(subject, payments);
    return target?.kind === 'rf' && target.item.merchantId === recipient ? { order: target.item, record } : undefined;
  } catch (error) {
    if (error instanceof TransientError) {
      return undefined; // not visible yet, or not of this account
    }
    throw error;
  }
}

/** Resolves to how many pending orders of the account are read back earlier now. */
export async function hurryOrders({ merchantId, currency }: Account, payments: Payments, now: number): Promise<number> {
  const dueAt = iso(now);
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
