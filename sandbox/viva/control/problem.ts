/**
 * Refusals of the control API. Its routes read bodies and queries strictly, and a refusal lists what would be valid.
 */
import * as z from 'zod';
import { violations } from '../../../shared/api/requests/body.ts';
import { parseJson } from '../http/json.ts';

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly response: Response;

  constructor(status: number, detail: string, more: object = {}) {
    super(detail);
    this.response = problem(status, detail, more);
  }
}

export function problem(status: number, detail: string, more: object = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', status, detail, ...more }), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  });
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
}

export async function readBody<S extends z.ZodObject>(request: Request, schema: S): Promise<z.output<S>> {
  const text = await request.text();
  const body = text === '' ? {} : parseJson(text);
  if (body === undefined) {
    throw new Problem(400, 'The body is not valid JSON.');
  }
  return check(schema, body);
}

export function readQuery<S extends z.ZodObject>(request: Request, schema: S): z.output<S> {
  return check(schema, Object.fromEntries(new URL(request.url).searchParams));
}

/** A number in a query. */
export const queryNumber = z.coerce.number().int().nonnegative().optional();

function check<S extends z.ZodObject>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const errors = result.error.issues.flatMap((issue) => violations(issue, value));
  const details = errors.map(({ pointer, detail }) => `${pointer || 'The body'} ${detail}`);
  throw new Problem(400, `${details.join('; ')}.`, {
    errors,
    validFields: Object.keys(schema.shape),
  });
}
