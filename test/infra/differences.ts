/** How a template differs from another one, in lines that a person reads. */
import { inspect } from 'node:util';

/**
 * One line for every value that differs: `Resources.Key.Properties.Enabled: true → false`; `none` where there is
 * none, and a resource that only one of them has by its type.
 */
export function differences(from: unknown, to: unknown, path: readonly string[] = []): readonly string[] {
  if (isObject(from) && isObject(to) && Array.isArray(from) === Array.isArray(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => differences(from[name], to[name], [...path, name]));
  }
  return Object.is(from, to) ? [] : [`${path.join('.')}: ${named(from)} → ${named(to)}`];
}

/** A whole resource by its type, anything else as it is. */
function named(value: unknown): string {
  return isObject(value) && typeof value['Type'] === 'string' ? value['Type'] : written(value);
}

/** A value over as few lines as can be read. */
export function written(value: unknown): string {
  return value === undefined
    ? 'none'
    : inspect(value, {
        ...{ depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null },
        ...{ breakLength: 120, compact: 5 },
      });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
