/**
 * References and derived ids. Every call that can move money carries a reference of its own that ends with our id, so a
 * webhook or a list of the platform leads to our item. All functions are pure.
 */
import { createHash } from 'node:crypto';

/** The form of our own ids and of the platform's, in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The form of ids that we derive: UUIDs of version 8, so that other UUIDs are not mistaken for ours. */
export const OWN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/;
/** In an `actReference` this is the id of the charge, not of the act. */
const ID_AT_END =
  /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i;

/** The merchant's own text, a space, and our id. */
export function reference(merchantTrns: string | undefined, id: string): string {
  return merchantTrns === undefined ? id : `${merchantTrns} ${id}`;
}

/**
 * The reference of an act on a charge (a capture or a void). It names the charge as well, so that a webhook about the act
 * leads to the charge. A merchant's own text cannot have this form, because a space follows it.
 */
export function actReference(merchantTrns: string | undefined, chargeId: string, actId: string): string {
  return reference(merchantTrns, `${chargeId}/${actId}`);
}

/** Our id at the end of a reference, in lower case; for an act on a charge the id of the charge. Undefined if there is none. */
export function idAtEndOf(reference: string): string | undefined {
  return ID_AT_END.exec(reference)?.[1]?.toLowerCase();
}

/** The id of a card: one card of one merchant has one id, however often it is stored. */
export function cardIdOf(stackId: string, merchantId: string, cardReference: string): string {
  return `card_${digest(stackId, merchantId, cardReference).slice(0, 32)}`;
}

/** A UUID of version 8 that is derived from the parts. The same parts always give the same id. */
export function derivedId(...parts: readonly string[]): string {
  const hex = digest(...parts);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  }
  return hash.digest('hex');
}
