/**
 * A sale that waits for its terminal is seen to at once; one that is over only if the message tells of what its flow
 * cannot have seen. The flow runs beside its own webhooks and reads for itself.
 */
import { errorName } from '../../../shared/errors.ts';
import type { Message, Sale } from '../../../shared/items.ts';
import { salePaid, terminalEnded } from '../../../shared/lifecycle.ts';
import { accountOf } from '../../../shared/subjects.ts';
import { eventTypes } from '../../../shared/webhooks/event.ts';
import { type Look, type LookDeps, settled, untouched } from './look.ts';

export async function lookAtSale(
  sale: Sale,
  messages: readonly Message[],
  deps: LookDeps,
  remainingMs: () => number,
): Promise<Look> {
  if (waits(sale)) {
    return wake(sale, deps, remainingMs);
  }
  return messages.some((message) => mayBeNews(sale, message))
    ? settled(sale, await deps.settleSale(sale.saleId, remainingMs))
    : untouched(sale);
}

function mayBeNews({ status }: Sale, { eventTypeId }: Message): boolean {
  if (salePaid(status)) {
    return eventTypeId === eventTypes.reversalCreated;
  }
  const open = status === 'unconfirmed' || status === 'needs_review';
  return open || eventTypeId === eventTypes.paymentCreated || eventTypeId === eventTypes.sessionCreated;
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
