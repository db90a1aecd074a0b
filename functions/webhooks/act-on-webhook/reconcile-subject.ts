/** What messages about one subject make us look at, and what came of it. */

import type { CompleteTask, RetryTask } from '../../../shared/flow/tasks.ts';
import type { Charge, Inbox, Message, RfOrder, Sale } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import type { Told } from '../../../shared/reconciliation/rf-order/reconcile.ts';
import type { PlatformFor } from '../../../shared/viva/viva.ts';
import { eventTypes } from '../../../shared/webhooks/message.ts';
import { lookAtCharge } from './reconcile-charge.ts';
import { isFound, lookAtRfOrder, otherCodesIn } from './reconcile-rf-order.ts';
import { lookAtSale } from './reconcile-sale.ts';
import { targetOf } from './target.ts';
import { type Found, targetOfTransaction } from './target-of-transaction.ts';
import { hurryOrders, takesTurn } from './wake-orders.ts';

export interface Look {
  /** Of the messages: those that stay `new` are looked into again, later each time. */
  readonly state: 'new' | 'acted' | 'parked' | 'ignored';
  /** Of state `new`: only these stay so, where it is not all of them. */
  readonly held?: readonly Message[];
  /** In a word or two. */
  readonly outcome: string;
  /** Whether the platform had anything new to tell. */
  readonly news: boolean;
  /** The platform was not asked. */
  readonly isFree?: boolean;
}

/** Reads the platform about one item, moves it by what is proven there, and resolves to it. */
type Settle<T> = (id: string, remainingMs: () => number) => Promise<T>;

export interface LookDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly completeTask: CompleteTask;
  readonly retryTask: RetryTask;
  readonly settleRfOrder: (id: string, remainingMs: () => number, told: Told) => Promise<RfOrder>;
  readonly settleSale: Settle<Sale>;
  readonly settleCharge: Settle<Charge>;
  readonly now: () => number;
}

/** The platform tells of a payment before its lists show it: for so long it may still appear. */
const LIST_LAG_MS = 10 * 60_000;

export async function lookAt(inbox: Inbox, deps: LookDeps, remainingMs: () => number): Promise<Look> {
  const fresh = inbox.messages.filter(({ state }) => state === 'new');
  const target = await targetOf(inbox.subject, deps.payments);
  if (target === undefined) {
    return lookAround(fresh, deps, remainingMs);
  }
  const { kind, item } = target;
  const messages = fresh.filter(({ recipient }) => recipient === 'isv' || recipient === item.merchantId);
  if (messages.length === 0) {
    return { state: 'ignored', outcome: 'of another merchant', news: false, isFree: true };
  }
  switch (kind) {
    case 'rf':
      return lookAtRfOrder(item, messages, deps, remainingMs);
    case 'charge':
      return lookAtCharge(item, messages, deps, remainingMs);
    case 'sale':
      return lookAtSale(item, messages, deps, remainingMs);
  }
}

/** Whether any of these is so young that what it tells of may not be visible yet. */
export function mayAppear(hints: readonly Message[], now: number): boolean {
  return hints.some(({ replayedAt, receivedAt }) => Date.parse(replayedAt ?? receivedAt) + LIST_LAG_MS > now);
}

export function untouched(item: Sale | Charge): Look {
  return { state: 'acted', outcome: item.status, news: true, isFree: true };
}

/**
 * A movement of the account may be a payment of any order, and a reversal names the order of what it gives back, which we
 * do not know of a card payment. What else names nothing of ours costs the platform nothing.
 */
async function lookAround(fresh: readonly Message[], deps: LookDeps, remainingMs: () => number): Promise<Look> {
  const hint = fresh.find(isMovement) ?? fresh.findLast(isReversal);
  if (hint === undefined) {
    return { state: 'parked', outcome: 'not known', news: false, isFree: true };
  }
  const { payments, platformFor, now } = deps;
  const mayCome = mayAppear([hint], now());
  const account = await takesTurn(hint, payments, now());
  if (account === undefined || account === 'later') {
    const unseen = account === 'later' && mayCome ? 'new' : 'parked';
    return { state: isReversal(hint) ? unseen : 'acted', outcome: 'not now', news: false, isFree: true };
  }
  if (hint.transactionId !== undefined) {
    const platform = platformFor(account, remainingMs);
    const found = await targetOfTransaction(hint.transactionId, account.merchantId, payments, platform);
    if (found.of === 'ours') {
      return lookAtTarget(found, hint, deps, remainingMs);
    }
    if (found.of === 'hidden' && mayCome) {
      return { state: 'new', outcome: 'not visible', news: false };
    }
    if (found.of === 'other' || isReversal(hint)) {
      return { state: 'acted', outcome: 'another payment', news: false };
    }
  }
  const hurried = await hurryOrders(account, payments, now());
  return { state: 'acted', outcome: `hurried ${hurried} orders`, news: true };
}

/** Of what a transaction is about. What moved of a card payment and is no reversal, its own messages tell. */
async function lookAtTarget(
  { target, record }: Extract<Found, { of: 'ours' }>,
  hint: Message,
  deps: LookDeps,
  remainingMs: () => number,
): Promise<Look> {
  if (target.kind === 'rf') {
    const told = { otherCodes: otherCodesIn([record], target.item), records: [record] };
    const after = await deps.settleRfOrder(target.item.rfOrderId, remainingMs, told);
    const look = settled(target.item, after);
    return isFound(after, hint) || !mayAppear([hint], deps.now()) ? look : { ...look, state: 'new' };
  }
  if (!isReversal(hint)) {
    return { state: 'acted', outcome: 'another payment', news: false };
  }
  return target.kind === 'sale'
    ? lookAtSale(target.item, [hint], deps, remainingMs)
    : lookAtCharge(target.item, [hint], deps, remainingMs);
}

function isMovement({ eventTypeId }: Message): boolean {
  return eventTypeId === eventTypes.accountTransactionCreated;
}

function isReversal({ eventTypeId, transactionId }: Message): boolean {
  return eventTypeId === eventTypes.reversalCreated && transactionId !== undefined;
}

export function settled(before: RfOrder | Sale | Charge, after: RfOrder | Sale | Charge): Look {
  return { state: 'acted', outcome: after.status, news: told(before) !== told(after) };
}

/** What a look at the platform can change. */
function told(item: RfOrder | Sale | Charge): string {
  return JSON.stringify(
    'payments' in item
      ? [item.status, item.payments, item.readings]
      : [item.status, item.transactionId, item.refundedAmount, item.reading],
  );
}
