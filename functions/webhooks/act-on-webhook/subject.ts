/** Finds the item that the webhooks of one subject are about, and reconciles it. */
import type { Inbox, Webhook } from '../../../shared/payments/items/inbox.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { handleCharge } from './charge.ts';
import { type Handled, mayAppear, resultOf, type SubjectDeps } from './handled.ts';
import { handleRfOrder, isFound, otherCodesNamedBy } from './rf-order.ts';
import { handleSale } from './sale.ts';
import { targetOf } from './target.ts';
import { type Found, targetOfTransaction } from './target-of-transaction.ts';
import { takesTurn, wakeOrders } from './wake-orders.ts';

export async function handleSubject(inbox: Inbox, deps: SubjectDeps, remainingMs: () => number): Promise<Handled> {
  const fresh = inbox.webhooks.filter(({ state }) => state === 'new');
  const target = await targetOf(inbox.subject, deps.payments);
  if (target === undefined) {
    return handleUnknownSubject(fresh, deps, remainingMs);
  }
  const { kind, item } = target;
  const webhooks = fresh.filter(({ recipient }) => recipient === 'isv' || recipient === item.merchantId);
  if (webhooks.length === 0) {
    return { state: 'ignored', outcome: 'of another merchant', news: false, isFree: true };
  }
  switch (kind) {
    case 'rf-order':
      return handleRfOrder(item, webhooks, deps, remainingMs);
    case 'charge':
      return handleCharge(item, webhooks, deps, remainingMs);
    case 'sale':
      return handleSale(item, webhooks, deps, remainingMs);
  }
}

/**
 * A movement of the account may be a payment of any order. A reversal names the order of the payment that it reverses,
 * which we do not know for a card payment. Anything else that names nothing of ours causes no read of the platform.
 */
async function handleUnknownSubject(
  fresh: readonly Webhook[],
  deps: SubjectDeps,
  remainingMs: () => number,
): Promise<Handled> {
  const webhook = fresh.find(isMovement) ?? fresh.findLast(isReversal);
  if (webhook === undefined) {
    return { state: 'parked', outcome: 'not known', news: false, isFree: true };
  }
  const { payments, platformFor, now } = deps;
  const mayCome = mayAppear([webhook], now());
  const account = await takesTurn(webhook, payments, now());
  if (account === undefined || account === 'later') {
    const unseen = account === 'later' && mayCome ? 'new' : 'parked';
    return { state: isReversal(webhook) ? unseen : 'acted', outcome: 'not now', news: false, isFree: true };
  }
  if (webhook.transactionId !== undefined) {
    const platform = platformFor(account, remainingMs);
    const found = await targetOfTransaction(webhook.transactionId, account.merchantId, payments, platform);
    if (found.of === 'ours') {
      return handleTarget(found, webhook, deps, remainingMs);
    }
    if (found.of === 'hidden' && mayCome) {
      return { state: 'new', outcome: 'not visible', news: false };
    }
    if (found.of === 'other' || isReversal(webhook)) {
      return { state: 'acted', outcome: 'another payment', news: false };
    }
  }
  const woken = await wakeOrders(account, payments, now());
  return { state: 'acted', outcome: `woke ${woken} orders`, news: true };
}

/** For webhooks about a transaction. Card payments that are no reversals have their own webhooks. */
async function handleTarget(
  { target, record }: Extract<Found, { of: 'ours' }>,
  webhook: Webhook,
  deps: SubjectDeps,
  remainingMs: () => number,
): Promise<Handled> {
  if (target.kind === 'rf-order') {
    const found = { otherCodes: otherCodesNamedBy([record], target.item), records: [record] };
    const after = await deps.reconcileRfOrder(target.item.rfOrderId, remainingMs, found);
    const handled = resultOf(target.item, after);
    return isFound(after, webhook) || !mayAppear([webhook], deps.now()) ? handled : { ...handled, state: 'new' };
  }
  if (!isReversal(webhook)) {
    return { state: 'acted', outcome: 'another payment', news: false };
  }
  return target.kind === 'sale'
    ? handleSale(target.item, [webhook], deps, remainingMs)
    : handleCharge(target.item, [webhook], deps, remainingMs);
}

function isMovement({ eventTypeId }: Webhook): boolean {
  return eventTypeId === webhookTypes.accountTransactionCreated;
}

function isReversal({ eventTypeId, transactionId }: Webhook): boolean {
  return eventTypeId === webhookTypes.reversalCreated && transactionId !== undefined;
}
