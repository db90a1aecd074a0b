/** Reads the body of a request: checks type, size, JSON and schema. A problem names every field that is not valid. */
import type * as z from 'zod/mini';
import { Problem, type Violation } from '../problem.ts';
import type { ApiRequest } from '../request.ts';
import { parseJsonText } from './json-text.ts';

const MAX_BODY_BYTES = 16 * 1024;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Parses the body, without a schema. */
export function readBody(request: ApiRequest): unknown {
  const { body } = request;
  if (body === undefined) {
    throw new Problem('INVALID_JSON', 'The request has no body. Send a JSON object.');
  }
  if (body.byteLength > MAX_BODY_BYTES) {
    throw new Problem('BODY_TOO_LARGE', `A body may have at most ${MAX_BODY_BYTES} bytes.`);
  }
  const types = request.header('Content-Type');
  if (types.length !== 1 || !JSON_TYPE.test(types[0] ?? '')) {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  }
  return parseJsonText(body);
}

/** Checks `data`, then the rules between its fields. */
export function validBody<T extends z.ZodMiniType>(
  schema: T,
  data: unknown,
  rules: (body: z.output<T>) => readonly Violation[] = () => [],
): z.output<T> {
  const result = schema.safeParse(data);
  const errors = result.success ? rules(result.data) : result.error.issues.flatMap((issue) => violations(issue, data));
  if (!result.success || errors.length > 0) {
    throw new Problem('INVALID_REQUEST', 'The body has fields that are not valid. See errors.', { errors });
  }
  return result.data;
}

type Issue = z.core.$ZodIssue;

/** The broken rules of one issue. Never repeats what was sent. */
export function violations(issue: Issue, data: unknown): { readonly pointer: string; readonly detail: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointer([...issue.path, key]),
      detail: 'is not a field of this request',
    }));
  }
  const missing = issue.path.length > 0 && valueAt(data, issue.path) === undefined;
  return [{ pointer: pointer(issue.path), detail: missing ? 'is required' : detailOf(issue) }];
}

function detailOf(issue: Issue): string {
  const own = issue.message.startsWith('must ') ? issue.message : undefined; // the schema's, and not the library's
  const isText = 'origin' in issue && issue.origin === 'string';
  switch (issue.code) {
    case 'invalid_type':
      return own ?? `must be of type ${issue.expected === 'int' ? 'integer' : issue.expected}`;
    case 'too_small':
      return own ?? (isText ? `must have at least ${characters(issue.minimum)}` : `must be at least ${issue.minimum}`);
    case 'too_big':
      return own ?? (isText ? `must have at most ${characters(issue.maximum)}` : `must be at most ${issue.maximum}`);
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return own ?? 'is not valid';
  }
}

function characters(count: number | bigint): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part], data);
}
