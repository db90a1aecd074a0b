/**
 * A sale that waits for its terminal is seen to at once; one that is over only if the message tells of what its flow
 * cannot have seen. The flow runs beside its own webhooks and reads for itself.
 */
import { errorName } from '../../../shared/flow/errors.ts';
import { accountOf } from '../../../shared/payments/existing.ts';
import type { Message, Sale } from '../../../shared/payments/items.ts';
import { saleToldAsOver } from '../../../shared/payments/lifecycle.ts';
import { releaseTerminal } from '../../../shared/payments/terminal-lease.ts';
import { goesOn, isDecided, recordSession } from '../../../shared/reconciliation/sale/session.ts';
import { eventTypes } from '../../../shared/webhooks/message.ts';
import { type Look, type LookDeps, mayAppear, settled, untouched } from './reconcile-subject.ts';

export async function lookAtSale(
  sale: Sale,
  messages: readonly Message[],
  deps: LookDeps,
  remainingMs: () => number,
): Promise<Look> {
  if (waits(sale)) {
    return wake(sale, deps, remainingMs);
  }
  const hints = messages.filter((message) => mayBeNews(sale, message));
  if (hints.length === 0) {
    return untouched(sale);
  }
  const look = settled(sale, await deps.settleSale(sale.saleId, remainingMs));
  const isWatched = sale.status === 'unconfirmed'; // by the reconciler
  return look.news || isWatched || !mayAppear(hints, deps.now()) ? look : { ...look, state: 'new' };
}

function mayBeNews({ status }: Sale, { eventTypeId }: Message): boolean {
  if (eventTypeId === eventTypes.reversalCreated) {
    return status !== 'refunded' && status !== 'reversed';
  }
  const open = status === 'unconfirmed' || status === 'needs_review';
  const isPayment = eventTypeId === eventTypes.paymentCreated || eventTypeId === eventTypes.sessionCreated;
  return open || (isPayment && saleToldAsOver(status));
}

/** For the terminal, with a state of the execution that will see its outcome. */
function waits(sale: Sale): boolean {
  return !isDecided(sale) && sale.status !== 'unconfirmed';
}

/** Writes the outcome down and ends the wait for it. If there is none, the state that waits is left alone. */
async function wake(sale: Sale, deps: LookDeps, remainingMs: () => number): Promise<Look> {
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
