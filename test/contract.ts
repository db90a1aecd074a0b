/**
 * Compares what the storefront API answers, and what it posts to callback addresses, with docs/openapi.yaml. A status, a
 * field, a header or a code of a problem that the document does not name for the route is an error.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';

export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws an Error that says what the document does not know. */
export type CheckAnswer = (method: string, path: string, answer: SeenAnswer) => void;

/** Headers that the document has to name where they are sent. */
const NAMED = ['Location', 'ETag', 'Preference-Applied', 'Retry-After', 'Idempotency-Replayed', 'WWW-Authenticate'];

// biome-ignore lint/suspicious/noExplicitAny: a document is what it says
type Document = any;

export function contractOf(document: Document): { checkAnswer: CheckAnswer; checkEvent: (event: unknown) => void } {
  const closed = withoutOtherFields(document);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: { schemas: closed.components.schemas } });
  const resolved = (part: Document) => (part?.$ref ? part.$ref.slice(2).split('/').reduce(into, closed) : part);
  const validators = new Map<string, ValidateFunction>();
  const check = (schema: object, value: unknown, what: string) => {
    const key = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    const validate = validators.get(key) ?? ajv.compile(JSON.parse(key));
    validators.set(key, validate);
    if (!validate(value)) {
      throw new Error(
        `${what} is not what docs/openapi.yaml says: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`,
      );
    }
  };
  const checkUndocumented = (answer: SeenAnswer, what: string) => {
    check({ $ref: '#/components/schemas/Problem' }, JSON.parse(answer.text), what);
    if (![401, 403, 404, 405, 429, 500, 503].includes(answer.status)) {
      throw new Error(`${what} is answered, though docs/openapi.yaml has no such operation`);
    }
  };

  return {
    checkAnswer(method, path, answer) {
      const what = `the answer ${answer.status} to ${method} ${path}`;
      const operation = operationOf(closed, method, path);
      if (operation === undefined) {
        return checkUndocumented(answer, what);
      }
      const response = resolved(operation.responses[answer.status]);
      if (response === undefined) {
        throw new Error(`docs/openapi.yaml does not know ${what}`);
      }
      const known = Object.keys(response.headers ?? {});
      const unknown = NAMED.filter((name) => answer.headers.has(name) && !known.includes(name));
      if (unknown.length > 0) {
        throw new Error(`${what} has headers that docs/openapi.yaml does not name: ${unknown.join(', ')}`);
      }
      checkBody(response, answer, what, check);
    },
    checkEvent(event) {
      const { schema } = closed.webhooks.event.post.requestBody.content['application/json'];
      check(schema, event, 'the callback');
    },
  };
}

export function readContract() {
  return contractOf(parse(readFileSync('docs/openapi.yaml', 'utf8')));
}

function checkBody(
  response: Document,
  { headers, text }: SeenAnswer,
  what: string,
  check: (schema: object, value: unknown, what: string) => void,
): void {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (response.content === undefined) {
    if (text !== '') {
      throw new Error(`${what} has a body, and docs/openapi.yaml knows of none`);
    }
    return;
  }
  const media = response.content[type];
  if (media === undefined) {
    throw new Error(`${what} is ${type}, and docs/openapi.yaml does not know that`);
  }
  const body = JSON.parse(text);
  check(media.schema, body, what);
  if (type === 'application/problem+json' && !(body.code in media.examples)) {
    throw new Error(`${what} has the code ${body.code}, which docs/openapi.yaml does not name there`);
  }
}

function operationOf({ paths }: Document, method: string, path: string): Document {
  const [plain = ''] = path.split('?');
  const template = Object.keys(paths).find((one) => matches(one, plain));
  return template === undefined ? undefined : paths[template][method.toLowerCase()];
}

function matches(template: string, path: string): boolean {
  const [ours, theirs] = [template.split('/'), path.split('/')];
  return (
    ours.length === theirs.length &&
    ours.every((part, n) => (part.startsWith('{') ? theirs[n] !== '' : part === theirs[n]))
  );
}

/** Clients ignore fields they do not know; these tests do not. */
function withoutOtherFields(json: Document): Document {
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  if (Array.isArray(json)) {
    return json.map(withoutOtherFields);
  }
  const copy = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withoutOtherFields(value)]));
  return json.type === 'object' && json.properties !== undefined ? { additionalProperties: false, ...copy } : copy;
}

function into(part: Document, name: string): Document {
  return part[name];
}
