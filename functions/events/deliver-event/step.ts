/**
 * Posts one event to the callback address of its account. A failed post is repeated after growing delays for three
 * days; then the delivery is dead and kept, and an operator can send it again. The second attempt is due before the
 * reconciler runs next, so the invocation waits for it.
 *
 * Safe to run twice and concurrently: the conditional write that counts an attempt also claims it, and the next attempt
 * is not due before this invocation must be over. An interrupted post is repeated, so the receiver may get it twice,
 * with the same id.
 */

import * as z from 'zod/mini';
import { cloudEvent } from '../../../shared/events/cloud-event.ts';
import { signedHeaders } from '../../../shared/events/signature.ts';
import { type FlowError, toFlowError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import { existing } from '../../../shared/payments/existing.ts';
import type { Delivery } from '../../../shared/payments/items/delivery.ts';
import type { PublishedKind } from '../../../shared/payments/outbox.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { HOUR_MS, iso, MINUTE_MS, SECOND_MS } from '../../../shared/payments/time.ts';
import type { Credentials } from '../../../shared/viva/credentials.ts';
import type { Post, Posted } from './post.ts';

/** Called by the reconciler, or with the event itself: its id is the delivery's id if its account has a callback address. */
const input = z.union([
  z.strictObject({ deliveryId: z.uuid() }),
  z.pipe(
    z.object({ detail: z.object({ id: z.uuid() }) }),
    z.transform(({ detail }) => ({ deliveryId: detail.id })),
  ),
]);
const output = z.strictObject({});

/** From the end of one attempt to the next. */
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
/** The longest an attempt can take: the timeout of the post, and the reads and writes around it. */
export const attemptMs = 12 * SECOND_MS;
/** The status of an attempt that has not finished, or was interrupted. */
const UNFINISHED = 'UNFINISHED';

export interface DeliverEventDeps {
  readonly payments: Payments;
  readonly credentials: Pick<Credentials, 'get'>;
  readonly post: Post;
  readonly onDead: (delivery: Delivery) => void;
  /** Nothing was sent; the delivery stores only the code of the error. */
  readonly onError: (error: FlowError) => void;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export const deliverEvent: Step<typeof input, typeof output, DeliverEventDeps> = {
  name: 'deliver-event',
  input,
  output,
  run: async ({ deliveryId }, deps, { remainingMs }) => {
    const { payments, sleep, now } = deps;
    const dueInMs = async () => msUntilDue(await payments.get('delivery', deliveryId), now());
    for (let waitMs = await dueInMs(); waitMs + attemptMs <= remainingMs(); waitMs = await dueInMs()) {
      await (waitMs > 0 ? sleep(waitMs) : attemptOnce(deliveryId, deps, remainingMs));
    }
    return {};
  },
};

/** Infinite when nothing is due. */
function msUntilDue(delivery: Delivery | undefined, now: number): number {
  return delivery?.dueAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.parse(delivery.dueAt) - now);
}

async function attemptOnce(deliveryId: string, deps: DeliverEventDeps, remainingMs: () => number): Promise<void> {
  const { payments, onDead, onError, now } = deps;
  const { item: delivery, won } = await payments.claim('delivery', deliveryId, (item) =>
    isDue(item, now()) ? claimed(item, now() + remainingMs()) : undefined,
  );
  if (!won) {
    return;
  }
  let { state } = delivery;
  if (state !== 'dead') {
    const posted = await send(delivery, deps).catch((error: unknown) => {
      const failure = toFlowError(error);
      onError(failure);
      return { accepted: false, status: failure.code };
    });
    ({ state } = await payments.change('delivery', deliveryId, (item) => finished(item, posted, now())));
  }
  if (state === 'dead') {
    onDead(delivery);
  }
}

function isDue({ state, dueAt }: Delivery, now: number): boolean {
  return state === 'pending' && dueAt !== undefined && Date.parse(dueAt) <= now;
}

function claimed({ attempts }: Delivery, overAt: number) {
  if (attempts > retryDelaysMs.length) {
    return { state: 'dead' as const, dueAt: undefined }; // the last attempt was interrupted
  }
  return { attempts: attempts + 1, lastStatus: UNFINISHED, dueAt: later(overAt, retryDelaysMs[attempts]) };
}

async function send(delivery: Delivery, { payments, credentials, post, now }: DeliverEventDeps): Promise<Posted> {
  const { merchantId, about, event } = delivery;
  const account = await payments.get('account', merchantId);
  if (account?.callbackUrl === undefined) {
    return { accepted: false, status: 'NO_CALLBACK_URL' };
  }
  const [kind, id] = about.split('#') as [PublishedKind, string];
  const secret = await credentials.get(merchantId, 'callbackSecret');
  const body = JSON.stringify(cloudEvent(kind, id, await existing(payments, kind, id), event));
  const headers = signedHeaders(secret, event.eventId, now(), body);
  return post(account.callbackUrl, { 'content-type': 'application/json', ...headers }, body);
}

function finished({ state, attempts }: Delivery, { accepted, status }: Posted, now: number) {
  if (state !== 'pending') {
    return undefined;
  }
  if (accepted) {
    return { state: 'delivered' as const, lastStatus: status, dueAt: undefined };
  }
  return attempts > retryDelaysMs.length
    ? { state: 'dead' as const, lastStatus: status, dueAt: undefined }
    : { lastStatus: status, dueAt: later(now, retryDelaysMs[attempts - 1]) };
}

function later(ms: number, delayMs = 0): string {
  return iso(ms + delayMs);
}
