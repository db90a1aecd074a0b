/**
 * Decides whether policies allow a call, as IAM does: an explicit Deny wins, then an Allow, otherwise the call is
 * denied.
 *
 * An unknown element, operator or condition key is an error and never ignored: a policy with another meaning here than
 * in the cloud would hide the mistake that this check has to find.
 */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  /** Either this or `NotResource`: every resource except these. */
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Call {
  readonly action: string;
  readonly resource: string;
  /** Every condition key that the service can provide for this call; undefined when this call has none. */
  readonly context?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const elements = new Set(['Sid', 'Effect', 'Action', 'Resource', 'NotResource', 'Condition']);

export function isAllowed(statements: readonly Statement[], call: Call): boolean {
  const matching = statements.filter((statement) => applies(statement, call));
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow');
}

function applies(statement: Statement, call: Call): boolean {
  const unknown = Object.keys(statement).find((element) => !elements.has(element));
  if (unknown !== undefined) {
    throw new Error(`the local cloud does not know the policy element ${unknown}`);
  }
  return (
    list(statement.Action).some((action) => like(action.toLowerCase(), call.action.toLowerCase())) &&
    concerns(statement, call.resource) &&
    Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
      Object.entries(keys).every(([key, expected]) => conditionHolds(operator, key, list(expected), call)),
    )
  );
}

function concerns({ Resource, NotResource }: Statement, resource: string): boolean {
  const named = Resource ?? NotResource;
  if (named === undefined || (Resource !== undefined && NotResource !== undefined)) {
    throw new Error('the local cloud needs either Resource or NotResource in a statement');
  }
  return list(named).some((pattern) => like(pattern, resource)) === (Resource !== undefined);
}

type Matcher = (actual: string, expected: readonly string[]) => boolean;

const isOneOf: Matcher = (actual, expected) => expected.includes(actual);
const isLikeOneOf: Matcher = (actual, expected) => expected.some((pattern) => like(pattern, actual));

const matchers: Readonly<Record<string, { readonly matches: Matcher; readonly negated?: true }>> = {
  StringEquals: { matches: isOneOf },
  StringNotEquals: { matches: isOneOf, negated: true },
  StringLike: { matches: isLikeOneOf },
  StringNotLike: { matches: isLikeOneOf, negated: true },
  ArnEquals: { matches: isLikeOneOf },
  ArnLike: { matches: isLikeOneOf },
  Bool: { matches: isOneOf },
};

function conditionHolds(operator: string, key: string, expected: readonly string[], call: Call): boolean {
  const [, set, base = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const matcher = matchers[base];
  if (matcher === undefined) {
    throw new Error(`the local cloud does not know the condition operator ${operator}`);
  }
  if (call.context === undefined || !(key in call.context)) {
    throw new Error(`the local cloud does not know the condition key ${key} for ${call.action}`);
  }
  const actual = call.context[key];
  const values = actual === undefined ? [] : list(actual);
  const holds = (value: string) => matcher.matches(value, expected) !== (matcher.negated ?? false);
  if (set === 'ForAllValues') {
    return values.every(holds);
  }
  if (values.length === 0) {
    return ifExists !== undefined || (matcher.negated === true && set === undefined);
  }
  return values.some(holds);
}

/** IAM's wildcards: `*` for any characters, `?` for one. */
export function like(pattern: string, value: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}

function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}
