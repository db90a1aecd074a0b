/** The REST API in memory: from a request to the proxy event of its function, and back. The authorizer is not part of it. */
import type { Answer } from '../../shared/api/endpoint.ts';
import { Problem, problemBody } from '../../shared/api/problem.ts';
import { openRoutes, routes } from '../../shared/api/routes.ts';
import type { Host } from './host.ts';

export interface Gateway {
  fetch(url: URL, init: RequestInit): Promise<Response>;
}

const all = [...routes, ...openRoutes].map(({ method, path, function: folder }) => ({
  method,
  path,
  functionName: folder.slice(folder.indexOf('/') + 1),
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

const CALLER = { client: 'storefront', issuer: 'https://issuer', merchants: 'all', scopes: '' };

export function createGateway(host: Host): Gateway {
  return {
    async fetch({ pathname, searchParams }, { method = 'GET', headers, body }) {
      const route = all.find((one) => one.method === method && one.pattern.test(pathname));
      if (route === undefined) {
        return problem('NOT_FOUND', '');
      }
      const { groups = {} } = route.pattern.exec(pathname) ?? {};
      const result = await host.invoke(route.functionName, {
        httpMethod: method,
        resource: route.path,
        path: pathname,
        pathParameters: { ...groups },
        multiValueHeaders: Object.fromEntries([...new Headers(headers)].map(([name, value]) => [name, [value]])),
        multiValueQueryStringParameters: Object.fromEntries(
          [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
        ),
        body: body ?? null,
        isBase64Encoded: false,
        requestContext: {
          requestId: crypto.randomUUID(),
          path: `/v1${pathname}`,
          identity: { sourceIp: '127.0.0.1' },
          authorizer: CALLER,
        },
      });
      if (!result.ok) {
        return problem('SERVICE_UNAVAILABLE', route.path);
      }
      const answer = result.payload as Answer;
      return new Response(answer.body || null, {
        status: answer.status,
        headers: new Headers({ 'Content-Type': 'application/json', ...answer.headers }),
      });
    },
  };
}

/** As the template answers by itself. */
function problem(code: 'NOT_FOUND' | 'SERVICE_UNAVAILABLE', path: string): Response {
  const answer = new Problem(code, 'The gateway had no answer.');
  return new Response(problemBody(answer, path, crypto.randomUUID()), {
    status: answer.status,
    headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '1' },
  });
}
