/**
 * The routes of the API: the function for each method and path, and the scope that a storefront needs. The template, the
 * authorizer's policies, the `Allow` header of `refuse-method` and the OpenAPI document are built from these tables.
 */
export type Method = 'GET' | 'POST' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** The path in the REST API, with `{name}` for a path parameter. */
  readonly path: string;
  readonly scope: Scope;
  /** Folder under functions/. */
  readonly function: string;
}

/** The scopes of a storefront's token, besides `merchants/<merchantId>` and `merchants/all`. */
export const scopes = [
  'sales/read',
  'sales/write',
  'cards/read',
  'cards/write',
  'charges/read',
  'charges/write',
  'captures/write',
  'refunds/write',
  'orders/read',
  'orders/write',
] as const;

export type Scope = (typeof scopes)[number];

export const routes = [
  { method: 'POST', path: '/sales', scope: 'sales/write', function: 'sale/create-sale' },
  { method: 'GET', path: '/sales', scope: 'sales/read', function: 'api/list-resources' },
  { method: 'GET', path: '/sales/{saleId}', scope: 'sales/read', function: 'api/read-resource' },
  { method: 'POST', path: '/sales/{saleId}/abort', scope: 'sales/write', function: 'sale/abort-sale' },
  { method: 'POST', path: '/cards', scope: 'cards/write', function: 'card/store-card' },
  { method: 'GET', path: '/cards', scope: 'cards/read', function: 'api/list-resources' },
  { method: 'GET', path: '/cards/{cardId}', scope: 'cards/read', function: 'api/read-resource' },
  { method: 'DELETE', path: '/cards/{cardId}', scope: 'cards/write', function: 'card/forget-card' },
  { method: 'GET', path: '/charges', scope: 'charges/read', function: 'api/list-resources' },
  { method: 'GET', path: '/charges/{chargeId}', scope: 'charges/read', function: 'api/read-resource' },
  {
    method: 'POST',
    path: '/charges/{chargeId}/capture',
    scope: 'captures/write',
    function: 'charge/request-capture',
  },
  { method: 'POST', path: '/rf-orders', scope: 'orders/write', function: 'rf-orders/create-rf-order' },
  { method: 'GET', path: '/rf-orders', scope: 'orders/read', function: 'api/list-resources' },
  { method: 'GET', path: '/rf-orders/{rfOrderId}', scope: 'orders/read', function: 'api/read-resource' },
  { method: 'DELETE', path: '/rf-orders/{rfOrderId}', scope: 'orders/write', function: 'rf-orders/cancel-rf-order' },
] as const satisfies readonly Route[];

type KeyOf<R> = R extends { readonly method: infer M extends string; readonly path: infer P extends string }
  ? `${M} ${P}`
  : never;

/** Method and path of a route, for example `POST /sales`. */
export type RouteKey = KeyOf<(typeof routes)[number]>;

/** The routes of one function. A table by these keys does not compile when a route is missing. */
export type RouteOf<Folder extends (typeof routes)[number]['function']> = KeyOf<
  Extract<(typeof routes)[number], { readonly function: Folder }>
>;

/** Routes without the authorizer: the path contains a secret. */
export const openRoutes = [
  { method: 'GET', path: '/webhooks/{accountId}/{pathToken}', function: 'webhooks/receive-webhook' },
  { method: 'POST', path: '/webhooks/{accountId}/{pathToken}', function: 'webhooks/receive-webhook' },
] as const satisfies readonly Omit<Route, 'scope'>[];

/** The methods of each path, in the order of the tables. */
export function methodsOf(path: string): readonly Method[] {
  return [...routes, ...openRoutes].filter((route) => route.path === path).map((route) => route.method);
}
