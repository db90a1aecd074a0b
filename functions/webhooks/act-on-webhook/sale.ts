/**
 * A sale that waits for its terminal is seen to at once; one that is over only if the message tells of what its flow
 * cannot have seen. The flow runs beside its own webhooks and reads for itself.
 */
import { errorName } from '../../../shared/flow/errors.ts';
import { accountOf } from '../../../shared/payments/existing.ts';
import type { Message, Sale } from '../../../shared/payments/items.ts';
import { saleMoney, saleReportedUnpaid } from '../../../shared/payments/lifecycle.ts';
import { releaseTerminal } from '../../../shared/payments/terminal-lease.ts';
import { goesOn, isDecided, recordSession } from '../../../shared/reconciliation/sale/session.ts';
import { eventTypes } from '../../../shared/webhooks/message.ts';
import { type Handled, mayAppear, resultOf, type SubjectDeps, untouched } from './handled.ts';

export async function handleSale(
  sale: Sale,
  messages: readonly Message[],
  deps: SubjectDeps,
  remainingMs: () => number,
): Promise<Handled> {
  if (waits(sale)) {
    return wake(sale, deps, remainingMs);
  }
  const hints = messages.filter((message) => mayBeNews(sale, message));
  if (hints.length === 0) {
    return untouched(sale);
  }
  const handled = resultOf(sale, await deps.reconcileSale(sale.saleId, remainingMs));
  const isScheduled = sale.status === 'unconfirmed'; // by the reconciler
  return handled.news || isScheduled || !mayAppear(hints, deps.now()) ? handled : { ...handled, state: 'new' };
}

function mayBeNews({ status }: Sale, { eventTypeId }: Message): boolean {
  if (eventTypeId === eventTypes.reversalCreated) {
    return saleMoney(status) !== 'given_back';
  }
  const open = status === 'unconfirmed' || status === 'needs_review';
  const isPayment = eventTypeId === eventTypes.paymentCreated || eventTypeId === eventTypes.sessionCreated;
  return open || (isPayment && saleReportedUnpaid(status));
}

/** For the terminal, with a state of the execution that will see its outcome. */
function waits(sale: Sale): boolean {
  return !isDecided(sale) && sale.status !== 'unconfirmed';
}

/** Writes the outcome down and ends the wait for it. If there is none, the state that waits is left alone. */
async function wake(sale: Sale, deps: SubjectDeps, remainingMs: () => number): Promise<Handled> {
  const { payments, platformFor, completeTask, retryTask, now } = deps;
  const platform = platformFor(await accountOf(payments, sale), remainingMs);
  const session = await platform.readSession(sale.saleId);
  if (session.state !== 'finished') {
    return { state: 'acted', outcome: 'still open', news: false };
  }
  const seen = await recordSession(sale, session, platform, deps);
  if (goesOn(seen)) {
    await releaseTerminal(payments, seen, now());
  }
  if (sale.taskToken !== undefined) {
    await (goesOn(seen) ? completeTask(sale.taskToken) : retryTask(sale.taskToken, errorName.transient, 'SALE_ENDED'));
  }
  return { state: 'acted', outcome: 'terminal ended', news: true };
}
