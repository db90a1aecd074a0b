/** What a method's request validator checks before its function runs. */
import * as z from 'zod';
import type { Api } from './api.ts';
import { Refusal } from './refusal.ts';
import { type GatewayRequest, header } from './request.ts';
import type { Route } from './routes.ts';

export type Validate = (request: GatewayRequest, route: Route, body: string) => void;

/** Throws for a schema that is not supported; the returned function throws a Refusal. */
export function createValidation(api: Api): Validate {
  const models = new Map(
    [...api.models].map(([name, schema]) => [name, z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema)]),
  );

  return (request, { method, pathParameters }, body) => {
    const validator = api.validators.get(method.RequestValidatorId ?? '');
    if (validator?.ValidateRequestParameters) {
      const missing = Object.entries(method.RequestParameters)
        .filter(([place, required]) => required && !isPresent(place, request, pathParameters))
        .map(([place]) => place.split('.').at(-1));
      if (missing.length > 0) {
        throw new Refusal('BAD_REQUEST_PARAMETERS', `Missing required request parameters: [${missing.join(', ')}]`);
      }
    }
    const mediaType = (header(request, 'content-type') ?? 'application/json').split(';')[0]!.trim().toLowerCase();
    const model = models.get(method.RequestModels[mediaType] ?? method.RequestModels['$default'] ?? '');
    if (validator?.ValidateRequestBody && model !== undefined) {
      const parsed = model.safeParse(parseJson(body));
      if (!parsed.success) {
        const faults = parsed.error.issues.map(({ path, message }) => `${path.join('/')}: ${message}`);
        throw new Refusal('BAD_REQUEST_BODY', undefined, `[${faults.join(', ')}]`);
      }
    }
  };
}

function isPresent(place: string, request: GatewayRequest, pathParameters: Route['pathParameters']): boolean {
  const [, , kind, ...rest] = place.split('.');
  const name = rest.join('.');
  switch (kind) {
    case 'header':
      return header(request, name) !== undefined;
    case 'querystring':
      return request.query.some(([key]) => key === name);
    default:
      return pathParameters?.[name] !== undefined;
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal('BAD_REQUEST_BODY', undefined, 'the body is no JSON');
  }
}
