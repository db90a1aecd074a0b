import { expect, it } from 'vitest';
import { refuseMethod } from '../../../../functions/api/refuse-method/endpoint.ts';
import { call } from '../../../fakes/storefront.ts';

it.each([
  ['PUT /sales', 'POST, GET'],
  ['POST /cards/{cardId}', 'GET, DELETE'],
  ['GET /sales/{saleId}/abort', 'POST'],
])('answers %s with 405 and the methods that the resource allows', async (route, allowed) => {
  const got = await call(refuseMethod, {}, { route, query: { any: 'thing' }, body: 'no JSON' });

  expect(got.status).toBe(405);
  expect(got.headers).toMatchObject({ Allow: allowed, 'Content-Type': 'application/problem+json' });
  expect(got.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405, retryable: false });
});
