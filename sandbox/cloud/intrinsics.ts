/**
 * Resolves CloudFormation's intrinsic functions that CDK emits for this stack. An unknown one is an error that names
 * it, so that a template is never understood only in part.
 */
export interface Scope {
  /** The value of a parameter, a pseudo parameter or a resource's Ref. */
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): string;
  /** The expression of the condition, still unresolved. */
  condition(name: string): unknown;
}

/** The value of `AWS::NoValue`: removes its property. */
export const noValue = Symbol('AWS::NoValue');

export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, scope)).filter((item) => item !== noValue);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && (name === 'Ref' || name === 'Condition' || name?.startsWith('Fn::'))) {
    return intrinsic(name, argument, scope);
  }
  return Object.fromEntries(
    entries.map(([key, item]) => [key, resolve(item, scope)] as const).filter(([, item]) => item !== noValue),
  );
}

function intrinsic(name: string, argument: unknown, scope: Scope): unknown {
  // IAM statements have a property named Condition with an object; a reference to a condition is a string.
  if (name === 'Condition') {
    return typeof argument === 'string'
      ? resolve(scope.condition(argument), scope)
      : { Condition: resolve(argument, scope) };
  }
  const implementation = intrinsics[name];
  if (implementation === undefined) {
    throw new Error(`the local cloud does not know the intrinsic function ${name}`);
  }
  return implementation(argument, scope);
}

const intrinsics: Readonly<Record<string, (argument: unknown, scope: Scope) => unknown>> = {
  Ref: (argument, scope) => scope.ref(text(argument)),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, ...attribute] = typeof argument === 'string' ? argument.split('.') : list(argument);
    return scope.attribute(text(logicalId), attribute.join('.'));
  },
  'Fn::Join': (argument, scope) => {
    const [separator, parts] = list(argument);
    return list(resolve(parts, scope)).map(text).join(text(separator));
  },
  'Fn::Sub': (argument, scope) => {
    const [template, variables] = typeof argument === 'string' ? [argument, {}] : list(argument);
    const values = resolve(variables, scope) as Record<string, unknown>;
    return text(template).replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => text(values[name] ?? named(name, scope)));
  },
  'Fn::Select': (argument, scope) => {
    const [index, items] = list(resolve(argument, scope));
    return list(items)[Number(index)];
  },
  'Fn::Split': (argument, scope) => {
    const [separator, source] = list(resolve(argument, scope));
    return text(source).split(text(separator));
  },
  'Fn::If': (argument, scope) => {
    const [condition, whenTrue, whenFalse] = list(argument);
    return resolve(holds(scope.condition(text(condition)), scope) ? whenTrue : whenFalse, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = list(resolve(argument, scope));
    return left === right;
  },
  'Fn::And': (argument, scope) => list(argument).every((part) => holds(part, scope)),
  'Fn::Or': (argument, scope) => list(argument).some((part) => holds(part, scope)),
  'Fn::Not': (argument, scope) => !holds(list(argument)[0], scope),
};

/** Whether the expression of a condition is true. */
export function holds(expression: unknown, scope: Scope): boolean {
  return resolve(expression, scope) === true;
}

function named(name: string, scope: Scope): unknown {
  const dot = name.indexOf('.');
  return dot < 0 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1));
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw new Error('an intrinsic function of the template has an argument that is not a list');
  }
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new Error('an intrinsic function of the template has an argument that is not a text');
  }
  return String(value);
}
