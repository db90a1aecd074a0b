/**
 * The statuses of a sale, a charge and an RF order, and the transitions between them.
 *
 * Each status has a rank, and a transition only goes to a higher rank. So a late, repeated or reordered write does no
 * harm. Proof of payment beats the refusals below it. A charge becomes `failed` only after it was sealed, so `failed`
 * is final. `needs_review` can be entered from any status, and is left for the status before it or a higher one.
 */

/**
 * What a status says about the money. `open`: the outcome is not known yet, or not complete. `none`: over, and nothing
 * was taken. `held`: authorized and not captured. `taken`: the payer has paid. `given_back`: taken, and all of it was
 * given back. `unknown`: a person must decide.
 */
type Money = 'open' | 'none' | 'held' | 'taken' | 'given_back' | 'unknown';

interface Standing {
  readonly rank: number;
  readonly money: Money;
}

type Lifecycle = Readonly<Record<string, Standing>>;

/** Below every other rank: what comes after a review is compared with the status before it. */
const REVIEW: Standing = { rank: -1, money: 'unknown' };

const saleLifecycle = {
  created: { rank: 0, money: 'open' },
  awaiting_card: { rank: 1, money: 'open' },
  unconfirmed: { rank: 2, money: 'open' },
  declined: { rank: 3, money: 'none' },
  cancelled: { rank: 3, money: 'none' },
  expired: { rank: 3, money: 'none' },
  failed: { rank: 3, money: 'none' },
  paid: { rank: 4, money: 'taken' },
  tokenized: { rank: 5, money: 'taken' },
  refunded: { rank: 6, money: 'given_back' },
  reversed: { rank: 6, money: 'given_back' },
  needs_review: REVIEW,
} as const satisfies Lifecycle;

const chargeLifecycle = {
  created: { rank: 0, money: 'open' },
  requires_authentication: { rank: 1, money: 'open' },
  processing: { rank: 2, money: 'open' },
  declined: { rank: 3, money: 'none' },
  expired: { rank: 3, money: 'none' },
  cancelled: { rank: 3, money: 'none' },
  failed: { rank: 3, money: 'none' },
  authorized: { rank: 4, money: 'held' },
  charged: { rank: 5, money: 'taken' },
  captured: { rank: 5, money: 'taken' },
  refunded: { rank: 6, money: 'given_back' },
  reversed: { rank: 6, money: 'given_back' },
  needs_review: REVIEW,
} as const satisfies Lifecycle;

const rfOrderLifecycle = {
  creating: { rank: 0, money: 'open' },
  pending: { rank: 1, money: 'open' },
  expired: { rank: 2, money: 'none' },
  cancelled: { rank: 2, money: 'none' },
  failed: { rank: 2, money: 'none' },
  partially_paid: { rank: 3, money: 'open' },
  paid: { rank: 4, money: 'taken' },
  reversed: { rank: 5, money: 'given_back' },
  needs_review: REVIEW,
} as const satisfies Lifecycle;

export type SaleStatus = keyof typeof saleLifecycle;
export type ChargeStatus = keyof typeof chargeLifecycle;
export type RfOrderStatus = keyof typeof rfOrderLifecycle;

export const saleStatuses = Object.keys(saleLifecycle) as readonly SaleStatus[];
export const chargeStatuses = Object.keys(chargeLifecycle) as readonly ChargeStatus[];
export const rfOrderStatuses = Object.keys(rfOrderLifecycle) as readonly RfOrderStatus[];

/** Whether nothing is expected to happen by itself any more. */
const isEnd: Readonly<Record<Money, boolean>> = {
  open: false,
  held: false,
  none: true,
  taken: true,
  given_back: true,
  unknown: true,
};

/** `beforeReview`: the status before the review. A transition out of a review must not go below it. */
export function saleMayBecome(from: SaleStatus, to: SaleStatus, beforeReview?: SaleStatus): boolean {
  return mayBecome(saleLifecycle, from, to, beforeReview);
}

export function chargeMayBecome(from: ChargeStatus, to: ChargeStatus, beforeReview?: ChargeStatus): boolean {
  if (from === 'failed') {
    return false;
  }
  const effective = from === 'needs_review' ? beforeReview : from;
  if (effective === 'authorized' && (to === 'expired' || to === 'cancelled')) {
    return true; // our own void, proven. This is the only way down: nothing was taken, and the hold is released
  }
  return mayBecome(chargeLifecycle, from, to, beforeReview);
}

export function rfOrderMayBecome(from: RfOrderStatus, to: RfOrderStatus, beforeReview?: RfOrderStatus): boolean {
  return mayBecome(rfOrderLifecycle, from, to, beforeReview);
}

/** Whether no more money is expected. A late transfer may still arrive. */
export function rfOrderEnded(status: RfOrderStatus): boolean {
  return isEnd[rfOrderLifecycle[status].money];
}

/** Whether the outcome at the terminal is known, or a person must decide it. Storing the card is not part of it. */
export function terminalEnded(status: SaleStatus): boolean {
  return isEnd[saleLifecycle[status].money];
}

/**
 * Whether nothing of the charge happens by itself any more. An authorized charge still waits for its capture or void.
 */
export function chargeEnded(status: ChargeStatus): boolean {
  return isEnd[chargeLifecycle[status].money];
}

export function saleMoney(status: SaleStatus): Money {
  return saleLifecycle[status].money;
}

export function chargeMoney(status: ChargeStatus): Money {
  return chargeLifecycle[status].money;
}

/** Whether the sale is paid and not all of it was given back. */
export function salePaid(status: SaleStatus): boolean {
  return saleMoney(status) === 'taken';
}

/** Whether money was taken, even if it was given back later. */
export function wasTaken(money: Money): boolean {
  switch (money) {
    case 'taken':
    case 'given_back':
      return true;
    case 'open':
    case 'none':
    case 'held':
    case 'unknown':
      return false;
  }
}

/** Whether the charge is made or captured and not all of it was given back. */
export function chargePaid(status: ChargeStatus | undefined): boolean {
  return status !== undefined && chargeMoney(status) === 'taken';
}

/**
 * Whether we reported that nothing was taken. The storefront may have sold again since, so nothing more is taken for
 * it.
 */
export function saleReportedUnpaid(status: SaleStatus | undefined): boolean {
  return status !== undefined && saleMoney(status) === 'none';
}

export function chargeReportedUnpaid(status: ChargeStatus | undefined): boolean {
  return status !== undefined && chargeMoney(status) === 'none';
}

function mayBecome<S extends string>(
  lifecycle: Readonly<Record<S | 'needs_review', Standing>>,
  from: S | 'needs_review',
  to: S | 'needs_review',
  beforeReview: S | 'needs_review' = 'needs_review',
): boolean {
  const base = from === 'needs_review' ? beforeReview : from;
  const isHigher = lifecycle[to].rank > lifecycle[base].rank;
  return from === 'needs_review'
    ? to !== 'needs_review' && (to === beforeReview || isHigher)
    : to === 'needs_review' || isHigher;
}
