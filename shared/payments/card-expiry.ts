/** When a card expires. A card is good until its month has ended everywhere on earth. */

const LAST_ZONE_BEHIND_UTC_HOURS = 12;

/** Milliseconds since the epoch: the end of the card's expiry month in the last time zone that reaches it. */
export function cardEndsAt(expirationYear: number, expirationMonth: number): number {
  return Date.UTC(expirationYear, expirationMonth, 1, LAST_ZONE_BEHIND_UTC_HOURS);
}
