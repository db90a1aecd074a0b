/**
 * Acts on the messages about one subject: reads the platform with our own credentials, and moves what is ours by what
 * is found there. What a message says proves nothing and is never looked at again.
 *
 * Safe to run twice and at the same time: one invocation at a time acts on a subject, the others leave it to that one,
 * and whatever it finds is written by moves that are harmless to repeat. However many messages come, true or forged, a
 * look that found nothing new is the last one for a minute, and then for longer. What failed is due again as slowly, for
 * a day; then the message is for a person.
 */
import * as z from 'zod/mini';
import { toFlowError } from '../../../shared/errors.ts';
import type { Inbox, Message } from '../../../shared/items.ts';
import type { Patch, Payments } from '../../../shared/payments.ts';
import type { Step } from '../../../shared/step.ts';
import { iso, isSame, unpark } from '../../../shared/webhooks/inbox.ts';
import { type Look, type LookDeps, lookAt } from './look.ts';
import { targetOf } from './target.ts';

const input = z.strictObject({ subject: z.string().check(z.minLength(1), z.maxLength(64)) });
const output = z.strictObject({});

/** Longer than the function can live. */
const ACTING_MS = 90_000;
/** Doubled with each look that finds nothing or fails. */
const QUIET_MS = 60_000;
const LONGEST_QUIET_MS = 3_600_000;
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;

export interface ActOnWebhookDeps extends LookDeps {
  readonly payments: Payments;
  readonly count: (metric: 'WebhookGivenUp') => void;
  readonly onError: (code: string) => void;
}

export const actOnWebhook: Step<typeof input, typeof output, ActOnWebhookDeps> = {
  name: 'act-on-webhook',
  input,
  output,
  logged: () => ({}), // an order code is all it takes to pay
  run: async ({ subject }, deps, { remainingMs }) => {
    let claimed = await claim(subject, deps);
    while (claimed !== undefined) {
      await act(claimed, deps, remainingMs);
      claimed = await claim(subject, deps);
    }
    return {};
  },
};

async function claim(subject: string, { payments, now }: ActOnWebhookDeps): Promise<Inbox | undefined> {
  const at = iso(now());
  let mine = false;
  const inbox = await payments.change('message', subject, ({ messages, actingUntil = '', quietUntil = '' }) => {
    mine = messages.some(isNew) && actingUntil <= at && quietUntil <= at;
    const until = iso(now() + ACTING_MS);
    return mine ? { actingUntil: until, dueAt: until } : undefined;
  });
  return mine ? inbox : undefined;
}

async function act(claimed: Inbox, deps: ActOnWebhookDeps, remainingMs: () => number): Promise<void> {
  const { payments, count, onError, now } = deps;
  const seen = claimed.messages.filter(isNew);
  const { subject } = claimed;
  try {
    const look = await lookAt(claimed, deps, remainingMs);
    await payments.change('message', subject, (inbox) => done(inbox, seen, look, now()));
    if (look.state === 'parked' && (await targetOf(subject, payments)) !== undefined) {
      await unpark(payments, subject, now()); // its creator came between our look and our note, and found nothing parked
    }
  } catch (error) {
    const { code } = toFlowError(error);
    onError(code);
    const failed = await payments.change('message', subject, (inbox) => postponed(inbox, seen, code, now()));
    if (failed.messages.some((one) => one.state === 'needs_review' && seen.some((other) => isSame(one, other)))) {
      count('WebhookGivenUp');
    }
  }
}

function done(inbox: Inbox, seen: readonly Message[], { state, outcome, news }: Look, now: number): Patch<'message'> {
  const messages = inbox.messages.map((one) =>
    seen.some((other) => isSame(one, other)) ? { ...one, state, outcome, attempts: one.attempts + 1 } : one,
  );
  const quiet =
    (state === 'acted' || state === 'new') && !news
      ? quietAfter(inbox, now)
      : { quietUntil: undefined, fruitless: undefined };
  const dueAt = messages.some(isNew) ? (quiet.quietUntil ?? iso(now)) : undefined;
  return { ...quiet, messages, dueAt, actingUntil: undefined };
}

function postponed(inbox: Inbox, seen: readonly Message[], code: string, now: number): Patch<'message'> {
  const messages = inbox.messages.map((one) => {
    if (!seen.some((other) => isSame(one, other))) {
      return one;
    }
    const state =
      Date.parse(one.replayedAt ?? one.receivedAt) + GIVEN_UP_AFTER_MS <= now ? ('needs_review' as const) : one.state;
    return { ...one, state, outcome: code, attempts: one.attempts + 1 };
  });
  const quiet = quietAfter(inbox, now);
  return { ...quiet, messages, dueAt: messages.some(isNew) ? quiet.quietUntil : undefined, actingUntil: undefined };
}

function quietAfter(
  { fruitless = 0 }: Inbox,
  now: number,
): { readonly quietUntil: string; readonly fruitless: number } {
  return { quietUntil: iso(now + Math.min(QUIET_MS * 2 ** fruitless, LONGEST_QUIET_MS)), fruitless: fruitless + 1 };
}

function isNew({ state }: Message): boolean {
  return state === 'new';
}
