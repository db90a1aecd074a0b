/**
 * Posts one announcement to its account's callback address, once. What is not accepted is due again, later each time, for
 * three days; then the delivery is dead, and kept for an operator to drive again.
 *
 * Safe to run twice and at the same time: an attempt is claimed by the conditional write that counts it and sets the time
 * of the next. Stopped in between, the receiver may get it again, under the same id.
 */
import * as z from 'zod/mini';
import { type AnnouncedKind, cloudEvent } from '../../../shared/cloud-event.ts';
import type { Credentials } from '../../../shared/credentials.ts';
import { FaultError, FlowError } from '../../../shared/errors.ts';
import type { Delivery } from '../../../shared/items.ts';
import type { Payments } from '../../../shared/payments.ts';
import { signedHeaders } from '../../../shared/signature.ts';
import type { Step } from '../../../shared/step.ts';
import { existing } from '../../../shared/subjects.ts';
import type { Post, Posted } from './post.ts';

/** From the reconciler, or with the event itself: its id is the delivery's, if its account has a callback address. */
const input = z.union([
  z.strictObject({ deliveryId: z.uuid() }),
  z.pipe(
    z.object({ detail: z.object({ id: z.uuid() }) }),
    z.transform(({ detail }) => ({ deliveryId: detail.id })),
  ),
]);
const output = z.strictObject({});

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** From one attempt to the next. */
export const retryDelaysMs: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** After the last attempt: long enough for it to end, whatever happens to it. */
const LAST_ATTEMPT_MS = 5 * MINUTE_MS;

export interface DeliverAnnouncementDeps {
  readonly payments: Payments;
  readonly credentials: Pick<Credentials, 'get'>;
  readonly post: Post;
  readonly onDead: (delivery: Delivery) => void;
  readonly now: () => number;
}

export const deliverAnnouncement: Step<typeof input, typeof output, DeliverAnnouncementDeps> = {
  name: 'deliver-announcement',
  input,
  output,
  run: async ({ deliveryId }, deps) => {
    const { payments, onDead, now } = deps;
    if ((await payments.get('delivery', deliveryId)) === undefined) {
      return {};
    }
    let mine = false;
    const delivery = await payments.change('delivery', deliveryId, (item) => {
      mine = isDue(item, now());
      return mine ? attempted(item, now()) : undefined;
    });
    if (mine) {
      const posted = await attempt(delivery, deps);
      const { state } = await payments.change('delivery', deliveryId, (item) => told(item, posted));
      if (state === 'dead') {
        onDead(delivery);
      }
    }
    return {};
  },
};

function isDue({ state, dueAt }: Delivery, now: number): boolean {
  return state === 'pending' && dueAt !== undefined && Date.parse(dueAt) <= now;
}

function attempted({ attempts }: Delivery, now: number) {
  const delayMs = retryDelaysMs[attempts] ?? LAST_ATTEMPT_MS;
  return { attempts: attempts + 1, dueAt: new Date(now + delayMs).toISOString() };
}

async function attempt(
  delivery: Delivery,
  { payments, credentials, post, now }: DeliverAnnouncementDeps,
): Promise<Posted> {
  const { merchantId, about, announcement } = delivery;
  const account = await payments.get('account', merchantId);
  if (account?.callbackUrl === undefined) {
    return { accepted: false, status: 'NO_CALLBACK_URL' };
  }
  const [kind, id] = about.split('#') as [AnnouncedKind, string];
  try {
    const secret = await credentials.get(merchantId, 'callbackSecret');
    const body = JSON.stringify(cloudEvent(await existing(payments, kind, id), announcement));
    const headers = signedHeaders(secret, announcement.eventId, now(), body);
    return await post(account.callbackUrl, { 'content-type': 'application/json', ...headers }, body);
  } catch (error) {
    if (error instanceof FaultError) {
      return { accepted: false, status: error.code };
    }
    throw error instanceof FlowError
      ? error
      : new FaultError('CALLBACK_NOT_SENT', 'the callback was not sent', { cause: error });
  }
}

function told({ state, attempts }: Delivery, { accepted, status }: Posted) {
  if (state !== 'pending') {
    return undefined;
  }
  if (accepted) {
    return { state: 'delivered' as const, lastStatus: status, dueAt: undefined };
  }
  return attempts > retryDelaysMs.length
    ? { state: 'dead' as const, lastStatus: status, dueAt: undefined }
    : { lastStatus: status };
}
