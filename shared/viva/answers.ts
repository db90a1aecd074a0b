/**
 * Parts of the platform's answers, read tolerantly: unknown fields pass, ids may be numbers, absent values may be null.
 */
import * as z from 'zod/mini';
import type { Answer } from './http.ts';
import { parseJson } from './json.ts';
import { toMinor } from './money.ts';

/** An id, code or text, also if written as a number. */
export const text = z.pipe(z.union([z.string().check(z.minLength(1)), z.number()]), z.transform(String));

/** Text that may be absent. Null and the empty text count as absent. */
export const optionalText = z.pipe(
  z.nullish(z.union([z.string(), z.number()])),
  z.transform((value) => (value === null || value === undefined || value === '' ? undefined : String(value))),
);

/** A whole number, also if written as text. */
export const integer = z.pipe(
  z.pipe(z.union([z.string().check(z.regex(/^-?\d{1,15}$/)), z.number()]), z.transform(Number)),
  z.int(),
);

export const optionalInteger = z.pipe(
  z.nullish(integer),
  z.transform((value) => value ?? undefined),
);

/** Major units as a decimal; minor units afterwards. */
export const majorAmount = z.pipe(
  z.pipe(
    text,
    z.transform((value) => toMinor(value)),
  ),
  z.int(),
);

/** Undefined if the answer does not fit the schema. */
export function read<T extends z.ZodMiniType>(schema: T, answer: Answer): z.output<T> | undefined {
  const parsed = schema.safeParse(parseJson(answer.text));
  return parsed.success ? parsed.data : undefined;
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields without those that are undefined, which must be absent on the wire and in items. */
export function defined<T extends Record<string, unknown>>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** Undefined if the object has no fields, because then there is nothing to send. */
export function unlessEmpty<T extends object>(fields: T | undefined): T | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields;
}
