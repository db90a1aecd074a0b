/** What is wrong with the document: fields and parameters without a description, and what Redocly's recommended rules find. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse } from 'yaml';
import type { Json, JsonObject } from './json-schema.ts';

export async function complaints(yaml: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: yaml, config });
  const problems = found.map(({ ruleId, message, location }) => `${location[0]?.pointer}: ${message} (${ruleId})`);
  return [...undescribed(parse(yaml)), ...problems];
}

function undescribed(json: Json, at = '#'): string[] {
  if (typeof json !== 'object' || json === null) {
    return [];
  }
  if (Array.isArray(json)) {
    return json.flatMap((one, n) => undescribed(one, `${at}/${n}`));
  }
  const object = json as JsonObject;
  const fields = at.endsWith('/properties') ? Object.keys(object) : [];
  const isParameter = typeof object['in'] === 'string' && typeof object['name'] === 'string';
  return [
    ...fields.filter((name) => !isDescribed(object[name])).map((name) => `${at}/${name}: the field has no description`),
    ...(isParameter && !isDescribed(object) ? [`${at}: the parameter has no description`] : []),
    ...Object.entries(object)
      .filter(([name]) => name !== 'examples')
      .flatMap(([name, value]) => undescribed(value ?? null, `${at}/${name}`)),
  ];
}

function isDescribed(json: Json | undefined): boolean {
  const { description } = (json ?? {}) as JsonObject;
  return typeof description === 'string' && description.trim() !== '';
}
