import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { complaints } from '../../../docs/contract/complaints.ts';
import { component } from '../../../docs/contract/component.ts';
import { components } from '../../../docs/contract/components.ts';
import { jsonSchemas } from '../../../docs/contract/json-schema.ts';
import { openapiDocument, openapiYaml } from '../../../docs/generate-openapi.ts';
import { problems } from '../../../shared/api/problems.ts';
import { validBody } from '../../../shared/api/requests/body.ts';
import { captureRules } from '../../../shared/api/requests/charge.ts';
import { listParameters } from '../../../shared/api/requests/list.ts';
import { rfOrderRules } from '../../../shared/api/requests/rf-order.ts';
import { validSaleBody } from '../../../shared/api/requests/sale.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { cardBody } from '../../../shared/api/schemas/card.ts';
import { captureBody } from '../../../shared/api/schemas/charge.ts';
import { failure } from '../../../shared/api/schemas/failure.ts';
import { rfOrderBody } from '../../../shared/api/schemas/rf-order.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is what it says
const document = openapiDocument() as any;

function operation({ path, method }: Route) {
  return document.paths[path][method.toLowerCase()];
}

/** The document after a change that makes it worse. */
// biome-ignore lint/suspicious/noExplicitAny: a document is what it says
function spoiled(change: (document: any) => void): string {
  const copy = parse(openapiYaml());
  change(copy);
  return stringify(copy, { aliasDuplicateObjects: false });
}

describe('the OpenAPI document', () => {
  it('is current (npm run generate writes it)', () => {
    expect(readFileSync('docs/openapi.yaml', 'utf8')).toBe(openapiYaml());
  });

  it('has exactly the routes of the API', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it.each(routes as readonly Route[])('requires the scope of $method $path', (route) => {
    expect(operation(route).security).toEqual([{ oidc: [route.scope] }]);
  });

  it.each(routes as readonly Route[])('has the answers that every $method $path can give', (route) => {
    const answers = Object.keys(operation(route).responses).map(Number);

    expect(answers).toEqual(expect.arrayContaining([400, 401, 403, 404, 429, 500, 503]));
    expect(answers.includes(413)).toBe(route.method === 'POST');
  });

  it('has every parameter of a list', () => {
    const { parameters } = operation({ method: 'GET', path: '/sales' } as Route);
    const names = parameters.map((one: { $ref?: string; name?: string }) => one.name ?? one.$ref?.split('/').at(-1));

    expect(names.sort()).toEqual([...listParameters].sort());
  });

  it('has an example of every problem', () => {
    const { METHOD_NOT_ALLOWED: _, ...others } = problems;
    const [undocumented] = document.components.schemas.Problem.examples;

    expect(Object.keys(document.components.examples)).toEqual(expect.arrayContaining(Object.keys(others)));
    expect(undocumented.code).toBe('METHOD_NOT_ALLOWED');
  });

  it.each([
    ['SaleRequest', validSaleBody],
    ['CardRequest', (body: unknown) => validBody(cardBody, body)],
    ['CaptureRequest', (body: unknown) => validBody(captureBody, body, captureRules)],
    ['RfOrderRequest', (body: unknown) => validBody(rfOrderBody, body, rfOrderRules)],
  ] as const)('has an example of %s that the API accepts, with every field', (name, validate) => {
    const { example, of } = components[name];

    expect(Object.keys(example as object).sort()).toEqual(Object.keys(of).sort());
    expect(() => validate(example)).not.toThrow();
  });

  it('writes null as in OpenAPI 3.1, and has no constants', () => {
    expect(document.components.schemas.RfOrder.properties.expiresAt.type).toEqual(['string', 'null']);
    expect(openapiYaml()).not.toMatch(/const:|nullable:/);
  });
});

describe('the check of the document', () => {
  it('finds nothing wrong with the current document', async () => {
    expect(await complaints(openapiYaml())).toEqual([]);
  });

  it('reports a field without a description', async () => {
    const yaml = spoiled(({ components: { schemas } }) => {
      schemas.Sale.properties.saleId.description = ' ';
    });

    expect(await complaints(yaml)).toEqual([
      '#/components/schemas/Sale/properties/saleId: the field has no description',
    ]);
  });

  it('reports a parameter without a description', async () => {
    const yaml = spoiled(({ components: { parameters } }) => {
      delete parameters.limit.description;
    });

    expect(await complaints(yaml)).toEqual(['#/components/parameters/limit: the parameter has no description']);
  });

  it('reports what Redocly finds', async () => {
    const yaml = spoiled(({ paths }) => {
      paths['/sales'].get.operationId = 'createSale';
    });

    expect(await complaints(yaml)).toEqual([expect.stringContaining('operation-operationId-unique')]);
  });

  it('reports an example that its schema refuses', async () => {
    const yaml = spoiled(({ components: { examples } }) => {
      examples.Sale.value.amount = 'much';
    });

    expect((await complaints(yaml)).join()).toContain('no-invalid-media-type-examples');
  });

  it('stops the generator at a field without a description, and at a description without a field', () => {
    const words = { is: 'A failure.', of: { code: 'It.', message: 'It.', retryable: 'It.', platform: '' } };

    expect(() => jsonSchemas({ Failure: component(failure, words) })).toThrow(
      'The field platform of Failure has no description. Add it in docs/contract/.',
    );
    expect(() =>
      jsonSchemas({ Failure: { schema: failure, is: '', of: { ...words.of, platform: 'It.', no: 'No' } } }),
    ).toThrow('Failure has no field no. Remove its description in docs/contract/.');
  });
});
