import { describe, expect, it } from 'vitest';
import { readApi } from '../../../../../sandbox/cloud/gateway/api.ts';
import { createRoutes } from '../../../../../sandbox/cloud/gateway/routes.ts';
import { stackOf } from './stack.ts';

const routes = [
  'GET /',
  'GET /sales',
  'POST /sales',
  'GET /sales/{saleId}',
  'GET /sales/latest',
  'ANY /sales/{saleId}/abort',
  'POST /sales/{saleId}/abort',
  'GET /files/{path+}',
];
const find = createRoutes(readApi(stackOf({ routes: Object.fromEntries(routes.map((route) => [route, {}])) })));

describe('the routes of the gateway', () => {
  it.each([
    ['GET', '/', '/', null],
    ['GET', '/sales', '/sales', null],
    ['GET', '/sales/7', '/sales/{saleId}', { saleId: '7' }],
    ['GET', '/sales/latest', '/sales/latest', null],
    ['GET', '/sales/a%2Fb%20c', '/sales/{saleId}', { saleId: 'a/b c' }],
    ['GET', '/sales/%2525', '/sales/{saleId}', { saleId: '%25' }],
    ['GET', '/sales/7%2Fabort', '/sales/{saleId}', { saleId: '7/abort' }],
    ['GET', '/sales/l%61test', '/sales/{saleId}', { saleId: 'latest' }],
    ['DELETE', '/sales/7/abort', '/sales/{saleId}/abort', { saleId: '7' }],
    ['GET', '/files/a/b%20c', '/files/{path+}', { path: 'a/b c' }],
  ])('map %s %s to %s', (httpMethod, path, resourcePath, pathParameters) => {
    expect(find(httpMethod, path)).toMatchObject({ resourcePath, pathParameters });
  });

  it('prefer a specific method to ANY', () => {
    expect(find('POST', '/sales/7/abort')?.method.HttpMethod).toBe('POST');
    expect(find('PUT', '/sales/7/abort')?.method.HttpMethod).toBe('ANY');
  });

  it.each([
    ['HEAD', '/sales'],
    ['OPTIONS', '/sales'],
    ['GET', '/unknown'],
    ['GET', '/sales/7/unknown'],
    ['GET', '/sales/'],
    ['GET', '/sales//abort'],
    ['GET', '/files'],
    ['GET', '/s%61les'],
    ['POST', '/%73ales'],
    ['POST', '/sales/7%2Fabort'],
    ['GET', '/s%E0%A4les'],
  ])('do not contain %s %s', (httpMethod, path) => {
    expect(find(httpMethod, path)).toBeUndefined();
  });

  it('refuse a path that is not correctly encoded', () => {
    expect(() => find('GET', '/sales/%E0%A4')).toThrow(URIError);
  });
});
