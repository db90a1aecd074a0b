import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { problems } from '../../../shared/api/problem.ts';
import { listParameters } from '../../../shared/api/requests/list.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { chargeStatuses, saleStatuses } from '../../../shared/payments/lifecycle.ts';

const document = readFileSync(new URL('../../../docs/openapi.yaml', import.meta.url), 'utf8');

/** Sections by their key, `indent` spaces deep. */
function sections(text: string, indent: number): Map<string, string> {
  const parts = text.split(new RegExp(`^ {${indent}}(?=[^\\s#-])`, 'm')).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
}

const top = sections(document, 0);
const paths = sections(top.get('paths') ?? '', 2);
const schemas = sections(sections(top.get('components') ?? '', 2).get('schemas') ?? '', 4);

function operation({ path, method }: Route): string {
  return sections(paths.get(path) ?? '', 4).get(method.toLowerCase()) ?? '';
}

function words(text: string | undefined): string[] {
  return /enum: \[(.*)\]/.exec(text ?? '')?.[1]?.split(', ') ?? [];
}

describe('the OpenAPI document', () => {
  it('has exactly the routes of the API', () => {
    const documented = [...paths].flatMap(([path, text]) =>
      [...sections(text, 4).keys()]
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it.each(routes as readonly Route[])('names the scope of $method $path', (route) => {
    expect(operation(route)).toContain(`\`${route.scope}\``);
  });

  it.each(routes as readonly Route[])('has the answers that $method $path can get anywhere', (route) => {
    const answers = [...operation(route).matchAll(/^ {8}'(\d+)'/gm)].map(([, status]) => Number(status));

    expect(answers).toEqual(expect.arrayContaining([400, 401, 403, 404, 429, 500, 503]));
    expect(answers.includes(413)).toBe(route.method === 'POST');
  });

  it('has every status a sale and a charge can have', () => {
    expect(words(schemas.get('SaleStatus')).sort()).toEqual([...saleStatuses].sort());
    expect(words(schemas.get('ChargeStatus')).sort()).toEqual([...chargeStatuses].sort());
  });

  it('has every code of a problem', () => {
    const listed = [...(schemas.get('Problem') ?? '').matchAll(/^ {12}- ([A-Z_]+)$/gm)].map(([, code]) => code);

    expect(listed.sort()).toEqual(Object.keys(problems).sort());
  });

  it('has every parameter of a list', () => {
    const parameters = [...document.matchAll(/name: (\w+)\n\s+in: query/g)].map(([, name]) => name);

    expect([...new Set(parameters)].sort()).toEqual([...listParameters].sort());
  });
});
