/**
 * A named schema of the document with its words: what it is, what each field or value means, and examples. The words stand
 * here and not in the schemas, so that no function carries them. A field without a description does not compile.
 */
import type * as z from 'zod/mini';

type Names<S extends z.ZodMiniType> = z.input<S> extends string ? z.input<S> : keyof z.input<S> & string;

interface Words<S extends z.ZodMiniType> {
  readonly is: string;
  /** Of an object: by field. Of an enumeration: by value. */
  readonly of: Readonly<Record<Names<S>, string>>;
  readonly example?: z.input<S>;
}

/** The example of a request has every field, also the optional ones. */
interface RequestWords<S extends z.ZodMiniType> extends Omit<Words<S>, 'example'> {
  readonly example: Required<z.input<S>>;
}

export interface Component {
  readonly schema: z.ZodMiniType;
  readonly is: string;
  readonly of: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

export function component<S extends z.ZodMiniType>(schema: S, words: Words<S>): Component {
  return { schema, ...words };
}

export function requestComponent<S extends z.ZodMiniType>(schema: S, words: RequestWords<S>): Component {
  return { schema, ...words };
}
