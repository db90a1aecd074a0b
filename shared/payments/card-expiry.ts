/** The end of a card's validity. A card is valid until its expiry month has ended in every time zone. */

const LAST_ZONE_BEHIND_UTC_HOURS = 12;

/** Milliseconds since the epoch. The month is 1 to 12, the year has four digits. */
export function cardEndsAt(expirationYear: number, expirationMonth: number): number {
  return Date.UTC(expirationYear, expirationMonth, 1, LAST_ZONE_BEHIND_UTC_HOURS);
}
