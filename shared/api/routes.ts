/**
 * The tables of the API: which function answers which method and path, and the scope a storefront needs for it.
 * The template builds the REST API from them, the authorizer its policies, and `refuse-method` its `Allow`.
 */
export type Method = 'GET' | 'POST' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** As in the REST API, with `{name}` for a path parameter. */
  readonly path: string;
  readonly scope: Scope;
  /** Folder under functions/. */
  readonly function: string;
}

/** What a storefront's token may allow, next to `merchants/<merchantId>` and `merchants/all`. */
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

/** Without the authorizer: who may call is known by the path itself. */
export const openRoutes = [
  { method: 'GET', path: '/webhooks/{accountId}/{pathToken}', function: 'webhooks/receive-webhook' },
  { method: 'POST', path: '/webhooks/{accountId}/{pathToken}', function: 'webhooks/receive-webhook' },
] as const satisfies readonly Omit<Route, 'scope'>[];

/** The methods each path answers, in the order of the tables. */
export function methodsOf(path: string): readonly Method[] {
  return [...routes, ...openRoutes].filter((route) => route.path === path).map((route) => route.method);
}
