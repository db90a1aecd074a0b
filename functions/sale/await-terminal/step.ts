/**
 * Waits for the terminal's outcome. The state machine runs this step repeatedly with a new task token. Each attempt
 * stores its token, sends an abort if one is due, reads the session at once and after three seconds, and lets the state
 * time out.
 *
 * Safe to run twice: it reads, and a second abort changes nothing. Only the session's outcome decides, so an approval
 * that is faster than an abort counts. A task token that is no longer awaited is no error, because the next attempt
 * reads first.
 *
 * A sale becomes `unconfirmed` when its terminal does not answer, or when its session does not exist 30 seconds after
 * the request. The session may still appear, so the terminal is asked to stop and the attempts continue for a while;
 * then the reconciler resolves the sale.
 */

import * as z from 'zod/mini';
import { FaultError, RejectedError, TransientError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { CompleteTask } from '../../../shared/flow/tasks.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import { terminalEnded } from '../../../shared/payments/lifecycle.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { releaseTerminal } from '../../../shared/payments/terminal-lease.ts';
import { iso } from '../../../shared/payments/time.ts';
import { appended, entry } from '../../../shared/payments/timeline.ts';
import { sendAbort } from '../../../shared/reconciliation/sale/send-abort.ts';
import { flowContinues, isDecided, recordSession } from '../../../shared/reconciliation/sale/session.ts';
import type { Session, Viva, VivaFor } from '../../../shared/viva/viva.ts';
import { isPatienceOver, unconfirmed, visibilityNoted } from './unconfirmed.ts';

const input = z.strictObject({ saleId: z.uuid(), taskToken: z.string() });
const output = z.strictObject({});

const LOOKS_AFTER_MS = [0, 3_000];

export interface AwaitTerminalDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  readonly completeTask: CompleteTask;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** The sale after a read, and the state of the session; undefined when it could not be read. */
interface Seen {
  readonly sale: Sale;
  readonly state: Session['state'] | undefined;
}

export const awaitTerminal: Step<typeof input, typeof output, AwaitTerminalDeps> = {
  name: 'await-terminal',
  input,
  output,
  run: async ({ saleId, taskToken }, deps, { remainingMs }) => {
    const { payments, vivaFor, completeTask, now, sleep } = deps;
    const waiting = await payments.change('sale', saleId, (sale) => (isDecided(sale) ? undefined : { taskToken }));
    const viva = vivaFor(await accountOf(payments, waiting), remainingMs);
    if (isStopDue(waiting, now())) {
      await sendAbort(waiting, viva, deps);
    }
    const states: Seen['state'][] = [];
    for (const delayMs of LOOKS_AFTER_MS) {
      await sleep(delayMs);
      const { sale, state } = await readOnce(saleId, viva, deps);
      if (flowContinues(sale)) {
        await releaseTerminal(payments, sale, now());
        await completeTask(taskToken);
        return {};
      }
      if (isOver(sale, state, now())) {
        throw new RejectedError(sale.failure?.code ?? 'SALE_ENDED', `the sale is ${sale.status}`);
      }
      states.push(state);
    }
    await payments.change('sale', saleId, (sale) => visibilityNoted(sale, states, now()));
    return {};
  },
};

/**
 * An abort is due when the storefront requests it, when the time is over, and when a missing session may still appear.
 */
function isStopDue(sale: Sale, at: number): boolean {
  const isLate = at >= Date.parse(sale.deadlineAt ?? '');
  return sale.abortRequestedAt !== undefined || isLate || sale.status === 'unconfirmed';
}

/** Nothing more to wait for here. */
function isOver(sale: Sale, state: Seen['state'], at: number): boolean {
  const decidedLater = sale.status === 'unconfirmed' && (state === 'finished' || isPatienceOver(sale, at));
  return terminalEnded(sale.status) || decidedLater;
}

/** Reads the session once and records what it says. No answer, or a refused read, proves nothing. */
async function readOnce(saleId: string, viva: Viva, deps: AwaitTerminalDeps): Promise<Seen> {
  const sale = await existing(deps.payments, 'sale', saleId);
  if (isDecided(sale)) {
    return { sale, state: undefined };
  }
  try {
    const session = await viva.readSession(saleId);
    return { sale: await record(sale, session, viva, deps), state: session.state };
  } catch (error) {
    if (error instanceof FaultError) {
      return { sale: await noteOnce(sale, error, deps), state: undefined };
    }
    if (error instanceof TransientError) {
      return { sale, state: undefined };
    }
    throw error;
  }
}

async function record(sale: Sale, session: Session, viva: Viva, deps: AwaitTerminalDeps): Promise<Sale> {
  const { payments, now } = deps;
  const at = now();
  if (session.state === 'finished') {
    const recorded = await recordSession(sale, session, viva, deps);
    const terminalStoppedAt = iso(at);
    return isDecided(recorded)
      ? recorded
      : payments.change('sale', sale.saleId, (item) => (item.terminalStoppedAt ? undefined : { terminalStoppedAt }));
  }
  return isPatienceOver(sale, at)
    ? payments.change('sale', sale.saleId, (item) => unconfirmed(item, 'terminal.not_answering', at))
    : sale;
}

/** A refused read may be due to credentials that a person is changing now, so the wait for the terminal continues. */
function noteOnce({ saleId }: Sale, { code }: FaultError, { payments, now }: AwaitTerminalDeps): Promise<Sale> {
  const event = 'terminal.unreadable';
  return payments.change('sale', saleId, (item) =>
    item.timeline.at(-1)?.event === event
      ? undefined
      : { timeline: appended(item.timeline, entry(now(), event, { code })) },
  );
}
