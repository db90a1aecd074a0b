/**
 * Sends the sale to the terminal, once.
 *
 * Safe to run twice: one attempt wins the write of `requestedAt` before its request leaves, and no other sends while
 * that stands. It is removed only with proof that nothing was started: the request did not leave, or the platform was
 * too busy. A request that may have left is never sent again, whether or not its session exists; AwaitTerminal finds
 * its outcome. Nothing leaves after `sendBefore`, because the payer may have left.
 */

import * as z from 'zod/mini';
import { FaultError, RejectedError, TransientError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { accountOf, existing } from '../../../shared/payments/existing.ts';
import { type Failure, type FailureCode, failureCodeOf } from '../../../shared/payments/failures.ts';
import type { Sale } from '../../../shared/payments/items/sale.ts';
import { reference } from '../../../shared/payments/references.ts';
import type { Patch, Payments } from '../../../shared/payments/store.ts';
import { iso } from '../../../shared/payments/time.ts';
import { appended, callEntry, entry } from '../../../shared/payments/timeline.ts';
import { saleTransition } from '../../../shared/payments/transitions.ts';
import { platformReason } from '../../../shared/viva/outcomes.ts';
import type { Call, Viva, VivaFor } from '../../../shared/viva/viva.ts';

const input = z.strictObject({ saleId: z.uuid() });
const output = z.strictObject({});

/** The time from the request until a terminal without an outcome is asked to stop. */
const TERMINAL_DEADLINE_MS = 180_000;

export interface SendSaleRequestDeps {
  readonly payments: Payments;
  readonly vivaFor: VivaFor;
  readonly now: () => number;
}

export const sendSaleRequest: Step<typeof input, typeof output, SendSaleRequestDeps> = {
  name: 'send-sale-request',
  input,
  output,
  run: async ({ saleId }, deps, { remainingMs }) => {
    const { payments, vivaFor, now } = deps;
    const sale = await existing(payments, 'sale', saleId);
    if (sale.status !== 'created') {
      return {};
    }
    if (sale.requestedAt !== undefined) {
      await waitForCard(saleId, 'terminal.request_unconfirmed', undefined, deps);
      return {};
    }
    if (now() > Date.parse(sale.sendBefore) || sale.abortRequestedAt !== undefined) {
      await endUnsent(saleId, deps);
      return {};
    }
    const viva = vivaFor(await accountOf(payments, sale), remainingMs);
    await send(await claim(saleId, deps), viva, deps);
    return {};
  },
};

/** Claims the request; resolves to the sale with the claim of this attempt. */
async function claim(saleId: string, { payments, now }: SendSaleRequestDeps): Promise<Sale> {
  const requestedAt = iso(now());
  const { item: sale, won } = await payments.claim('sale', saleId, (item) =>
    item.status === 'created' && item.requestedAt === undefined && item.abortRequestedAt === undefined
      ? { requestedAt, sendAttempts: (item.sendAttempts ?? 0) + 1 }
      : undefined,
  );
  if (!won) {
    throw saleChanged();
  }
  return sale;
}

async function send(sale: Sale, viva: Viva, deps: SendSaleRequestDeps): Promise<void> {
  const merchantReference = reference(sale.merchantTrns, sale.saleId);
  const sent = await viva
    .sendSale({ ...sale, merchantReference })
    .catch((error: unknown) => recordFailure(error, sale, deps));
  if (sent === undefined) {
    await waitForCard(sale.saleId, 'terminal.request_unanswered', undefined, deps);
  } else {
    const event = sent.alreadySent ? 'terminal.already_requested' : 'terminal.requested';
    await waitForCard(sale.saleId, event, sent.call, deps);
  }
}

/**
 * Throws when the error proves that no payment was started, after recording it; any other error leaves the outcome
 * open.
 */
async function recordFailure(error: unknown, sale: Sale, { payments, now }: SendSaleRequestDeps): Promise<undefined> {
  if (error instanceof TransientError) {
    await payments.change('sale', sale.saleId, (item) => notStarted(item, sale, error.code, now()));
    throw error;
  }
  if (error instanceof RejectedError || error instanceof FaultError) {
    await payments.change('sale', sale.saleId, (item) => refused(item, error, now()));
    throw error;
  }
}

/**
 * Releases this attempt's own claim, so that the next one may send. When the execution has continued meanwhile there is
 * no next one, and the sale ends unsent.
 */
function notStarted(item: Sale, claimed: Sale, code: string, at: number): Patch<'sale'> | undefined {
  if (item.sendAttempts !== claimed.sendAttempts) {
    return undefined;
  }
  const noted = entry(at, 'terminal.request_not_sent', { code });
  return item.status === 'created'
    ? { requestedAt: undefined, timeline: appended(item.timeline, noted) }
    : saleTransition(item, 'expired', { requestedAt: undefined, failure: { code: 'SALE_NOT_SENT' } }, noted);
}

function refused(item: Sale, error: RejectedError | FaultError, at: number): Patch<'sale'> | undefined {
  const code = error instanceof RejectedError ? failureCodeOf(error, 'SALE_REFUSED') : 'ACCOUNT_NOT_READY';
  const failure: Failure = { code, platform: platformReason(error) };
  return saleTransition(item, 'failed', { failure }, entry(at, 'terminal.refused', { code, ...failure.platform }));
}

async function waitForCard(
  saleId: string,
  event: string,
  call: Call | undefined,
  { payments, now }: SendSaleRequestDeps,
): Promise<void> {
  const at = now();
  const sale = await payments.change('sale', saleId, (item) => {
    if (item.requestedAt === undefined) {
      return undefined;
    }
    const deadlineAt = iso(Date.parse(item.requestedAt) + TERMINAL_DEADLINE_MS);
    return saleTransition(item, 'awaiting_card', { deadlineAt }, call ? callEntry(at, event, call) : entry(at, event));
  });
  if (sale.status === 'created') {
    throw saleChanged(); // the attempt that had claimed it released its claim
  }
}

/** Ends a sale of which nothing was sent; one that another attempt has claimed meanwhile is read again. */
async function endUnsent(saleId: string, { payments, now }: SendSaleRequestDeps): Promise<never> {
  const sale = await payments.change('sale', saleId, (item) => {
    const aborted = item.abortRequestedAt !== undefined;
    const code: FailureCode = aborted ? 'SALE_ABORTED' : 'SALE_NOT_SENT';
    const noted = entry(now(), 'sale.not_sent', { code });
    return item.requestedAt === undefined
      ? saleTransition(item, aborted ? 'cancelled' : 'expired', { failure: { code } }, noted)
      : undefined;
  });
  if (sale.requestedAt !== undefined) {
    throw saleChanged();
  }
  throw new RejectedError(sale.failure?.code ?? 'SALE_ENDED', 'the sale was not sent to the terminal');
}

function saleChanged(): TransientError {
  return new TransientError('SALE_CHANGED', 'the sale changed meanwhile; read it again');
}
