/**
 * The types of fields in requests and resources.
 *
 * The schemas in this folder are the contract of the API: the types of bodies, items and representations follow from them,
 * and so does `docs/openapi.yaml`. Functions run the schemas of requests; of the schemas of resources they import types
 * only, because answers are not checked at run time. `docs/contract/` describes each field, outside of all bundles.
 */
import * as z from 'zod/mini';

/** In minor units. The platform documents no upper limit; this one is ours. */
const MAX_AMOUNT = 99_999_999;
/** The platform's smallest amount for a terminal sale and for an order. */
export const MIN_TERMINAL_AMOUNT = 30;

export function amount(least = 1) {
  return z
    .int('must be an integer in minor units: 1500 for 15.00 EUR')
    .check(...between(least, MAX_AMOUNT, 'minor units'));
}

/** The bounds of a number, with its unit in the refusal. */
export function between(least: number, most: number, unit: string) {
  return [
    z.minimum(least, `must be at least ${least} ${unit}`),
    z.maximum(most, `must be at most ${most} ${unit}`),
  ] as const;
}

/** Text without control characters and lone surrogates. */
export function text(maxLength: number) {
  return z
    .string()
    .check(z.minLength(1), z.maxLength(maxLength), z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters'));
}

/** A UUID of any version, because the platform chooses its ids. */
export const uuid = z.pipe(
  z.guid('must be a UUID'),
  z.transform((id) => id.toLowerCase()),
);

export const currency = z.string().check(z.regex(/^[A-Z]{3}$/, 'must be three letters of ISO 4217'));

/** A time with an offset. It is stored in UTC and compared as text, so its year must have four digits there. */
export const instant = z.pipe(
  z.pipe(
    z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time with an offset' }),
    z.transform((time) => new Date(time).toISOString()),
  ),
  z.string().check(z.regex(/^\d{4}-/, 'must be in the years 0000 to 9999 of UTC')),
);

export const installments = z.int('must be an integer').check(...between(0, 36, 'installments'));
export const merchantTrns = text(200);
export const customerTrns = text(2048);
export const customerReference = text(200);
export const consent = z.strictObject({ at: instant, reference: text(200) });

/** The body of a request without fields. */
export const nothing = z.strictObject({});

/** Ids, times and amounts of a resource. */
export const id = z.guid();
export const time = z.iso.datetime();
export const minorUnits = z.int().check(z.minimum(0));

/** The platform's reason, for support. Never a body. */
export const platformReason = z.object({
  status: z.optional(z.int()),
  code: z.optional(z.string()),
  eventId: z.optional(z.string()),
  correlationId: z.optional(z.string()),
});

/** One entry of a timeline. `detail` holds numbers, codes and ids only. */
export const timelineEntry = z.object({
  at: time,
  event: z.string(),
  detail: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

export const consentShown = z.object({ at: time, reference: z.string() });

/** The return type of a function that shows `S`. Every field must be named, even if it is absent. */
export type Shown<S extends z.ZodMiniType> = {
  readonly [K in keyof Required<z.output<S>>]: ReadonlyDeep<z.output<S>[K]>;
};

type ReadonlyDeep<T> = T extends object ? { readonly [K in keyof T]: ReadonlyDeep<T[K]> } : T;

/** Refuses, as `satisfies Shows<…>`, the schema of a resource that leaves out one of these fields. */
export interface Shows<Field extends string> {
  readonly shape: Readonly<Record<Field, unknown>>;
}
