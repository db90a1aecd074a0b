/**
 * The platform's event ids in our words: why an issuer declined, and how a session ended (docs/viva.md, "Event ids").
 * New ids appear without notice, so an unknown id has the meaning of its family.
 */
import type { FailureCode } from '../payments/failures.ts';

/** From, to (inclusive), meaning. The first row that fits decides. */
type Rows = readonly (readonly [number, number, FailureCode])[];

/** Ids in a refusal of any call, or as the reason of a declined session. */
export const issuerEvents: Rows = [
  [10004, 10004, 'CARD_BLOCKED'], // pick up
  [10007, 10007, 'CARD_BLOCKED'], // pick up
  [10020, 10020, 'CARD_BLOCKED'], // stolen
  [10041, 10041, 'CARD_BLOCKED'], // lost
  [10043, 10043, 'CARD_BLOCKED'], // stolen
  [10051, 10051, 'CARD_INSUFFICIENT_FUNDS'],
  [10054, 10054, 'CARD_EXPIRED'],
  [10055, 10055, 'CARD_WRONG_PIN'],
  [10061, 10061, 'CARD_LIMIT_EXCEEDED'],
  [10062, 10062, 'CARD_BLOCKED'], // restricted
  [10065, 10065, 'CARD_LIMIT_EXCEEDED'], // activity
  [10068, 10068, 'ISSUER_UNAVAILABLE'], // late
  [10075, 10075, 'CARD_WRONG_PIN'], // tries
  [10079, 10079, 'CARD_BLOCKED'], // restricted
  [10091, 10091, 'ISSUER_UNAVAILABLE'],
  [10096, 10096, 'ISSUER_UNAVAILABLE'], // system
  [10000, 10999, 'CARD_DECLINED'],
];

/** Ids in the body of a finished session. */
export const terminalEvents: Rows = [
  [1000, 1000, 'CANCELLED_ON_TERMINAL'],
  [1001, 1001, 'TERMINAL_BUSY'],
  [1003, 1003, 'TERMINAL_TIMED_OUT'],
  [1004, 1007, 'CARD_DECLINED'], // by terminal, server, card
  [1010, 1010, 'CARD_NOT_READ'], // invalid card
  [1016, 1016, 'SALE_ABORTED'],
  [1019, 1019, 'CARD_DECLINED'], // try another card
  [1020, 1020, 'CARD_INSUFFICIENT_FUNDS'],
  [1054, 1055, 'CARD_BLOCKED'], // lost, stolen
  [1057, 1057, 'CARD_INSUFFICIENT_FUNDS'],
  [1060, 1060, 'CARD_EXPIRED'],
  [1061, 1061, 'CARD_WRONG_PIN'],
  [1064, 1064, 'CARD_LIMIT_EXCEEDED'],
  [1065, 1065, 'CARD_BLOCKED'], // restricted
  [1066, 1066, 'CARD_WRONG_PIN'], // tries
  [1067, 1067, 'CARD_BLOCKED'],
  [1070, 1070, 'ISSUER_UNAVAILABLE'],
  [1047, 1072, 'CARD_DECLINED'],
  [1002, 1083, 'TERMINAL_REFUSED'], // store and forward, roles, parameters, fiscal data
  [1100, 1100, 'TERMINAL_BUSY'],
  [1102, 1102, 'TERMINAL_TIMED_OUT'],
  [1301, 1303, 'CARD_NOT_READ'], // a second tap with PIN is wanted
  [2000, 2000, 'TERMINAL_REFUSED'], // location off
  [3000, 3002, 'TERMINAL_OFFLINE'],
  [4000, 4000, 'TERMINAL_OFFLINE'],
  [5000, 7005, 'TERMINAL_REFUSED'], // capabilities, parameters, roles, limits
  ...issuerEvents,
];

export function meaningOf(rows: Rows, eventId: number | undefined): FailureCode | undefined {
  return eventId === undefined ? undefined : rows.find(([from, to]) => from <= eventId && eventId <= to)?.[2];
}
