/**
 * What must be true when faults are over and everything due has run: the API says what the ledger says. The rules are
 * written here a second time, from the documents, and never taken from the code that they check.
 */
import type { Json } from '../../till.ts';
import { strayEntries, type Truth, truthOf } from './books.ts';
import type { Invariant } from './invariants.ts';
import type { Resource } from './learned.ts';
import type { Played } from './play.ts';
import { isCalm } from './scenario.ts';

export interface Violation {
  readonly invariant: Invariant;
  readonly id: string;
  readonly what: string;
}

/** The platform declines it. */
const DECLINED_AMOUNT = 9_951;
const UNPAID = ['declined', 'cancelled', 'expired', 'failed'];
const BY_REFUND = ['refund', 'rf_return'];

/** What only a person can decide without any fault: the payer paid too little, or again after a return. */
const REVIEWS_OF_RF = ['RF_UNDERPAID', 'RF_PAID_AFTER_RETURN'];
/** What may stay under review because the platform reported it wrongly. */
const REVIEWS_OF_LIES: Readonly<Record<string, readonly string[]>> = {
  AMOUNT_MISMATCH: ['wrong_amount', 'wrong_currency'],
  MERCHANT_MISMATCH: ['wrong_merchant'],
  TRANSACTION_UNREADABLE: ['record_unreadable', 'malformed_200', 'session_succeeded', 'transaction_failed'],
};

export function violationsAtRest(played: Played): Violation[] {
  const violations: Violation[] = [];
  for (const resource of played.resources.values()) {
    const truth = truthOf(resource, played.ledger);
    const say = (invariant: Invariant, what: string) => violations.push({ invariant, id: resource.id, what });
    ofAnyKind(resource, truth, played, say);
    if (mayStandInReview(resource, truth, played)) {
      continue;
    }
    switch (resource.kind) {
      case 'sale':
        ofSale(resource, truth, say);
        ofTotals(resource, truth, played, say);
        ofAbort(resource, played, say);
        ofCalm(resource, truth, played, say);
        break;
      case 'charge':
        ofCharge(resource, truth, played, say);
        ofCaptures(resource, say);
        break;
      case 'rf-order':
        ofOrder(resource, truth, played, say);
    }
  }
  for (const { kind, amount, merchantTrns } of strayEntries(played)) {
    violations.push({
      invariant: 'booksBalance',
      id: merchantTrns,
      what: `a ${kind} of ${amount} belongs to no resource of ours`,
    });
  }
  violations.push(...ofTheStore(played), ...ofCards(played));
  return violations;
}

type Say = (invariant: Invariant, what: string) => void;

function ofAnyKind({ kind, atRest, merchantId }: Resource, { made }: Truth, { beganMs }: Played, say: Say): void {
  if (kind !== 'rf-order' && made.length > 1) {
    say(kind === 'sale' ? 'soldOnce' : 'chargedOnce', `was taken ${made.length} times`);
  }
  if (made.some((entry) => entry.merchantId !== merchantId || Date.parse(entry.at) < beganMs)) {
    say('statusIsTrue', 'was taken by another merchant, or before it was requested');
  }
  if (atRest.status === 'needs_review' && atRest.failure === undefined) {
    say('endsInTime', 'is under review without a reason');
  }
}

function mayStandInReview({ kind, atRest, merchantId }: Resource, { made }: Truth, { requests }: Played): boolean {
  const code = atRest.failure?.code;
  const isOtherAmount =
    code === 'AMOUNT_MISMATCH' && kind === 'sale' && made.some(({ amount }) => amount !== atRest.amount);
  const lies = REVIEWS_OF_LIES[code] ?? [];
  const lied = requests.some((one) => one.merchantId === merchantId && lies.includes(one.fault));
  return (
    atRest.status === 'needs_review' && ((kind === 'rf-order' && REVIEWS_OF_RF.includes(code)) || isOtherAmount || lied)
  );
}

function wasShownPaid({ views }: Resource): boolean {
  return views.some(({ body }) => ['paid', 'tokenized'].includes(body.status));
}

function ofSale(resource: Resource, { made, taken, given, back }: Truth, say: Say): void {
  const { status, transactionId, refundedAmount, amount } = resource.atRest;
  expectStatus(status, paidStatuses(['paid', 'tokenized'], taken, given, back, wasShownPaid(resource)), say);
  isAsAsked('amount', amount, resource, say);
  if (made.length === 0 || UNPAID.includes(status)) {
    return;
  }
  if (taken !== amount) {
    say('amountIsExact', `is of ${amount}, but ${taken} was taken`);
  }
  if (transactionId !== made[0].transactionId) {
    say('originalProves', `names the transaction ${transactionId}, but the payment is ${made[0].transactionId}`);
  }
  if (refundedAmount !== given) {
    say('originalProves', `shows ${refundedAmount} as refunded, but ${given} was`);
  }
}

function ofCalm({ story, atRest }: Resource, { made }: Truth, { scenario, resources, ledger }: Played, say: Say): void {
  const isApproved = story?.mode === 'auto' && story.abortAfter === undefined && story.amount !== DECLINED_AMOUNT;
  if (!isCalm(scenario) || !isApproved) {
    return;
  }
  if (made.length === 0) {
    say('calmSucceeds', `is ${atRest.status} although nothing went wrong`);
  }
  const charge = resources.get(atRest.additionalCharge?.chargeId);
  const canBeCharged = ['visa', 'mastercard'].includes(story.card) && story.charge?.amount !== DECLINED_AMOUNT;
  if (charge !== undefined && canBeCharged && truthOf(charge, ledger).made.length === 0) {
    say('calmSucceeds', `has a charge that is ${charge.atRest.status} although nothing went wrong`);
  }
}

/** An abort cancels the additional charge in any case, even if the payer was faster. */
function ofAbort(
  { atRest, abortedMs = Number.POSITIVE_INFINITY }: Resource,
  { resources, ledger }: Played,
  say: Say,
): void {
  const charge = resources.get(atRest.additionalCharge?.chargeId);
  const made = charge === undefined ? [] : truthOf(charge, ledger).made;
  if (made.some(({ at }) => Date.parse(at) > abortedMs)) {
    say('abortHolds', 'was aborted, and its additional charge was made afterwards');
  }
}

/** What the merchant has of the payer's money, by the sale and its additional charge. */
function ofTotals({ atRest }: Resource, { taken, given }: Truth, { resources, ledger }: Played, say: Say): void {
  const charge = resources.get(atRest.additionalCharge?.chargeId);
  if (charge?.atRest.status === 'needs_review') {
    return;
  }
  const more = charge === undefined ? { taken: 0, given: 0 } : truthOf(charge, ledger);
  const net = taken - given + more.taken - more.given;
  if (atRest.totals.net !== net) {
    say('booksBalance', `totals ${atRest.totals.net} net, but the ledger has ${net}`);
  }
}

/** The statuses that are possible when money was taken, or was not. */
function paidStatuses(
  paid: readonly string[],
  taken: number,
  given: number,
  back: readonly Json[],
  shownPaid: boolean,
): readonly string[] {
  if (taken === 0) {
    return UNPAID;
  }
  if (given < taken) {
    return paid;
  }
  const refunds = back.filter(({ kind }) => BY_REFUND.includes(kind)).length;
  const all = refunds === back.length ? ['refunded'] : refunds === 0 ? ['reversed'] : ['refunded', 'reversed'];
  return shownPaid ? all : [...all, ...UNPAID]; // A payment that was returned before anyone read it is not published.
}

/** What is shown is what the storefront requested. `asked` is undefined if no answer said what became of a request. */
function isAsAsked(name: string, shown: unknown, { asked }: Resource, say: Say): void {
  if (asked !== undefined && asked[name] !== shown) {
    say('amountIsExact', `shows the ${name} ${shown}, but ${asked[name]} was requested`);
  }
}

function expectStatus(status: string, expected: readonly string[], say: Say): void {
  if (!expected.includes(status)) {
    say('statusIsTrue', `is ${status}, but should be ${expected.join(' or ')}`);
  }
}

function ofCharge(resource: Resource, truth: Truth, { endedMs }: Played, say: Say): void {
  const { atRest: charge, views, asked, captures: requested } = resource;
  const { made, captures, taken, given, back } = truth;
  const hold = made[0]?.kind === 'preauth' ? made[0] : undefined;
  const shownPaid = views.some(({ body }) => ['charged', 'captured'].includes(body.status));
  if (asked !== undefined && made.some(({ amount }) => amount !== asked.amount)) {
    say('amountIsExact', `took or held ${made[0].amount}, but ${asked.amount} was requested`);
  }
  const wantedCaptures = [asked?.captureAmount ?? asked?.amount, ...requested.map(({ amount }) => amount)];
  if (asked !== undefined && captures.some(({ amount }) => !wantedCaptures.includes(amount))) {
    say('amountIsExact', `captured ${captures[0].amount}, but ${wantedCaptures.join(' or ')} was requested`);
  }
  if (charge.transactionId !== undefined && made[0] !== undefined && charge.transactionId !== made[0].transactionId) {
    say('originalProves', `names the transaction ${charge.transactionId}, but the charge is ${made[0].transactionId}`);
  }
  if (hold === undefined) {
    expectStatus(charge.status, paidStatuses(['charged'], taken, given, back, shownPaid), say);
  } else {
    ofHold(charge, hold, truth, endedMs, shownPaid, say);
  }
  if (!UNPAID.includes(charge.status) && taken > 0 && (charge.refundedAmount ?? 0) !== given) {
    say('originalProves', `shows ${charge.refundedAmount} as refunded, but ${given} was`);
  }
  const share = asked?.isvAmount ?? 0;
  if (asked !== undefined && made[0] !== undefined && made[0].isvAmount !== share) {
    say('shareIsKept', `gives the ISV ${made[0].isvAmount} instead of ${share}`);
  }
  if (asked !== undefined && hold !== undefined && captures[0] !== undefined) {
    const [capture] = captures;
    const wanted = requested.find(({ amount }) => amount === capture.amount)?.isvAmount ?? asked.captureIsvAmount;
    const whole = capture.amount === hold.amount ? hold.isvAmount : 0;
    if (capture.isvAmount !== (wanted ?? whole) || (wanted === undefined && whole === 0 && share > 0)) {
      say(
        'shareIsKept',
        `gives the ISV ${capture.isvAmount} of the capture, with ${share} authorized and ${wanted} requested`,
      );
    }
  }
}

/** What was answered with 202 is done or refused, and is shown. */
function ofCaptures({ atRest, acceptedCaptures }: Resource, say: Say): void {
  const shown = new Map<string, string>(atRest.captures?.map((one: Json) => [one.captureId, one.status]));
  const open = [...shown.values()].filter((status) => status === 'pending');
  if (open.length > 0) {
    say('endsInTime', `has ${open.length} captures that are still pending`);
  }
  for (const captureId of acceptedCaptures) {
    if (!shown.has(captureId)) {
      say('writesKeep', `does not show the capture ${captureId}, which was accepted`);
    }
  }
}

function ofHold(charge: Json, hold: Json, truth: Truth, endedMs: number, shownPaid: boolean, say: Say): void {
  const { captures, released, taken, given, back } = truth;
  if (taken > hold.amount || captures.length > 1) {
    say('holdBoundsCaptures', `took ${captures.length} captures of ${taken} in all from a hold of ${hold.amount}`);
  }
  if (captures.length > 0) {
    expectStatus(charge.status, paidStatuses(['captured'], taken, given, back, shownPaid), say);
    const done = charge.captures.filter((one: Json) => one.status === 'done');
    const says = done.map((one: Json) => `${one.amount} ${one.transactionId}`).join();
    const is = captures.map((one) => `${one.amount} ${one.transactionId}`).join();
    if (charge.capturedAmount !== taken || says !== is) {
      say('holdBoundsCaptures', `shows ${charge.capturedAmount} as captured (${says}), but ${taken} was (${is})`);
    }
  } else if (released.length > 0) {
    expectStatus(charge.status, UNPAID, say);
  } else {
    expectStatus(charge.status, ['authorized'], say);
    if (charge.status === 'authorized' && !(Date.parse(charge.captureBefore) + 2 * 3_600_000 > endedMs)) {
      say('endsInTime', `has a hold since ${hold.at} that should have been released at ${charge.captureBefore}`);
    }
  }
}

function ofOrder(resource: Resource, { made, back, taken, given }: Truth, { endedMs }: Played, say: Say): void {
  const { atRest: order } = resource;
  isAsAsked('amount', order.amount, resource, say);
  const { status, amount, amountPaid, overpaid, late, expiresAt, payments } = order;
  const left = taken - given;
  const ended = expiresAt !== null && Date.parse(expiresAt) + 30 * 60_000 < endedMs;
  if (amountPaid !== left) {
    say('ordersAreExact', `shows ${amountPaid} as paid, but ${left} was`);
  }
  if (taken === 0) {
    expectStatus(status, order.cancelRequestedAt || ended ? UNPAID : [...UNPAID, 'pending'], say);
  } else if (left === 0) {
    expectStatus(status, ['reversed'], say);
  } else if (back.length === 0) {
    expectStatus(status, left >= amount ? ['paid'] : ['partially_paid', 'needs_review'], say);
  }
  if (back.length === 0 && overpaid !== left > amount) {
    say('ordersAreExact', `shows overpaid ${overpaid}, but ${left} of ${amount} was paid`);
  }
  // The platform's times have whole seconds, so a payment within the last second may count as either.
  const msLate = made.map(({ at }) => (expiresAt === null ? -1 : Date.parse(at) - Date.parse(expiresAt)));
  const isLate = msLate.some((ms) => ms > 0);
  if (late !== isLate && !msLate.some((ms) => ms > 0 && ms < 1_000)) {
    say('ordersAreExact', `shows late ${late}, but its payments were ${isLate ? 'late' : 'in time'}`);
  }
  const ids = (all: readonly Json[]) => String(all.map(({ transactionId }) => transactionId).toSorted());
  if (ids(payments) !== ids(made)) {
    say('ordersAreExact', `shows the payments ${ids(payments)}, but they are ${ids(made)}`);
  }
}

const OPEN_STATUSES = [
  ...['created', 'awaiting_card', 'unconfirmed', 'requires_authentication', 'processing', 'authorized'],
  ...['creating', 'pending', 'partially_paid'],
];

function ofCards({ items, tokens }: Played): Violation[] {
  const cards = items.filter(({ pk }) => pk.startsWith('card#'));
  const kept = cards.filter(({ pk, status }) => status === 'deleted' && tokens.has(pk.replace('card#', 'ct#')));
  return [
    ...kept.map(({ pk }) => broken('deletedIsGone', pk, 'is deleted, and its token is still stored')),
    ...cards
      .filter(({ status }) => status === 'pending')
      .map(({ pk }) => broken('endsInTime', pk, 'is still being stored')),
  ];
}

function ofTheStore({ items, errors, slow, oddAnswers }: Played): Violation[] {
  const forgotten = items.filter(
    ({ pk, status, dueAt }) =>
      /^(sale|charge|rf-order|card)#/.test(pk) && OPEN_STATUSES.includes(status) && dueAt === undefined,
  );
  const unpublished = items.filter(({ outbox = [] }) => outbox.length > 0);
  return [
    ...forgotten.map(({ pk, status }) =>
      broken('nothingForgotten', pk, `is ${status}, and has no time at which it is due`),
    ),
    ...unpublished.map(({ pk }) => broken('neverShownWrong', pk, 'has events that were not published')),
    ...[...new Set(errors.map(({ functionName, message }) => `${functionName} ${JSON.stringify(message)}`))].map(
      (what) => broken('nothingForgotten', '', `an error is still logged at rest: ${what.slice(0, 500)}`),
    ),
    ...slow.map((what) => broken('endsInTime', /[0-9a-f-]{36}/.exec(what)?.[0] ?? '', what)),
    ...oddAnswers.map((what) => broken('answersAreKnown', '', what)),
  ];
}

function broken(invariant: Invariant, id: string, what: string): Violation {
  return { invariant, id, what };
}
