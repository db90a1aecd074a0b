/**
 * Finds the method for a request in the tree of resources. Literal parts are tried before `{parameters}`, those before
 * `{greedy+}` ones, and a specific method before ANY. Literal parts must match exactly: `/s%61les` is not `/sales`.
 * Only the values of parameters are decoded.
 */
import type { Api, ApiResource, Method } from './api.ts';

export interface Route {
  readonly method: Method;
  readonly resourceId: string;
  /** For example `/sales/{saleId}`. */
  readonly resourcePath: string;
  /** Decoded; null when the resource has none, as in the event. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

export type FindRoute = (httpMethod: string, path: string) => Route | undefined;

interface Place {
  readonly resourceId: string;
  readonly resourcePath: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Returns a function that throws URIError for a parameter with invalid percent-encoding. */
export function createRoutes({ rootResourceId, resources, methods }: Api): FindRoute {
  const children = Map.groupBy(
    resources.toSorted((a, b) => precedence(a) - precedence(b)),
    ({ parentId }) => parentId,
  );

  function find(place: Place, segments: readonly string[]): Place | undefined {
    const [segment, ...rest] = segments;
    if (segment === undefined) {
      return place;
    }
    for (const child of children.get(place.resourceId) ?? []) {
      const resourcePath = `${place.resourcePath}/${child.pathPart}`;
      const [, name, greedy] = /^\{(.+?)(\+?)\}$/.exec(child.pathPart) ?? [];
      if (name === undefined ? segment === child.pathPart : segment !== '') {
        const value = greedy === '+' ? segments.join('/') : segment;
        const parameters =
          name === undefined ? place.parameters : { ...place.parameters, [name]: decodeURIComponent(value) };
        const found = find({ resourceId: child.id, resourcePath, parameters }, greedy === '+' ? [] : rest);
        if (found !== undefined) {
          return found;
        }
      }
    }
    return undefined;
  }

  return (httpMethod, path) => {
    const segments = path === '/' ? [] : path.slice(1).split('/');
    const place = find({ resourceId: rootResourceId, resourcePath: '', parameters: {} }, segments);
    const own = methods.filter(({ ResourceId }) => ResourceId === place?.resourceId);
    const method =
      own.find(({ HttpMethod }) => HttpMethod === httpMethod) ?? own.find(({ HttpMethod }) => HttpMethod === 'ANY');
    if (place === undefined || method === undefined) {
      return undefined;
    }
    return {
      method,
      resourceId: place.resourceId,
      resourcePath: place.resourcePath || '/',
      pathParameters: Object.keys(place.parameters).length > 0 ? place.parameters : null,
    };
  };
}

function precedence({ pathPart }: ApiResource): number {
  return pathPart.endsWith('+}') ? 2 : pathPart.startsWith('{') ? 1 : 0;
}
