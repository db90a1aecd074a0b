/** What must hold whatever goes wrong, by name. At rest means: faults are over, and all that was due has run. */
export const INVARIANTS = {
  chargedOnce: 'a charge takes money at most once',
  soldOnce: 'a sale takes money at most once',
  processedOnce: 'a request that takes money or gives it back is processed at most once',
  notSentAgain: 'what may have taken money is not sent again while the first request may still be processed',
  sentInTime: 'nothing is sent to a terminal later than 30 seconds after the sale was created',
  statusIsTrue: 'at rest a resource is shown as paid exactly when the ledger has its payment',
  neverShownWrong: 'no answer and no event was wrong in the direction that costs money',
  amountIsExact: 'the amount taken is the amount requested',
  originalProves: 'the payment that is shown is the original, and the refunded amount is that of its children',
  holdBoundsCaptures: 'captures take at most what was authorized, and are shown as they were made',
  ordersAreExact: 'the payments of an RF order are shown as they are',
  publishedOnce: 'no event reports the same status twice, except for a review',
  booksBalance: 'the totals shown are those of the ledger, and the ledger has nothing else',
  abortHolds: 'after an accepted abort the additional charge is not made',
  shareIsKept: 'the ISV gets the requested amount',
  onlyUp: 'a status only moves up its lattice',
  oneReadingEndsNothing: 'one wrong reading never ends what was paid',
  endIsProven: 'while every reading is right, nothing ends as unpaid that is paid, or that is paid later',
  finalIsFinal: 'what is final changes only with late proof',
  endsInTime: 'everything ends in time, or is in review with a reason',
  nothingForgotten: 'what is open is due at some time, and no error is logged at rest',
  deletedIsGone: 'of a deleted card no token is left',
  secretsStay: 'no log line, history, event, callback, answer or error shows a secret or a personal datum',
  writesKeep: 'no write loses what was stored: amounts, captures, payments, the timeline',
  callbacksArrive:
    'every event of an account with a callback address arrives there, signed and as published, or is kept for a person',
  nothingUnexpected: 'no function does what its role does not allow, or what the simulated cloud does not know',
  calmSucceeds: 'without any fault, every approved sale is paid and its card charged, and no error is logged',
  answersAreKnown: 'a valid request is never answered in an unknown way',
} as const;

export type Invariant = keyof typeof INVARIANTS;
