/**
 * Acts on the webhooks about one subject: reads the platform with our own credentials and changes our items by what it
 * finds. The content of a webhook proves nothing.
 *
 * Safe to run twice and concurrently: one invocation at a time acts on a subject, and its writes can be repeated.
 * However many webhooks arrive, genuine or forged, they cause five reads at once and then one a minute
 * (webhooks/read-budget.ts). A webhook that a read did not explain is acted on again, less and less often, until what
 * it reported is found or can no longer appear. Failures are retried in the same way for a day; then the webhook needs
 * review.
 */

import * as z from 'zod/mini';
import { toFlowError } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import type { Inbox, Webhook } from '../../../shared/payments/items/inbox.ts';
import type { Patch } from '../../../shared/payments/store.ts';
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../../../shared/payments/time.ts';
import { isFresh, isSame, unpark } from '../../../shared/webhooks/inbox.ts';
import { spent, unspent } from '../../../shared/webhooks/read-budget.ts';
import type { HandleDeps, Handled } from './handled.ts';
import { handleTarget, targetOf } from './subject.ts';
import { handleUnknownSubject } from './unknown-subject.ts';

const input = z.strictObject({ subject: z.string().check(z.minLength(1), z.maxLength(64)) });
const output = z.strictObject({});

/** Longer than the function can live. */
const ACTING_MS = 90_000;
/** The delay until the same webhook is acted on again: as long as it has waited already, within these limits. */
const SHORTEST_WAIT_MS = MINUTE_MS;
const LONGEST_WAIT_MS = HOUR_MS;
const GIVEN_UP_AFTER_MS = DAY_MS;

export interface ActOnWebhookDeps extends Omit<HandleDeps, 'remainingMs'> {
  readonly count: (metric: 'WebhookGivenUp') => void;
  readonly onError: (code: string) => void;
}

export const actOnWebhook: Step<typeof input, typeof output, ActOnWebhookDeps> = {
  name: 'act-on-webhook',
  input,
  output,
  logged: () => ({}), // an order code is enough to pay
  run: async ({ subject }, deps, { remainingMs }) => {
    let claimed = await claim(subject, deps);
    while (claimed !== undefined) {
      await act(claimed, { ...deps, remainingMs });
      claimed = await claim(subject, deps);
    }
    return {};
  },
};

async function claim(subject: string, { payments, now }: ActOnWebhookDeps): Promise<Inbox | undefined> {
  const at = iso(now());
  const { item, won } = await payments.claim('inbox', subject, (inbox) => {
    const { webhooks, actingUntil = '', dueAt = '9' } = inbox;
    const spentUntil = spent(inbox.spentUntil, now());
    const waits = webhooks.some(isFresh) || (webhooks.some(isNew) && dueAt <= at);
    const until = iso(now() + ACTING_MS);
    return waits && actingUntil <= at && spentUntil !== undefined
      ? { actingUntil: until, dueAt: until, spentUntil, webhooks: webhooks.map(begun) }
      : undefined;
  });
  return won ? item : undefined;
}

function begun(webhook: Webhook): Webhook {
  return isNew(webhook) ? { ...webhook, attempts: webhook.attempts + 1 } : webhook;
}

async function act(claimed: Inbox, deps: ActOnWebhookDeps & HandleDeps): Promise<void> {
  const { payments, count, onError, now } = deps;
  const seen = claimed.webhooks.filter(isNew);
  const { subject } = claimed;
  try {
    const target = await targetOf(subject, payments);
    const handled = await (target === undefined ? handleUnknownSubject(seen, deps) : handleTarget(target, seen, deps));
    await payments.change('inbox', subject, (inbox) => done(inbox, seen, handled, now()));
    if (handled.state === 'parked' && (await targetOf(subject, payments)) !== undefined) {
      await unpark(payments, subject, now()); // The item was created between our read and our write, and its creator found nothing parked.
    }
  } catch (error) {
    const { code } = toFlowError(error);
    onError(code);
    const failed = await payments.change('inbox', subject, (inbox) => postponed(inbox, seen, code, now()));
    if (failed.webhooks.some((one) => one.state === 'needs_review' && isIn(seen, one))) {
      count('WebhookGivenUp');
    }
  }
}

function done(inbox: Inbox, seen: readonly Webhook[], handled: Handled, now: number): Patch<'inbox'> {
  const { state, outcome, held = seen, isFree = false } = handled;
  const webhooks = inbox.webhooks.map((one) =>
    isIn(seen, one) ? { ...one, outcome, state: state === 'new' && !isIn(held, one) ? 'acted' : state } : one,
  );
  const { spentUntil } = inbox;
  return { ...released(webhooks, now), ...(isFree && spentUntil && { spentUntil: unspent(spentUntil) }) };
}

function postponed(inbox: Inbox, seen: readonly Webhook[], code: string, now: number): Patch<'inbox'> {
  const webhooks = inbox.webhooks.map((one) => {
    const isOver = receivedMs(one) + GIVEN_UP_AFTER_MS <= now;
    return isIn(seen, one) ? { ...one, outcome: code, state: isOver ? ('needs_review' as const) : one.state } : one;
  });
  return released(webhooks, now);
}

/** Others may act now; webhooks that are still new are due again. */
function released(webhooks: readonly Webhook[], now: number): Patch<'inbox'> {
  const waits = webhooks.filter(isNew).map((one) => Math.max(SHORTEST_WAIT_MS, now - receivedMs(one)));
  const dueAt = waits.length > 0 ? iso(now + Math.min(LONGEST_WAIT_MS, ...waits)) : undefined;
  return { webhooks, dueAt, actingUntil: undefined };
}

function receivedMs({ replayedAt, receivedAt }: Webhook): number {
  return Date.parse(replayedAt ?? receivedAt);
}

function isIn(webhooks: readonly Webhook[], webhook: Webhook): boolean {
  return webhooks.some((one) => isSame(one, webhook));
}

function isNew({ state }: Webhook): boolean {
  return state === 'new';
}
