/** What messages about one subject make us look at, and what came of it. */
import type { Charge, Inbox, Message, RfOrder, Sale } from '../../../shared/items.ts';
import type { Payments } from '../../../shared/payments.ts';
import type { PlatformFor } from '../../../shared/platform/platform.ts';
import { isOutcomeUnknown } from '../../../shared/settlement/charge.ts';
import { othersPaid } from '../../../shared/settlement/rf-others.ts';
import type { CompleteTask, RetryTask } from '../../../shared/tasks.ts';
import { eventTypes } from '../../../shared/webhooks/event.ts';
import { hurryOrders, orderOfMovement, takesTurn } from './hurry-orders.ts';
import { lookAtSale } from './look-at-sale.ts';
import { targetOf } from './target.ts';

export interface Look {
  /** Of the messages: those that stay `new` are looked into again, later each time. */
  readonly state: 'new' | 'acted' | 'parked' | 'ignored';
  /** In a word or two. */
  readonly outcome: string;
  /** Whether the platform had anything new to tell. */
  readonly news: boolean;
}

/** Reads the platform about one item, moves it by what is proven there, and resolves to it. */
type Settle<T> = (id: string, remainingMs: () => number) => Promise<T>;

export interface LookDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly completeTask: CompleteTask;
  readonly retryTask: RetryTask;
  /** `otherCodes`: order codes that messages named for it, and that are not its own. */
  readonly settleRfOrder: (id: string, remainingMs: () => number, otherCodes: readonly string[]) => Promise<RfOrder>;
  readonly settleSale: Settle<Sale>;
  readonly settleCharge: Settle<Charge>;
  readonly now: () => number;
}

/** No answer to a charge comes later. */
const ANSWER_MS = 60_000;
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
    return { state: 'ignored', outcome: 'of another merchant', news: false };
  }
  switch (kind) {
    case 'rf':
      return lookAtRfOrder(item, messages, deps, remainingMs);
    case 'charge':
      return isUnsettledCharge(item, deps.now())
        ? settled(item, await deps.settleCharge(item.chargeId, remainingMs))
        : untouched(item);
    case 'sale':
      return lookAtSale(item, messages, deps, remainingMs);
  }
}

async function lookAtRfOrder(
  order: RfOrder,
  messages: readonly Message[],
  deps: LookDeps,
  remainingMs: () => number,
): Promise<Look> {
  const otherCodes = otherCodesIn(messages, order);
  const after = await deps.settleRfOrder(order.rfOrderId, remainingMs, otherCodes);
  const look = settled(order, after);
  const open = otherCodes.filter((code) => !othersPaid(after).includes(code));
  const hints = messages.filter(({ orderCode = '' }) => open.includes(orderCode));
  return mayAppear(hints, deps.now()) ? { ...look, state: 'new' } : look;
}

/** Other orders of the platform that may be paid for this one: only a payer who is notified knows of any. */
function otherCodesIn(told: readonly Pick<Message, 'orderCode'>[], order: RfOrder): readonly string[] {
  const codes = told.flatMap(({ orderCode = order.orderCode }) => orderCode ?? []);
  return order.notifyCustomer ? [...new Set(codes)].filter((code) => code !== order.orderCode) : [];
}

/** Whether any of these is so young that what it tells of may not be visible yet. */
export function mayAppear(hints: readonly Message[], now: number): boolean {
  return hints.some(({ replayedAt, receivedAt }) => Date.parse(replayedAt ?? receivedAt) + LIST_LAG_MS > now);
}

/** Sent so long ago that the flow has no answer. */
function isUnsettledCharge(charge: Charge, now: number): boolean {
  return isOutcomeUnknown(charge) && Date.parse(charge.sentAt ?? '') + ANSWER_MS < now;
}

export function untouched(item: Sale | Charge): Look {
  return { state: 'acted', outcome: item.status, news: true };
}

/** A movement of the account may be a payment of any order; what else names nothing of ours costs the platform nothing. */
async function lookAround(fresh: readonly Message[], deps: LookDeps, remainingMs: () => number): Promise<Look> {
  const movement = fresh.find(({ eventTypeId }) => eventTypeId === eventTypes.accountTransactionCreated);
  if (movement === undefined) {
    return { state: 'parked', outcome: 'not known', news: false };
  }
  const { payments, platformFor, now } = deps;
  const account = await takesTurn(movement, payments, now());
  if (account === undefined) {
    return { state: 'acted', outcome: 'not now', news: true };
  }
  const paid = await orderOfMovement(movement, payments, platformFor(account, remainingMs));
  if (paid !== undefined) {
    const { order, record } = paid;
    return settled(order, await deps.settleRfOrder(order.rfOrderId, remainingMs, otherCodesIn([record], order)));
  }
  const hurried = await hurryOrders(account, payments, now());
  return { state: 'acted', outcome: `hurried ${hurried} orders`, news: true };
}

export function settled(before: RfOrder | Sale | Charge, after: RfOrder | Sale | Charge): Look {
  return { state: 'acted', outcome: after.status, news: told(before) !== told(after) };
}

/** What a look at the platform can change. */
function told(item: RfOrder | Sale | Charge): string {
  return JSON.stringify('payments' in item ? [item.status, item.payments] : item.status);
}
