/**
 * The statuses of a sale, a charge and an RF order, and the moves between them.
 *
 * A status only moves up its lattice, whoever writes and in whatever order: that is what makes a late, repeated or
 * reordered write harmless. Proof of payment beats the refusals below it; a charge's `failed` is written only after the
 * charge was sealed, so it is final. `needs_review` may be entered from any status, and left for the status before it or
 * upwards.
 */
const saleRanks = {
  created: 0,
  awaiting_card: 1,
  unconfirmed: 2,
  declined: 3,
  cancelled: 3,
  expired: 3,
  failed: 3,
  paid: 4,
  tokenized: 5,
  refunded: 6,
  reversed: 6,
} as const;

const chargeRanks = {
  created: 0,
  requires_authentication: 1,
  processing: 2,
  declined: 3,
  expired: 3,
  cancelled: 3,
  failed: 3,
  authorized: 4,
  charged: 5,
  captured: 5,
  refunded: 6,
  reversed: 6,
} as const;

const rfOrderRanks = {
  creating: 0,
  pending: 1,
  expired: 2,
  cancelled: 2,
  failed: 2,
  partially_paid: 3,
  paid: 4,
  reversed: 5,
} as const;

export type SaleStatus = keyof typeof saleRanks | 'needs_review';
export type ChargeStatus = keyof typeof chargeRanks | 'needs_review';

export type RfOrderStatus = keyof typeof rfOrderRanks | 'needs_review';

/** What became of the money in a status. A new status has to say it. */
type Money = 'open' | 'none' | 'held' | 'taken' | 'given_back' | 'unknown';

const saleMoneys: Readonly<Record<SaleStatus, Money>> = {
  created: 'open',
  awaiting_card: 'open',
  unconfirmed: 'open',
  declined: 'none',
  cancelled: 'none',
  expired: 'none',
  failed: 'none',
  paid: 'taken',
  tokenized: 'taken',
  refunded: 'given_back',
  reversed: 'given_back',
  needs_review: 'unknown',
};

const chargeMoneys: Readonly<Record<ChargeStatus, Money>> = {
  created: 'open',
  requires_authentication: 'open',
  processing: 'open',
  declined: 'none',
  expired: 'none',
  cancelled: 'none',
  failed: 'none',
  authorized: 'held',
  charged: 'taken',
  captured: 'taken',
  refunded: 'given_back',
  reversed: 'given_back',
  needs_review: 'unknown',
};

export const rfOrderStatuses = [...Object.keys(rfOrderRanks), 'needs_review'] as readonly RfOrderStatus[];
export const saleStatuses = [...Object.keys(saleRanks), 'needs_review'] as readonly SaleStatus[];
export const chargeStatuses = [...Object.keys(chargeRanks), 'needs_review'] as readonly ChargeStatus[];

/** Whether nothing was taken by an attempt in this status, and nothing is under way: the ends below a payment. */
const ENDED_UNPAID_RANK = 3;

/** `from` is the status before the review, where there is one: a review does not lower the bar. */
export function saleMayBecome(from: SaleStatus, to: SaleStatus, beforeReview?: SaleStatus): boolean {
  return mayBecome(saleRanks, from, to, beforeReview);
}

export function chargeMayBecome(from: ChargeStatus, to: ChargeStatus, beforeReview?: ChargeStatus): boolean {
  if (from === 'failed') {
    return false;
  }
  const stands = from === 'needs_review' ? beforeReview : from;
  if (stands === 'authorized' && (to === 'expired' || to === 'cancelled')) {
    return true; // our own void, proven: the only way down, because it takes nothing and gives the hold back
  }
  return mayBecome(chargeRanks, from, to, beforeReview);
}

export function rfOrderMayBecome(from: RfOrderStatus, to: RfOrderStatus, beforeReview?: RfOrderStatus): boolean {
  return mayBecome(rfOrderRanks, from, to, beforeReview);
}

/** Nothing more is expected, though a late transfer may still arrive. */
export function rfOrderEnded(status: RfOrderStatus): boolean {
  return status === 'needs_review' || (rfOrderRanks[status] >= rfOrderRanks.expired && status !== 'partially_paid');
}

/** The sale's own part: whether the terminal's outcome is known and nothing about it happens by itself any more. */
export function terminalEnded(status: SaleStatus): boolean {
  return status === 'needs_review' || saleRanks[status] >= ENDED_UNPAID_RANK;
}

export function chargeEnded(status: ChargeStatus): boolean {
  return status === 'needs_review' || (status !== 'authorized' && chargeRanks[status] >= ENDED_UNPAID_RANK);
}

export function saleMoney(status: SaleStatus): Money {
  return saleMoneys[status];
}

export function chargeMoney(status: ChargeStatus): Money {
  return chargeMoneys[status];
}

export function salePaid(status: SaleStatus): boolean {
  return saleMoneys[status] === 'taken';
}

/** Whether money was taken, also if all of it was given back since. */
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

/** Nothing was taken, and the storefront knows: it may have asked again since, so nothing more is taken for it. */
export function saleReportedUnpaid(status: SaleStatus | undefined): boolean {
  return status !== undefined && status !== 'needs_review' && saleRanks[status] === ENDED_UNPAID_RANK;
}

export function chargeReportedUnpaid(status: ChargeStatus | undefined): boolean {
  return status !== undefined && status !== 'needs_review' && chargeRanks[status] === ENDED_UNPAID_RANK;
}

type Ranks<S extends string> = Readonly<Record<S, number>>;

function mayBecome<S extends string>(
  ranks: Ranks<S>,
  from: S | 'needs_review',
  to: S | 'needs_review',
  beforeReview: S | 'needs_review' | undefined,
): boolean {
  if (from === 'needs_review') {
    return to !== 'needs_review' && (to === beforeReview || rank(ranks, to) > rank(ranks, beforeReview));
  }
  return to === 'needs_review' || rank(ranks, to) > rank(ranks, from);
}

function rank<S extends string>(ranks: Ranks<S>, status: S | 'needs_review' | undefined): number {
  return status === undefined || status === 'needs_review' ? -1 : ranks[status as S];
}
