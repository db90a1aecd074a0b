/** What endpoints read from a request: queries by name, and bodies checked against their documented types. */
import * as z from 'zod';
import type { Simulator } from '../simulator.ts';
import type { Refusal } from './answers.ts';
import { parseJson } from './json.ts';

export const minorUnits = z.int().positive();
export const optionalMinorUnits = z.int().nonnegative().nullish();
export const optionalText = z.string().nullish();

/** Names are read in any case, unless the switch `queryNames` makes them exact. */
export function queryOf(sim: Simulator, request: Request, name: string): string | undefined {
  const exact = sim.switches.get('queryNames') === 'exact';
  for (const [key, value] of new URL(request.url).searchParams) {
    if (key === name || (!exact && key.toLowerCase() === name.toLowerCase())) {
      return value;
    }
  }
  return undefined;
}

/** `refuse` gets the place where the body is wrong, never its content. */
export async function bodyOf<S extends z.ZodType>(
  request: Request,
  schema: S,
  refuse: (where: string) => Refusal,
): Promise<z.output<S>> {
  const result = schema.safeParse(parseJson(await request.text()));
  if (!result.success) {
    throw refuse(result.error.issues[0]?.path.join('.') || 'body');
  }
  return result.data;
}
