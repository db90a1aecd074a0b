/** Zod schemas as the JSON Schemas of an OpenAPI 3.1 document, with their words. */
import * as z from 'zod/mini';
import type { Component } from './component.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json | undefined;
}

const REF = '#/components/schemas/';
/** Patterns that zod adds to a format say the same again, at length. */
const FORMATS = ['uuid', 'date-time', 'email'];

/** Throws where a field or value has no description, or a description no field. */
export function jsonSchemas(components: Readonly<Record<string, Component>>): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(components)) {
    registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `${REF}${id}` });
  return Object.fromEntries(
    Object.entries(components).map(([name, words]) => [
      name,
      described(name, simplified(schemas[name] as JsonObject), words),
    ]),
  );
}

/** A schema without a name: of a parameter. */
export function jsonSchema(schema: z.ZodMiniType): JsonObject {
  return simplified(z.toJSONSchema(schema, { io: 'input' }) as JsonObject);
}

function described(name: string, schema: JsonObject, { is, of }: Component): JsonObject {
  const values = schema['enum'] as readonly string[] | undefined;
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  const expected = values ?? Object.keys(properties);
  const missing = expected.filter((one) => (of[one] ?? '').trim() === '');
  const unknown = Object.keys(of).filter((one) => !expected.includes(one));
  const what = values === undefined ? 'field' : 'value';
  const complaints = [
    ...missing.map((one) => `The ${what} ${one} of ${name} has no description. Add it in docs/contract/.`),
    ...unknown.map((one) => `${name} has no ${what} ${one}. Remove its description in docs/contract/.`),
  ];
  if (complaints.length > 0) {
    throw new Error(complaints.join('\n'));
  }
  if (values !== undefined) {
    return { ...schema, description: [is, '', ...values.map((value) => `- \`${value}\`: ${of[value]}`)].join('\n') };
  }
  return {
    ...schema,
    description: is,
    properties: Object.fromEntries(
      Object.entries(properties).map(([field, property]) => [field, { ...property, description: of[field] ?? '' }]),
    ),
  };
}

function simplified(schema: JsonObject): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = schema;
  return simplifiedJson(rest) as JsonObject;
}

function simplifiedJson(json: Json): Json {
  if (Array.isArray(json)) {
    return json.map(simplifiedJson);
  }
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  const object = Object.fromEntries(
    Object.entries(json as JsonObject)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined && !saysNothing(entry, json as JsonObject))
      .map(([key, value]) => [key, simplifiedJson(value)]),
  );
  return nullable(portable(object));
}

function saysNothing([key, value]: [string, Json | undefined], { format }: JsonObject): boolean {
  return (
    (key === 'pattern' && FORMATS.includes(String(format))) ||
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (key === 'propertyNames' && Object.keys(value as JsonObject).join() === 'type')
  );
}

/** `type: [string, 'null']`, as OpenAPI 3.1 says it. */
function nullable(object: JsonObject): JsonObject {
  const { anyOf, ...rest } = object;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) {
    return object;
  }
  const [schema, nothing] = anyOf as [JsonObject, JsonObject];
  return nothing['type'] === 'null' && typeof schema['type'] === 'string'
    ? { ...schema, ...rest, type: [schema['type'], 'null'] }
    : object;
}

/** Not every regular expression engine knows the classes of Unicode. Halves of characters are no JSON text anyway. */
function portable(object: JsonObject): JsonObject {
  const { pattern } = object;
  return typeof pattern === 'string'
    ? { ...object, pattern: pattern.replace('\\p{Cc}\\p{Cs}', '\\x00-\\x1f\\x7f-\\x9f') }
    : object;
}
