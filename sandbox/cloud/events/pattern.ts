/** EventBridge's event patterns, as far as the rules here use them; any other matcher is an error when the rule is loaded. */
type Matcher = string | number | boolean | null | Readonly<Record<string, unknown>>;
export type Pattern = { readonly [field: string]: Pattern | readonly Matcher[] };

const comparisons: Readonly<Record<string, (value: unknown, argument: unknown) => boolean>> = {
  prefix: (value, argument) => typeof value === 'string' && value.startsWith(String(argument)),
  suffix: (value, argument) => typeof value === 'string' && value.endsWith(String(argument)),
  exists: (value, argument) => (value !== undefined) === argument,
  'anything-but': (value, argument) =>
    value !== undefined && !(Array.isArray(argument) ? argument : [argument]).includes(value),
};

export function checkPattern(pattern: Pattern): void {
  for (const expected of Object.values(pattern)) {
    if (!Array.isArray(expected)) {
      checkPattern(expected as Pattern);
      continue;
    }
    for (const matcher of expected as readonly Matcher[]) {
      const names = typeof matcher === 'object' && matcher !== null ? Object.keys(matcher) : [];
      const unknown = names.find((name) => comparisons[name] === undefined);
      if (unknown !== undefined) {
        throw new Error(`the local cloud does not know the event pattern matcher ${unknown}`);
      }
    }
  }
}

export function matches(pattern: Pattern, event: unknown): boolean {
  const fields = (typeof event === 'object' && event !== null ? event : {}) as Record<string, unknown>;
  return Object.entries(pattern).every(([field, expected]) =>
    Array.isArray(expected)
      ? values(fields[field]).some((value) => expected.some((matcher) => matchesOne(matcher as Matcher, value)))
      : matches(expected as Pattern, fields[field]),
  );
}

function values(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function matchesOne(matcher: Matcher, value: unknown): boolean {
  if (typeof matcher !== 'object' || matcher === null) {
    return matcher === value;
  }
  return Object.entries(matcher).every(([name, argument]) => comparisons[name]?.(value, argument) === true);
}
