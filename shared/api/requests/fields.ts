/** The kinds of field that the requests are made of. */
import * as z from 'zod/mini';

/** In minor units. The platform documents no bound; no till takes more than this at once. */
const MAX_AMOUNT = 99_999_999;
/** The platform's least amount on a terminal and of an order. */
export const MIN_TERMINAL_AMOUNT = 30;

export function amount(least = 1) {
  return z.int().check(z.minimum(least), z.maximum(MAX_AMOUNT));
}

/** Text without control characters and without halves of characters. */
export function text(maxLength: number) {
  return z
    .string()
    .check(z.minLength(1), z.maxLength(maxLength), z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters'));
}

/** A UUID of whatever version: the platform decides which ids it gives. */
export const uuid = z.pipe(
  z.guid('must be a UUID'),
  z.transform((id) => id.toLowerCase()),
);

export const currency = z.string().check(z.regex(/^[A-Z]{3}$/, 'must be three letters of ISO 4217'));

/** With an offset; kept in UTC, where its year must still have four digits: times are compared as text. */
export const instant = z.pipe(
  z.pipe(
    z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time with an offset' }),
    z.transform((time) => new Date(time).toISOString()),
  ),
  z.string().check(z.regex(/^\d{4}-/, 'must be in the years 0000 to 9999 of UTC')),
);

export const installments = z.int().check(z.minimum(0), z.maximum(36));
export const merchantTrns = text(200);
export const customerTrns = text(2048);
export const customerReference = text(200);
export const consent = z.strictObject({ at: instant, reference: text(200) });

/** The body of a request that needs none. */
export const nothing = z.strictObject({});
