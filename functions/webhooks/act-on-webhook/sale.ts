/**
 * Webhooks about a sale. A sale that waits for its terminal is read at once; a sale that is over only if the webhook
 * reports what its execution cannot have seen. The execution runs at the same time and reads for itself.
 */
import { errorName } from '../../../shared/flow/errors.ts';
import { accountOf } from '../../../shared/payments/existing.ts';
import type { Webhook } from '../../../shared/payments/items/inbox.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import { saleMoney, saleReportedUnpaid } from '../../../shared/payments/lifecycle.ts';
import { releaseTerminal } from '../../../shared/payments/terminal-lease.ts';
import { reconcileSale } from '../../../shared/reconciliation/sale/reconcile.ts';
import { flowContinues, isDecided, recordSession } from '../../../shared/reconciliation/sale/session.ts';
import { webhookTypes } from '../../../shared/webhooks/webhook.ts';
import { type HandleDeps, type Handled, mayAppear, resultOf, untouched } from './handled.ts';

export async function handleSale(sale: Sale, webhooks: readonly Webhook[], deps: HandleDeps): Promise<Handled> {
  if (waits(sale)) {
    return wake(sale, deps);
  }
  const unexplained = webhooks.filter((webhook) => mayBeNews(sale, webhook));
  if (unexplained.length === 0) {
    return untouched(sale);
  }
  const handled = resultOf(sale, await reconcileSale(sale.saleId, deps));
  await deps.publish('sale', sale.saleId);
  const isScheduled = sale.status === 'unconfirmed'; // by the reconciler
  return handled.news || isScheduled || !mayAppear(unexplained, deps.now()) ? handled : { ...handled, state: 'new' };
}

function mayBeNews({ status }: Sale, { eventTypeId }: Webhook): boolean {
  if (eventTypeId === webhookTypes.reversalCreated) {
    return saleMoney(status) !== 'given_back';
  }
  const open = status === 'unconfirmed' || status === 'needs_review';
  const isPayment = eventTypeId === webhookTypes.paymentCreated || eventTypeId === webhookTypes.sessionCreated;
  return open || (isPayment && saleReportedUnpaid(status));
}

/** The sale waits for its terminal in a state of the execution that will see the outcome. */
function waits(sale: Sale): boolean {
  return !isDecided(sale) && sale.status !== 'unconfirmed';
}

/** Records the outcome and completes the waiting task. Without an outcome the waiting state is left alone. */
async function wake(sale: Sale, deps: HandleDeps): Promise<Handled> {
  const { payments, vivaFor, completeTask, retryTask, now, remainingMs } = deps;
  const viva = vivaFor(await accountOf(payments, sale), remainingMs);
  const session = await viva.readSession(sale.saleId);
  if (session.state !== 'finished') {
    return { state: 'acted', outcome: 'still open', news: false };
  }
  const seen = await recordSession(sale, session, viva, deps);
  if (flowContinues(seen)) {
    await releaseTerminal(payments, seen, now());
  }
  if (sale.taskToken !== undefined) {
    await (flowContinues(seen)
      ? completeTask(sale.taskToken)
      : retryTask(sale.taskToken, errorName.transient, 'SALE_ENDED'));
  }
  return { state: 'acted', outcome: 'terminal ended', news: true };
}
