/**
 * A movement of a merchant's account may be the payment of a bank transfer. Where it names a transaction, the platform's
 * record of that says which order; where not, the pending orders are read back soon, five at most. Anyone who knows the
 * webhook's path can say that the account moved, so movements of one account have a budget of looks together.
 */
import { TransientError } from '../../../shared/errors.ts';
import type { Account, Message, RfOrder } from '../../../shared/items.ts';
import type { Payments } from '../../../shared/payments.ts';
import type { Platform, TransactionRecord } from '../../../shared/platform/platform.ts';
import { idAtEndOf } from '../../../shared/references.ts';
import { iso } from '../../../shared/webhooks/inbox.ts';
import { spent } from '../../../shared/webhooks/look-budget.ts';
import { targetOf } from './target.ts';

const AT_MOST = 5;

/** Whose movement it is, where the account has a look left for it. */
export async function takesTurn(movement: Message, payments: Payments, now: number): Promise<Account | undefined> {
  const { recipient: merchantId, currency } = movement;
  const account = await payments.get('account', merchantId);
  if (account === undefined || account.currency !== (currency ?? account.currency)) {
    return undefined;
  }
  let mine = false;
  await payments.change('account', merchantId, (item) => {
    const spentUntil = spent(item.spentUntil, now);
    mine = spentUntil !== undefined;
    return mine ? { spentUntil } : undefined;
  });
  return mine ? account : undefined;
}

/** The movement's transaction, as the platform's own record tells. */
export type Moved =
  | { readonly of: 'nothing' }
  /** Not visible yet, or not of this account. */
  | { readonly of: 'hidden' }
  | { readonly of: 'other' }
  | { readonly of: 'order'; readonly order: RfOrder; readonly record: TransactionRecord };

export async function orderOfMovement(
  { recipient, transactionId }: Message,
  payments: Payments,
  platform: Platform,
): Promise<Moved> {
  if (transactionId === undefined) {
    return { of: 'nothing' };
  }
  try {
    const { record } = await platform.readTransaction(transactionId);
    const subject = idAtEndOf(record.merchantTrns ?? '') ?? record.orderCode;
    const target = subject === undefined ? undefined : await targetOf(subject, payments);
    const isOrder = target?.kind === 'rf' && target.item.merchantId === recipient;
    return isOrder ? { of: 'order', order: target.item, record } : { of: 'other' };
  } catch (error) {
    if (error instanceof TransientError && error.code === 'TRANSACTION_NOT_VISIBLE') {
      return { of: 'hidden' };
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
      item.status === 'pending' && (item.dueAt ?? '9') > dueAt ? { dueAt } : undefined,
    );
    hurried += order.dueAt === dueAt ? 1 : 0;
  }
  return hurried;
}
