/** The text of docs/openapi.yaml: from the schemas, the tables of routes, problems and failures, and the words in docs/contract/. */
import { stringify } from 'yaml';
import { MAX_WAIT_SECONDS } from '../functions/api/read-resource/prefer.ts';
import { IDEMPOTENCY_KEY } from '../shared/api/idempotency.ts';
import { type ProblemCode, problems } from '../shared/api/problems.ts';
import { DEFAULT_LIMIT, listings, MAX_LIMIT } from '../shared/api/requests/list.ts';
import { type Route, type RouteKey, routes, scopes } from '../shared/api/routes.ts';
import { instant, merchantTrns, uuid } from '../shared/api/schemas/fields.ts';
import { components } from './contract/components.ts';
import { eventId } from './contract/ids.ts';
import { type Json, type JsonObject, jsonSchema, jsonSchemas } from './contract/json-schema.ts';
import { type Operation, operations, tags } from './contract/operations.ts';
import { type HeaderName, problemExample, problemHeaders, problemText } from './contract/problems.ts';

const everywhere: readonly ProblemCode[] = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
const ofPost: readonly ProblemCode[] = ['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const ofKeyed: readonly ProblemCode[] = ['IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED'];

/** The answer to a method that no path lists: it has no place of its own in the document. */
const UNDOCUMENTED: ProblemCode = 'METHOD_NOT_ALLOWED';

export function openapiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'tillflow storefront API',
      version: '0.1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: [
        'Card payments at a terminal, stored cards, later charges of them, and bank transfers by RF Payment Code.',
        '',
        'Amounts are integers in minor units (1500 is 15.00), currencies ISO 4217 letters, times ISO 8601 in UTC, ids opaque strings. Absent fields are left out. Resources may get new fields; ignore the ones you do not know. Every error is `application/problem+json`; a method that a path does not list is answered 405 METHOD_NOT_ALLOWED with `Allow`. docs/api.md says how it works.',
      ].join('\n'),
    },
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'The sandbox on your machine (`npm start`).',
        variables: { port: { default: '8787', description: 'The port that `npm start` prints.' } },
      },
      {
        url: 'https://{apiId}.execute-api.{region}.amazonaws.com/v1',
        description: 'A deployed stack.',
        variables: {
          apiId: { default: 'api-id', description: 'The id of the REST API: the output `ApiUrl` of the stack has it.' },
          region: { default: 'eu-central-1', description: 'The region of the stack.' },
        },
      },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: { event: { post: callback() } },
    components: {
      securitySchemes: {
        oidc: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `An access token of the configured OpenID Connect issuer. It has the scopes of the operations it may call (${scopes.map((scope) => `\`${scope}\``).join(', ')}) and of the merchants it may act for (\`merchants/<merchantId>\`, or \`merchants/all\`).`,
        },
      },
      parameters,
      headers,
      responses: Object.fromEntries(lonelyCodes().map((code) => [responseName(code), problemResponse([code])])),
      examples: examples(),
      schemas: schemas(),
    },
  };
}

export function openapiYaml(): string {
  const comment =
    '# Written by docs/generate-openapi.ts. Change the schemas or docs/contract/, then run `npm run generate`.\n';
  return comment + stringify(openapiDocument(), { lineWidth: 120, aliasDuplicateObjects: false });
}

function schemas(): JsonObject {
  const all = jsonSchemas(components);
  return { ...all, Problem: { ...(all['Problem'] as JsonObject), examples: [problemExample(UNDOCUMENTED) as Json] } };
}

function paths(): JsonObject {
  const byPath: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = byPath[route.path] ?? {};
    byPath[route.path] = { ...path, [route.method.toLowerCase()]: operationOf(route) };
  }
  return byPath;
}

function operationOf(route: Route): JsonObject {
  const operation = operations[keyOf(route)];
  const { id, tag, summary, description, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, `Needs the scope \`${route.scope}\`.`].filter(Boolean).join(' '),
    security: [{ oidc: [route.scope] }],
    parameters: parametersOf(route, operation),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: components[body].is,
        content: { 'application/json': { schema: schemaRef(body), examples: exampleRef(body) } },
      },
    }),
    responses: { ...answersOf(operation), ...problemsOf(route, operation) },
  };
}

function keyOf({ method, path }: Route): RouteKey {
  return `${method} ${path}` as RouteKey;
}

function parametersOf(route: Route, { keyed }: Operation): Json[] {
  const { path, function: folder } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameterRef(name ?? ''));
  return [
    ...inPath,
    ...(keyed ? [parameterRef('IdempotencyKey')] : []),
    ...(folder === 'api/read-resource' ? [parameterRef('Prefer'), parameterRef('IfNoneMatch')] : []),
    ...(folder === 'api/list-resources' ? listParametersOf(listings[keyOf(route) as keyof typeof listings]) : []),
  ];
}

function listParametersOf({ statuses, hasMerchantTrns }: (typeof listings)[keyof typeof listings]): Json[] {
  const status = {
    name: 'status',
    in: 'query',
    description: 'Only what has this status.',
    schema: { type: 'string', enum: [...statuses] },
  };
  return [
    parameterRef('merchantId'),
    ...(hasMerchantTrns ? [parameterRef('merchantTrns')] : []),
    status,
    ...['createdFrom', 'createdTo', 'limit', 'cursor'].map(parameterRef),
  ];
}

function answersOf({ answers }: Operation): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { is, body, headers: names = [] }]) => [
      status,
      {
        description: is,
        ...(names.length > 0 && { headers: headersOf(names) }),
        ...(body !== undefined && { content: { 'application/json': bodyOf(body) } }),
      },
    ]),
  );
}

function bodyOf(body: string): JsonObject {
  const name = body.replace('[]', '') as keyof typeof components;
  if (body === name) {
    return { schema: schemaRef(name), examples: exampleRef(name) };
  }
  return {
    schema: {
      type: 'object',
      required: ['items'],
      properties: {
        items: { type: 'array', description: 'Newest first.', items: schemaRef(name) },
        next: { type: 'string', description: 'The `cursor` of the next page. Absent on the last one.' },
      },
    },
    examples: exampleRef(`${name}List`),
  };
}

/** Of every body, every list and every problem, once. */
function examples(): JsonObject {
  const bodies = Object.values(operations).flatMap(({ body, answers }) => [
    body,
    ...Object.values(answers).map((answer) => answer.body),
  ]);
  const values: Record<string, Json> = {};
  for (const body of [...bodies, 'Event'].filter((one) => one !== undefined)) {
    const name = body.replace('[]', '') as keyof typeof components;
    const example = components[name].example as JsonObject;
    const { timeline: _, ...listed } = example;
    values[body.replace('[]', 'List')] =
      body === name ? example : { items: [listed], next: 'MjAyNi0xMS0yMVQxMDowMDowMC4wMDBaIzdlNmMxZDlh' };
  }
  for (const code of allCodes().filter((one) => one !== UNDOCUMENTED)) {
    values[code] = problemExample(code) as Json;
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

function problemsOf(route: Route, operation: Operation): JsonObject {
  return Object.fromEntries(
    [...problemsByStatus(route, operation)].map(([status, codes]) => [
      status,
      isLonely(codes) ? { $ref: `#/components/responses/${responseName(codes[0])}` } : problemResponse(codes),
    ]),
  );
}

function problemsByStatus({ method }: Route, { keyed, problems: own = [] }: Operation): Map<number, ProblemCode[]> {
  const codes = [...everywhere, ...(method === 'POST' ? ofPost : []), ...(keyed ? ofKeyed : []), ...own];
  return Map.groupBy(codes, (code) => problems[code].status);
}

function isLonely(codes: readonly ProblemCode[]): codes is readonly [ProblemCode] {
  return codes.length === 1;
}

/** Those that are the only one of their status somewhere: their answers have names. */
function lonelyCodes(): readonly ProblemCode[] {
  const all = routes.flatMap((route) => [...problemsByStatus(route, operations[keyOf(route)]).values()]);
  const lonely = new Set(all.filter(isLonely).map(([code]) => code));
  return allCodes().filter((code) => lonely.has(code));
}

function problemResponse(codes: readonly ProblemCode[]): JsonObject {
  const names = [...new Set(codes.flatMap(problemHeaders))];
  return {
    description: codes.map((code) => (codes.length > 1 ? `- ${problemText(code)}` : problemText(code))).join('\n'),
    ...(names.length > 0 && { headers: headersOf(names) }),
    content: {
      'application/problem+json': {
        schema: schemaRef('Problem'),
        examples: exampleRef(...codes),
      },
    },
  };
}

const callbackHeaders = {
  'webhook-id': ['The id of the event. The same on every attempt.', eventId],
  'webhook-timestamp': [
    'When it was posted, in seconds since 1970. Refuse what is older than five minutes.',
    '1795255207',
  ],
  'webhook-signature': [
    '`v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in Base64, by the account’s callback secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
} as const;

function callback(): JsonObject {
  return {
    operationId: 'receiveEvent',
    tags: ['events'],
    summary: 'A resource came to an end state',
    description:
      'Posted to the `callbackUrl` of the account, at least once, not always in order, signed as [Standard Webhooks](https://www.standardwebhooks.com) says. docs/api.md shows how to verify it.',
    security: [],
    parameters: Object.entries(callbackHeaders).map(([name, [description, example]]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
      example,
    })),
    requestBody: {
      required: true,
      description: components.Event.is,
      content: { 'application/json': { schema: schemaRef('Event'), examples: exampleRef('Event') } },
    },
    responses: {
      '2XX': { description: 'You have it. Answer within 10 seconds and work later.' },
      '4XX': {
        description: 'As every other answer: it is posted again later, from 5 seconds on and for about three days.',
      },
    },
  };
}

const uuidText = { type: 'string', format: 'uuid' };

const parameters: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      '1 to 255 visible ASCII characters, one key for each thing that is to happen once. The same key with the same body gives the first answer again.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
    example: 'order-1001',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=N\`, at most ${MAX_WAIT_SECONDS} seconds: the answer comes when the resource is final or, with If-None-Match, when it has changed, else after N seconds.`,
    schema: { type: 'string' },
    example: `wait=${MAX_WAIT_SECONDS}`,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of what you have. If it is still current, the answer is 304.',
    schema: { type: 'string' },
    example: '"4-2"',
  },
  saleId: { name: 'saleId', in: 'path', required: true, description: 'The id of the sale.', schema: uuidText },
  chargeId: { name: 'chargeId', in: 'path', required: true, description: 'The id of the charge.', schema: uuidText },
  cardId: {
    name: 'cardId',
    in: 'path',
    required: true,
    description: 'The id of the card, or of the request to store it.',
    schema: { type: 'string', pattern: '^card_[0-9a-f]{32}$' },
  },
  rfOrderId: {
    name: 'rfOrderId',
    in: 'path',
    required: true,
    description: 'The id of the RF order.',
    schema: uuidText,
  },
  merchantId: {
    name: 'merchantId',
    in: 'query',
    required: true,
    description: 'Whose resources are listed.',
    schema: jsonSchema(uuid),
  },
  merchantTrns: {
    name: 'merchantTrns',
    in: 'query',
    description: 'Only what has exactly this reference of the merchant.',
    schema: jsonSchema(merchantTrns),
  },
  createdFrom: {
    name: 'createdFrom',
    in: 'query',
    description: 'Only what was created then or later. A time in the years 0000 to 9999 of UTC.',
    schema: jsonSchema(instant),
  },
  createdTo: {
    name: 'createdTo',
    in: 'query',
    description: 'Only what was created before. A time in the years 0000 to 9999 of UTC.',
    schema: jsonSchema(instant),
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'How many items a page has at most.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
  cursor: { name: 'cursor', in: 'query', description: 'The `next` of the page before.', schema: { type: 'string' } },
};

const headers = {
  Location: { description: 'Where the resource is.', schema: { type: 'string', format: 'uri-reference' } },
  ETag: { description: 'The revision of what is shown.', schema: { type: 'string' } },
  'Preference-Applied': { description: 'The wait that was granted.', schema: { type: 'string' } },
  'Retry-After': { description: 'When to try again, in seconds.', schema: { type: 'integer' } },
  'Idempotency-Replayed': {
    description: 'Present when this is the stored first answer to the key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': { description: 'The scheme to authenticate with.', schema: { type: 'string' } },
} satisfies Record<HeaderName, JsonObject>;

function headersOf(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function allCodes(): readonly ProblemCode[] {
  return Object.keys(problems) as ProblemCode[];
}

function responseName(code: ProblemCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function parameterRef(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

function exampleRef(...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}

function schemaRef(name: keyof typeof components): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
