/**
 * Captures a pre-authorization, with the amount that was reserved in the item.
 *
 * At most one attempt ever sends it: the one that wins the conditional write of the capture's `sentAt`. On some accounts
 * the same call would charge the card again if the hold were already captured, so an outcome that is not known is never
 * repeated; it goes to a person. `sentAt` is taken back only with proof that nothing was sent.
 */
import * as z from 'zod/mini';
import { FaultError, FlowError, RejectedError, TransientError, UnknownOutcomeError } from '../../../shared/errors.ts';
import type { Capture, Charge } from '../../../shared/items.ts';
import { chargeMoved } from '../../../shared/moves.ts';
import type { Payments } from '../../../shared/payments.ts';
import { platformReason } from '../../../shared/platform/errors.ts';
import type { PlatformFor } from '../../../shared/platform/platform.ts';
import { actReference } from '../../../shared/references.ts';
import type { Step } from '../../../shared/step.ts';
import { accountOf, existing } from '../../../shared/subjects.ts';
import { appended, callEntry, entry } from '../../../shared/timeline.ts';

const input = z.strictObject({ chargeId: z.uuid() });
const output = z.strictObject({});

export interface CaptureDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly now: () => number;
}

export const capture: Step<typeof input, typeof output, CaptureDeps> = {
  name: 'capture',
  input,
  output,
  run: async ({ chargeId }, deps, { remainingMs }) => {
    const { payments, platformFor, now } = deps;
    const charge = await existing(payments, 'charge', chargeId);
    const reserved = charge.captures.find(({ status }) => status === 'pending');
    if (reserved === undefined) {
      return finished(charge);
    }
    const sentAt = await claim(charge, reserved, deps);
    const { transactionId, call } = await platformFor(await accountOf(payments, charge), remainingMs)
      .capture({
        transactionId: charge.transactionId ?? '',
        amount: reserved.amount,
        isvAmount: reserved.isvAmount,
        merchantTrns: actReference(charge.merchantTrns, chargeId, reserved.captureId),
      })
      .catch(async (error: unknown) => {
        throw await recorded(error, chargeId, { ...reserved, sentAt }, deps);
      });
    await payments.change('charge', chargeId, (item) =>
      chargeMoved(
        item,
        'captured',
        {
          capturedAmount: reserved.amount,
          captures: withCapture(item, { ...reserved, status: 'done', transactionId }),
          taskToken: undefined,
        },
        callEntry(now(), 'capture.done', call, { amount: reserved.amount }),
      ),
    );
    return {};
  },
};

function finished(charge: Charge): Record<string, never> {
  if (charge.status === 'captured') {
    return {};
  }
  throw new FaultError('CAPTURE_MISSING', 'no capture is reserved');
}

async function claim({ chargeId }: Charge, { captureId }: Capture, { payments, now }: CaptureDeps): Promise<string> {
  const sentAt = new Date(now()).toISOString();
  let mine = false;
  await payments.change('charge', chargeId, (item) => {
    const reserved = item.captures.find((one) => one.captureId === captureId);
    mine =
      item.status === 'authorized' &&
      item.voidSentAt === undefined &&
      reserved?.status === 'pending' &&
      reserved.sentAt === undefined;
    return mine && reserved ? { captures: withCapture(item, { ...reserved, sentAt }) } : undefined;
  });
  if (!mine) {
    throw new UnknownOutcomeError('CAPTURE_ALREADY_SENT', 'another attempt sent this capture');
  }
  return sentAt;
}

function withCapture(charge: Charge, changed: Capture): readonly Capture[] {
  return charge.captures.map((one) => (one.captureId === changed.captureId ? changed : one));
}

function unsent({ sentAt: _sentAt, ...capture }: Capture): Capture {
  return capture;
}

function isSame(one: Capture, other: Capture): boolean {
  return one.captureId === other.captureId && one.sentAt === other.sentAt;
}

async function recorded(error: unknown, chargeId: string, sent: Capture, deps: CaptureDeps): Promise<unknown> {
  const { payments, now } = deps;
  const platform = error instanceof FlowError ? platformReason(error) : {};
  if (error instanceof TransientError) {
    await payments.change('charge', chargeId, (item) => ({
      captures: item.captures.map((one) => (isSame(one, sent) ? unsent(one) : one)),
      timeline: appended(item.timeline, entry(now(), 'capture.not_sent', { code: error.code })),
    }));
  } else if (error instanceof RejectedError || error instanceof FaultError) {
    const failure = { code: 'CAPTURE_REFUSED' as const, platform };
    await payments.change('charge', chargeId, (item) => ({
      failure,
      captures: withCapture(item, { ...sent, status: 'refused', failure }),
      timeline: appended(item.timeline, entry(now(), 'capture.refused', { ...platform })),
    }));
    return new RejectedError('CAPTURE_REFUSED', 'the authorization stands as it was', { cause: error });
  } else {
    await payments.change('charge', chargeId, (item) => ({
      timeline: appended(item.timeline, entry(now(), 'capture.unanswered', { ...platform })),
    }));
  }
  return error;
}
