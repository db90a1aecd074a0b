/** What the storefronts learned along the way, by answers and events. It must never be wrong in a way that costs money. */
import type { Json } from '../../till.ts';
import type { Violation } from './at-rest.ts';
import { type Truth, truthOf } from './books.ts';
import type { Invariant } from './invariants.ts';
import type { Resource } from './learned.ts';
import type { Played } from './play.ts';
import type { TimedFault } from './scenario.ts';

type Kind = Resource['kind'];

/** The documented order of statuses, written a second time. */
export const RANKS: Readonly<Record<Kind, Readonly<Record<string, number>>>> = {
  sale: {
    ...{ created: 0, awaiting_card: 1, unconfirmed: 2, declined: 3, cancelled: 3, expired: 3, failed: 3 },
    ...{ paid: 4, tokenized: 5, refunded: 6, reversed: 6 },
  },
  charge: {
    ...{ created: 0, requires_authentication: 1, processing: 2, declined: 3, cancelled: 3, expired: 3, failed: 3 },
    ...{ authorized: 4, charged: 5, captured: 5, refunded: 6, reversed: 6 },
  },
  'rf-order': {
    ...{ creating: 0, pending: 1, expired: 2, cancelled: 2, failed: 2 },
    ...{ partially_paid: 3, paid: 4, reversed: 5 },
  },
};
const UNPAID = ['declined', 'cancelled', 'expired', 'failed'];
const TAKEN: Readonly<Record<Kind, readonly string[]>> = {
  sale: ['paid', 'tokenized'],
  charge: ['authorized', 'charged', 'captured'],
  'rf-order': ['partially_paid', 'paid'],
};
/** The statuses that an event must report. */
const PUBLISHED: Readonly<Record<Kind, readonly string[]>> = {
  sale: [...UNPAID, 'paid', 'tokenized', 'refunded', 'reversed', 'needs_review'],
  charge: [...UNPAID, 'charged', 'captured', 'refunded', 'reversed', 'needs_review'],
  'rf-order': ['expired', 'cancelled', 'failed', 'paid', 'reversed', 'needs_review'],
};
const CLOCKS_MS = 1_000;
/** After this time every list shows a payment. */
const VISIBLE_MS = 3 * 60_000;
/** Faults of the platform that make a reading wrong, and not only fail. */
const MISREADINGS = [
  ...['session_failed', 'session_succeeded', 'not_visible', 'transaction_failed', 'transaction_pending'],
  ...['transaction_disputed', 'record_unreadable', 'record_missing', 'child_missing', 'wrong_amount', 'wrong_currency'],
  ...['wrong_merchant', 'list_lag'],
];

export function violationsAsShown(played: Played): Violation[] {
  const violations: Violation[] = [];
  for (const resource of played.resources.values()) {
    const say = (invariant: Invariant, what: string) => violations.push({ invariant, id: resource.id, what });
    answersOf(resource, played, say);
    eventsOf(resource, played, say);
  }
  return violations;
}

type Say = (invariant: Invariant, what: string) => void;

/** So far apart are two readings that count as two. */
const APART_SECONDS = 4 * 60;

/** The faults of the scenario that made readings of the merchant's records wrong. */
function misreadingsOf({ merchantId }: Resource, { scenario, merchants: ids }: Played): readonly TimedFault[] {
  const own = scenario.merchants.find(({ merchant }) => ids[merchant] === merchantId);
  return own?.faults.filter(({ name }) => MISREADINGS.includes(name)) ?? [];
}

/** Whether at most one reading was wrong in the whole scenario, or those of some minutes. */
function isOnceMisread(wrong: readonly TimedFault[]): boolean {
  return wrong.length <= 1 && wrong.every(({ times, from, until }) => times === 1 || until - from < APART_SECONDS);
}

function answersOf(resource: Resource, played: Played, say: Say): void {
  const { ledger, events } = played;
  const { kind, views, id } = resource;
  const truth = truthOf(resource, ledger);
  const entries = [...truth.made, ...truth.captures, ...truth.back, ...truth.released];
  const first = Math.min(...truth.made.map(({ at }) => Date.parse(at)));
  const wrong = misreadingsOf(resource, played);
  const onceMisread = isOnceMisread(wrong);
  let overSince: number | undefined;
  for (const [index, { atMs, body }] of views.entries()) {
    const before = views[index - 1]?.body;
    if (TAKEN[kind].includes(body.status) && !(first <= atMs + CLOCKS_MS)) {
      say('neverShownWrong', `was shown as ${body.status} when nothing had been taken`);
    }
    if (kind === 'rf-order' && onceMisread) {
      isPaidSoFar(body, truth.made, atMs, say);
    }
    if (UNPAID.includes(body.status) && body.final) {
      overSince ??= atMs;
    }
    if (before !== undefined) {
      mayFollow(kind, before, body, beforeReview(views, index), truth.released.length > 0, say);
      // Readings that go on to contradict what was final put it under review.
      const isContradicted = body.status === 'needs_review' && !onceMisread;
      stayedFinal(
        resource,
        before,
        body,
        isContradicted ||
          entries.some(({ at }) => Date.parse(at) > knownSince(views[index - 1]!, id, events) - CLOCKS_MS),
        say,
      );
    }
  }
  if (kind === 'sale') {
    paidLate(resource, overSince, say);
  }
  if (kind !== 'rf-order' && overSince !== undefined && truth.made.length > 0) {
    endedUnpaid(kind, truth, overSince, wrong, say);
  }
}

/** Of a sale or a charge that the ledger has, and that was shown as ended without a payment since then. */
function endedUnpaid(
  kind: Kind,
  { made, back, released }: Truth,
  overSince: number,
  wrong: readonly TimedFault[],
  say: Say,
): void {
  const first = Math.min(...made.map(({ at }) => Date.parse(at)));
  if (kind === 'charge' && first > overSince + CLOCKS_MS) {
    say('neverShownWrong', 'was shown as ended, and charged afterwards');
  }
  const isKept = made[0]?.kind !== 'preauth' && back.length === 0;
  if (isKept && first < overSince - VISIBLE_MS && isOnceMisread(wrong)) {
    say('oneReadingEndsNothing', 'was shown as ended although the platform had its payment, by one wrong reading');
  }
  const isGone = back.length > 0 || released.some(({ at }) => Date.parse(at) <= overSince + CLOCKS_MS);
  // A list that lags within the platform's promises is no excuse.
  if (!isGone && wrong.every(({ name }) => name === 'list_lag')) {
    say('endIsProven', 'was shown as ended, and the platform had its payment or made it later');
  }
}

/** No more is shown as paid than arrived by then. What was returned since may still be shown. */
function isPaidSoFar({ amountPaid }: Json, made: readonly Json[], atMs: number, say: Say): void {
  const arrived = made.filter(({ at }) => Date.parse(at) <= atMs + CLOCKS_MS);
  const sum = arrived.reduce((total, { amount }) => total + amount, 0);
  if (amountPaid > sum) {
    say('neverShownWrong', `was shown with ${amountPaid} paid when ${sum} had arrived`);
  }
}

/** When the resource got the status that was read then: an event may have told it earlier. */
function knownSince({ atMs, body }: Resource['views'][number], id: string, events: readonly Json[]): number {
  const told = events.find(({ subject, data }) => subject === id && data.status === body.status);
  return Math.min(atMs, told === undefined ? atMs : Date.parse(told.time));
}

/** A resource that ended and was found paid says so, and its additional charge stays cancelled. */
function paidLate({ views, atRest }: Resource, overSince: number | undefined, say: Say): void {
  const paidAfter = views.some(
    ({ atMs, body }) => overSince !== undefined && atMs > overSince && TAKEN.sale.includes(body.status),
  );
  if (!paidAfter) {
    return;
  }
  if (TAKEN.sale.includes(atRest.status) && atRest.failure?.code !== 'SALE_PAID_LATE') {
    say(
      'neverShownWrong',
      `was shown as ended, is ${atRest.status} now, and does not say so (${atRest.failure?.code})`,
    );
  }
  const { status = 'cancelled' } = atRest.additionalCharge ?? {};
  if (!UNPAID.includes(status)) {
    say('neverShownWrong', `was shown as ended, and its additional charge is ${status}`);
  }
}

function beforeReview(views: Resource['views'], index: number): string | undefined {
  return views.slice(0, index).findLast(({ body }) => body.status !== 'needs_review')?.body.status;
}

function mayFollow(
  kind: Kind,
  before: Json,
  after: Json,
  lastOpen: string | undefined,
  isReleased: boolean,
  say: Say,
): void {
  const from = before.status === 'needs_review' ? lastOpen : before.status;
  if (after.status === before.status || after.status === 'needs_review' || from === undefined) {
    return;
  }
  const ranks = RANKS[kind];
  // A hold that was found late is released at once: nobody may have read it as authorized.
  const released = UNPAID.includes(after.status) && (from === 'authorized' || (isReleased && UNPAID.includes(from)));
  const rises = (ranks[after.status] ?? -1) > (ranks[from] ?? -1);
  const backFromReview = before.status === 'needs_review' && after.status === from;
  if (!(rises || released || backFromReview) || (from === 'failed' && kind === 'charge')) {
    say('onlyUp', `changed from ${from} to ${after.status}`);
  }
}

/** A final resource changes only by late proof of a payment or of a refund. */
function stayedFinal(resource: Resource, before: Json, after: Json, newEntry: boolean, say: Say): void {
  if (!before.final || before.status === after.status) {
    return;
  }
  const proven = newEntry || [...TAKEN[resource.kind], 'refunded', 'reversed'].includes(after.status);
  const fromReview = before.status === 'needs_review' && !newEntry;
  const tokenizedAfterPaid = before.status === 'paid' && after.status === 'tokenized';
  if (!proven || fromReview || tokenizedAfterPaid) {
    say(
      'finalIsFinal',
      `was final as ${before.status} (${before.failure?.code}), and is ${after.status} without proof`,
    );
  }
}

function eventsOf(resource: Resource, { events, ledger }: Played, say: Say): void {
  const { kind, id, atRest, views } = resource;
  const own = [
    ...new Map(events.filter(({ subject }) => subject === id).map((one) => [one.id, one])).values(),
  ] as Json[];
  const statuses = own.map(({ data }) => data.status as string);
  // A review ends with an event, also when it changed nothing.
  const reported = statuses.filter(
    (_, index) => statuses[index - 1] !== 'needs_review' && statuses[index] !== 'needs_review',
  );
  const twice = reported.filter((status, index) => reported.indexOf(status) !== index);
  if (twice.length > 0) {
    say('publishedOnce', `was published more than once as ${twice.join()}`);
  }
  const shown = new Set<string>([...views.map(({ body }) => body.status), atRest.status]);
  for (const status of shown.intersection(new Set(PUBLISHED[kind]))) {
    if (!statuses.includes(status)) {
      say('neverShownWrong', `was ${status}, which no event reported (${statuses.join() || 'none'})`);
    }
  }
  const { made } = truthOf(resource, ledger);
  const publishedTaken = statuses.filter((status) => TAKEN[kind].includes(status));
  if (publishedTaken.length > 0 && made.length === 0) {
    say('neverShownWrong', `was published as ${publishedTaken.join()}, and nothing was ever taken`);
  }
}
