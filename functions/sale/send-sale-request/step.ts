/**
 * Asks the terminal to take the sale.
 *
 * Running twice is safe: that a request may have left is written down before it leaves, and an attempt that finds it
 * written asks the platform for the session first. It sends again only when the session was not there twice, some
 * seconds after the request, and then under the same session id, which the platform answers with "already sent" if the
 * first did arrive. After `sendBefore` nothing is sent any more: a terminal must not light up for a payer who has left.
 */
import * as z from 'zod/mini';
import { FaultError, RejectedError, TransientError } from '../../../shared/errors.ts';
import { type Failure, type FailureCode, failureCodeOf } from '../../../shared/failures.ts';
import type { Sale } from '../../../shared/items.ts';
import { saleMoved } from '../../../shared/moves.ts';
import type { Payments } from '../../../shared/payments.ts';
import { platformReason } from '../../../shared/platform/errors.ts';
import type { Platform, PlatformFor } from '../../../shared/platform/platform.ts';
import { reference } from '../../../shared/references.ts';
import type { Step } from '../../../shared/step.ts';
import { accountOf, existing } from '../../../shared/subjects.ts';
import { appended, callEntry, entry } from '../../../shared/timeline.ts';

const input = z.strictObject({ saleId: z.uuid() });
const output = z.strictObject({});

/** From the request on, the time the terminal has for an outcome before it is asked to stop. */
const TERMINAL_DEADLINE_MS = 180_000;
/** A session that is not visible this long after its request is taken for not arrived. */
const RESEND_GRACE_MS = 8_000;
const SECOND_LOOK_MS = 1_000;

export interface SendSaleRequestDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const sendSaleRequest: Step<typeof input, typeof output, SendSaleRequestDeps> = {
  name: 'send-sale-request',
  input,
  output,
  run: async ({ saleId }, deps, { remainingMs }) => {
    const { payments, platformFor, now } = deps;
    const sale = await existing(payments, 'sale', saleId);
    if (sale.status !== 'created') {
      return {};
    }
    const platform = platformFor(await accountOf(payments, sale), remainingMs);
    if (sale.requestedAt !== undefined && (await hasArrived(sale, platform, deps))) {
      await waitForCard(sale, deps, { event: 'terminal.request_found' });
      return {};
    }
    if (now() > Date.parse(sale.sendBefore) || sale.abortRequestedAt !== undefined) {
      return endUnlessRequested(sale, deps);
    }
    await send(sale, platform, deps);
    return {};
  },
};

async function send(sale: Sale, platform: Platform, deps: SendSaleRequestDeps): Promise<void> {
  const { payments, now } = deps;
  const requestedAt = new Date(now()).toISOString();
  let mine = false;
  await payments.change('sale', sale.saleId, (item) => {
    mine = item.status === 'created' && item.abortRequestedAt === undefined && item.requestedAt === sale.requestedAt;
    return mine ? { requestedAt } : undefined;
  });
  if (!mine) {
    throw new TransientError('SALE_CHANGED', 'the sale changed meanwhile; read it again');
  }
  const { alreadySent, call } = await platform
    .sendSale({ ...sale, merchantReference: reference(sale.merchantTrns, sale.saleId) })
    .catch(async (error: unknown) => {
      throw await recorded(error, sale, requestedAt, deps);
    });
  await waitForCard(sale, deps, { event: alreadySent ? 'terminal.already_requested' : 'terminal.requested', call });
}

/** Whether the platform knows the session. Throws while it is too early to say. */
async function hasArrived(sale: Sale, platform: Platform, { now, sleep }: SendSaleRequestDeps): Promise<boolean> {
  if ((await platform.readSession(sale.saleId)).state !== 'not_found') {
    return true;
  }
  if (now() < Date.parse(sale.requestedAt ?? '') + RESEND_GRACE_MS) {
    throw new TransientError('SESSION_NOT_VISIBLE', 'the request may still be on its way');
  }
  await sleep(SECOND_LOOK_MS);
  return (await platform.readSession(sale.saleId)).state !== 'not_found';
}

async function waitForCard(
  sale: Sale,
  { payments, now }: SendSaleRequestDeps,
  { event, call }: { event: string; call?: Parameters<typeof callEntry>[2] },
): Promise<void> {
  const at = now();
  const deadlineAt = new Date(at + TERMINAL_DEADLINE_MS).toISOString();
  await payments.change('sale', sale.saleId, (item) =>
    saleMoved(item, 'awaiting_card', { deadlineAt }, call ? callEntry(at, event, call) : entry(at, event)),
  );
}

/** Ends a sale of which no request ever left; one that may have reached the terminal waits for its outcome. */
async function endUnlessRequested(sale: Sale, deps: SendSaleRequestDeps): Promise<Record<string, never>> {
  const { payments, now } = deps;
  const ended = await payments.change('sale', sale.saleId, (item) => {
    const aborted = item.abortRequestedAt !== undefined;
    const code: FailureCode = aborted ? 'SALE_ABORTED' : 'SALE_NOT_SENT';
    return item.requestedAt === undefined
      ? saleMoved(
          item,
          aborted ? 'cancelled' : 'expired',
          { failure: { code } },
          entry(now(), 'sale.not_sent', { code }),
        )
      : undefined;
  });
  if (ended.requestedAt === undefined) {
    throw new RejectedError(ended.failure?.code ?? 'SALE_ENDED', 'the sale was not sent to the terminal');
  }
  await waitForCard(sale, deps, { event: 'terminal.request_unconfirmed' });
  return {};
}

/**
 * Writes down what a failed request means, and gives back what the state machine must see. What is said of a second
 * request proves nothing about the first, so then only the session can tell.
 */
async function recorded(
  error: unknown,
  sale: Sale,
  requestedAt: string,
  { payments, now }: SendSaleRequestDeps,
): Promise<unknown> {
  const first = sale.requestedAt === undefined;
  if (first && (error instanceof RejectedError || error instanceof FaultError)) {
    const code = error instanceof RejectedError ? failureCodeOf(error, 'SALE_REFUSED') : 'ACCOUNT_NOT_READY';
    const failure: Failure = { code, platform: platformReason(error) };
    await payments.change('sale', sale.saleId, (item) =>
      saleMoved(item, 'failed', { failure }, entry(now(), 'terminal.refused', { code, ...failure.platform })),
    );
    return error;
  }
  const unsent = error instanceof TransientError;
  const event = unsent ? 'terminal.request_not_sent' : 'terminal.request_unanswered';
  await payments.change('sale', sale.saleId, (item) => ({
    ...(unsent && item.requestedAt === requestedAt && { requestedAt: sale.requestedAt }),
    timeline: appended(item.timeline, entry(now(), event)),
  }));
  return unsent
    ? error
    : new TransientError('SALE_REQUEST_UNANSWERED', 'the session shows whether the request arrived', { cause: error });
}
