/**
 * Our own reference in every call that can move money, never the same one twice, so that a webhook or a list of the
 * platform finds the right thing again; and the ids that follow from another one.
 */
import { createHash } from 'node:crypto';

/** The form of our own ids, as we write them, and of the platform's. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Those that we derive: UUIDs of version 8, so that nobody else's are taken for ours. */
export const OWN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/;
/** Of an act on something of ours, the latter: see actReference. */
const ID_AT_END =
  /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i;

/** The merchant's own text, then our id. */
export function reference(merchantTrns: string | undefined, id: string): string {
  return merchantTrns === undefined ? id : `${merchantTrns} ${id}`;
}

/**
 * Of an act on a charge (a capture, a void): it names the charge, too, so that what the platform tells of the act leads to
 * it. A merchant's own text cannot look like that, because a space follows it.
 */
export function actReference(merchantTrns: string | undefined, chargeId: string, actId: string): string {
  return reference(merchantTrns, `${chargeId}/${actId}`);
}

/** Our id in such a reference, of an act that of what it acts on, in lower case; undefined where there is none. */
export function idAtEndOf(reference: string): string | undefined {
  return ID_AT_END.exec(reference)?.[1]?.toLowerCase();
}

/** The id of a card: one card of one merchant has one id, however often it is stored. */
export function cardIdOf(stackId: string, merchantId: string, cardReference: string): string {
  return `card_${digest(stackId, merchantId, cardReference).slice(0, 32)}`;
}

/** A UUID that follows from its parts: the same parts give the same id, in this stack only. */
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
