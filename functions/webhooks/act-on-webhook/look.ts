/** What messages about one subject make us look at, and what came of it. */
import { errorName } from '../../../shared/errors.ts';
import { isRefusal } from '../../../shared/idempotency.ts';
import type { Charge, Inbox, Items, RfOrder, Sale } from '../../../shared/items.ts';
import { terminalEnded } from '../../../shared/lifecycle.ts';
import type { Payments } from '../../../shared/payments.ts';
import type { PlatformFor } from '../../../shared/platform/platform.ts';
import { accountOf } from '../../../shared/subjects.ts';
import type { RetryTask } from '../../../shared/tasks.ts';
import { eventTypes } from '../../../shared/webhooks/event.ts';
import { hurryOrders } from './hurry-orders.ts';

export interface Look {
  readonly state: 'acted' | 'parked' | 'ignored';
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
  readonly retryTask: RetryTask;
  readonly settleRfOrder: Settle<RfOrder>;
  readonly settleSale: Settle<Sale>;
  readonly settleCharge: Settle<Charge>;
  readonly now: () => number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ORDER_CODE = /^\d+$/;

type Target = { [K in 'sale' | 'rf' | 'charge']: { readonly kind: K; readonly item: Items[K] } }[
  | 'sale'
  | 'rf'
  | 'charge'];

export async function lookAt(inbox: Inbox, deps: LookDeps, remainingMs: () => number): Promise<Look> {
  const target = await targetOf(inbox.subject, deps.payments);
  if (target === undefined) {
    return lookAround(inbox, deps);
  }
  const concerns = ({ recipient, state }: Inbox['messages'][number]) =>
    state === 'new' && (recipient === 'isv' || recipient === target.item.merchantId);
  if (!inbox.messages.some(concerns)) {
    return { state: 'ignored', outcome: 'another merchant’s', news: false };
  }
  switch (target.kind) {
    case 'rf':
      return settled(target.item, await deps.settleRfOrder(target.item.rfOrderId, remainingMs));
    case 'charge':
      return settled(target.item, await deps.settleCharge(target.item.chargeId, remainingMs));
    case 'sale':
      return waits(target.item)
        ? wake(target.item, deps, remainingMs)
        : settled(target.item, await deps.settleSale(target.item.saleId, remainingMs));
  }
}

/** A movement of the account may be a payment of any order; what else names nothing of ours costs the platform nothing. */
async function lookAround(inbox: Inbox, deps: LookDeps): Promise<Look> {
  const movement = inbox.messages.find(
    ({ state, eventTypeId }) => state === 'new' && eventTypeId === eventTypes.accountTransactionCreated,
  );
  if (movement === undefined) {
    return { state: 'parked', outcome: 'not known', news: false };
  }
  const hurried = await hurryOrders(movement, deps.payments, deps.now());
  return { state: 'acted', outcome: `hurried ${hurried} orders`, news: true };
}

async function targetOf(subject: string, payments: Payments): Promise<Target | undefined> {
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

/** For the terminal, with a state of the execution that will see its outcome. */
function waits({ status, transactionId }: Sale): boolean {
  return !terminalEnded(status) && status !== 'unconfirmed' && transactionId === undefined;
}

/** The state that waits looks at the session now, and not at its next turn; if there is nothing to see it is left alone. */
async function wake(sale: Sale, deps: LookDeps, remainingMs: () => number): Promise<Look> {
  const { payments, platformFor, retryTask } = deps;
  const session = await platformFor(await accountOf(payments, sale), remainingMs).readSession(sale.saleId);
  if (session.state !== 'finished') {
    return { state: 'acted', outcome: 'still open', news: false };
  }
  let taskToken: string | undefined;
  await payments.change('sale', sale.saleId, (item) => {
    taskToken = waits(item) ? item.taskToken : undefined;
    return taskToken === undefined ? undefined : { taskToken: undefined };
  });
  if (taskToken !== undefined) {
    await retryTask(taskToken, errorName.transient, 'SESSION_FINISHED');
  }
  return { state: 'acted', outcome: 'woken', news: true };
}

function settled(before: RfOrder | Sale | Charge, after: RfOrder | Sale | Charge): Look {
  return { state: 'acted', outcome: after.status, news: told(before) !== told(after) };
}

/** What a look at the platform can change. */
function told(item: RfOrder | Sale | Charge): string {
  return JSON.stringify('payments' in item ? [item.status, item.payments, item.commission] : item.status);
}
