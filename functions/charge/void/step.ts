/**
 * Gives a pre-authorization back that was not captured in time.
 *
 * At most one attempt sends it, and none while a capture was sent: both are conditions of the write that claims it. A
 * capture that was asked for but not sent yet is refused by the same write. An unknown outcome goes to a person.
 */
import * as z from 'zod/mini';
import { RejectedError, TransientError, UnknownOutcomeError } from '../../../shared/errors.ts';
import type { Capture } from '../../../shared/items.ts';
import { chargeMoved } from '../../../shared/moves.ts';
import type { Payments } from '../../../shared/payments.ts';
import { platformReason } from '../../../shared/platform/errors.ts';
import type { PlatformFor } from '../../../shared/platform/platform.ts';
import { actReference, derivedId } from '../../../shared/references.ts';
import type { Step } from '../../../shared/step.ts';
import { accountOf } from '../../../shared/subjects.ts';
import { appended, callEntry, entry } from '../../../shared/timeline.ts';

const input = z.strictObject({ chargeId: z.uuid() });
const output = z.strictObject({});

export interface VoidDeps {
  readonly payments: Payments;
  readonly platformFor: PlatformFor;
  readonly now: () => number;
}

export const voidPreauth: Step<typeof input, typeof output, VoidDeps> = {
  name: 'void',
  input,
  output,
  run: async ({ chargeId }, { payments, platformFor, now }, { remainingMs }) => {
    const voidSentAt = new Date(now()).toISOString();
    let mine = false;
    const charge = await payments.change('charge', chargeId, (item) => {
      const sent = item.captures.some(({ status, sentAt }) => status === 'pending' && sentAt !== undefined);
      mine = item.status === 'authorized' && item.voidSentAt === undefined && !sent;
      return mine ? { voidSentAt, captures: item.captures.map(tooLate), taskToken: undefined } : undefined;
    });
    if (charge.status !== 'authorized') {
      return {};
    }
    if (!mine) {
      throw new UnknownOutcomeError('VOID_ALREADY_SENT', 'another attempt sent a void or a capture');
    }
    const { call } = await platformFor(await accountOf(payments, charge), remainingMs)
      .voidPreauth({
        transactionId: charge.transactionId ?? '',
        amount: charge.authorizedAmount,
        merchantTrns: actReference(charge.merchantTrns, chargeId, derivedId(chargeId, 'void')),
      })
      .catch(async (error: unknown) => {
        const unsent = error instanceof TransientError;
        const platform = error instanceof RejectedError ? platformReason(error) : undefined;
        await payments.change('charge', chargeId, (item) => ({
          ...(unsent && item.voidSentAt === voidSentAt && { voidSentAt: undefined }),
          ...(platform && { failure: { code: 'VOID_REFUSED' as const, platform } }),
          timeline: appended(item.timeline, entry(now(), unsent ? 'void.not_sent' : 'void.unconfirmed')),
        }));
        throw error;
      });
    await payments.change('charge', chargeId, (item) =>
      chargeMoved(item, 'expired', { failure: { code: 'CAPTURE_WINDOW_ENDED' } }, callEntry(now(), 'void.done', call)),
    );
    return {};
  },
};

function tooLate(capture: Capture): Capture {
  return capture.status === 'pending'
    ? { ...capture, status: 'refused', failure: { code: 'CAPTURE_WINDOW_ENDED' } }
    : capture;
}
