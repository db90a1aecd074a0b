/**
 * Waits for the terminal's outcome. The state machine runs this again and again with a new task token: each attempt
 * stores its token, looks at the session at once and after three seconds, and lets the state time out.
 *
 * Running twice is safe: it reads, and asks the terminal to stop at most once (`abortSentAt`) when the till asked for it
 * or the deadline in the item has passed. Whatever the abort is answered, only the session's outcome decides, so an
 * approval that was faster wins. A task token that is no longer waited for is no error: the next attempt reads first. A
 * terminal that does not answer leaves the sale `unconfirmed`, which the reconciler settles.
 */
import * as z from 'zod/mini';
import { FaultError, RejectedError, TransientError } from '../../../shared/errors.ts';
import type { Sale } from '../../../shared/items.ts';
import { terminalEnded } from '../../../shared/lifecycle.ts';
import { saleMoved } from '../../../shared/moves.ts';
import type { Payments } from '../../../shared/payments.ts';
import type { Platform, PlatformFor } from '../../../shared/platform/platform.ts';
import { goesOn, isDecided, recordSession } from '../../../shared/settlement/session.ts';
import type { Step } from '../../../shared/step.ts';
import { accountOf, existing } from '../../../shared/subjects.ts';
import type { CompleteTask } from '../../../shared/tasks.ts';
import { releaseTerminal } from '../../../shared/terminal-lease.ts';
import { appended, callEntry, entry } from '../../../shared/timeline.ts';

const input = z.strictObject({ saleId: z.uuid(), taskToken: z.string() });
const output = z.strictObject({});

const LOOKS_AFTER_MS = [0, 3_000];
/** A terminal that was asked to stop and still has no outcome after this is not answering. */
const ABORT_PATIENCE_MS = 60_000;

export interface AwaitTerminalDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly completeTask: CompleteTask;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const awaitTerminal: Step<typeof input, typeof output, AwaitTerminalDeps> = {
  name: 'await-terminal',
  input,
  output,
  run: async ({ saleId, taskToken }, deps, { remainingMs }) => {
    const { payments, platformFor, completeTask, now, sleep } = deps;
    const waiting = await payments.change('sale', saleId, (sale) => (isDecided(sale) ? undefined : { taskToken }));
    const platform = platformFor(await accountOf(payments, waiting), remainingMs);
    for (const delayMs of LOOKS_AFTER_MS) {
      await sleep(delayMs);
      const sale = await look(await existing(payments, 'sale', saleId), platform, deps);
      if (goesOn(sale)) {
        await releaseTerminal(payments, sale, now());
        await completeTask(taskToken);
        return {};
      }
      if (terminalEnded(sale.status) || sale.status === 'unconfirmed') {
        throw new RejectedError(sale.failure?.code ?? 'SALE_ENDED', `the sale is ${sale.status}`);
      }
    }
    return {};
  },
};

/** Reads the session once and writes down what it says. A platform that does not answer, or refuses to, says nothing. */
async function look(sale: Sale, platform: Platform, deps: AwaitTerminalDeps): Promise<Sale> {
  if (isDecided(sale)) {
    return sale;
  }
  try {
    const asked = await stopIfDue(sale, platform, deps);
    return await readOutcome(asked, platform, deps);
  } catch (error) {
    if (error instanceof FaultError) {
      return noteOnce(sale, error, deps);
    }
    if (error instanceof TransientError) {
      return sale;
    }
    throw error;
  }
}

/** A refused read may be about credentials a person is changing now: the terminal is waited for all the same. */
function noteOnce({ saleId }: Sale, { code }: FaultError, { payments, now }: AwaitTerminalDeps): Promise<Sale> {
  const event = 'terminal.unreadable';
  return payments.change('sale', saleId, (item) =>
    item.timeline.at(-1)?.event === event
      ? undefined
      : { timeline: appended(item.timeline, entry(now(), event, { code })) },
  );
}

async function readOutcome(sale: Sale, platform: Platform, deps: AwaitTerminalDeps): Promise<Sale> {
  const { payments, now } = deps;
  const session = await platform.readSession(sale.saleId);
  if (session.state !== 'finished') {
    const notAnswering = sale.abortSentAt !== undefined && now() > Date.parse(sale.abortSentAt) + ABORT_PATIENCE_MS;
    return notAnswering
      ? payments.change('sale', sale.saleId, (item) =>
          saleMoved(
            item,
            'unconfirmed',
            { failure: { code: 'TERMINAL_NOT_ANSWERING' }, taskToken: undefined },
            callEntry(now(), 'terminal.not_answering', session.call),
          ),
        )
      : sale;
  }
  return recordSession(sale, session, platform, deps);
}

/** Asks the terminal to stop, once, when the till or the clock says so. */
async function stopIfDue(sale: Sale, platform: Platform, { payments, now }: AwaitTerminalDeps): Promise<Sale> {
  const due = sale.abortRequestedAt !== undefined || now() >= Date.parse(sale.deadlineAt ?? '');
  if (!due || sale.abortSentAt !== undefined) {
    return sale;
  }
  const abortSentAt = new Date(now()).toISOString();
  let mine = false;
  const asked = await payments.change('sale', sale.saleId, (item) => {
    mine = item.abortSentAt === undefined && !isDecided(item);
    return mine ? { abortSentAt } : undefined;
  });
  if (!mine) {
    return asked;
  }
  try {
    const { accepted, call } = await platform.abortSession(sale.saleId, sale.cashRegisterId);
    return await payments.change('sale', sale.saleId, (item) => ({
      timeline: appended(item.timeline, callEntry(now(), 'terminal.abort_sent', call, { accepted })),
    }));
  } catch (error) {
    if (error instanceof FaultError) {
      throw error;
    }
    // Unsent or unanswered: asking again is harmless, and the patience starts anew.
    return payments.change('sale', sale.saleId, (item) => ({
      abortSentAt: undefined,
      timeline: appended(item.timeline, entry(now(), 'terminal.abort_unanswered')),
    }));
  }
}
