/**
 * JSONata as Step Functions evaluates it: `{% … %}` in strings at any depth, `$states` and the execution's variables,
 * six functions of AWS, and only results that JSON can represent.
 */
import { createHash, randomUUID } from 'node:crypto';
import jsonata from 'jsonata';
import { EvaluationError } from './errors.ts';
import type { Json } from './json.ts';

/** What an expression can refer to: `$states` and the variables. */
export interface Scope {
  readonly states: {
    readonly input: Json;
    readonly context: Json;
    readonly result?: Json;
    readonly errorOutput?: Json;
  };
  readonly variables: Readonly<Record<string, Json>>;
}

const DELIMITED = /^\{%([\s\S]*)%\}$/;
const MAX_RANGE_ITEMS = 1000;
const HASH_ALGORITHMS = new Set(['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']);

const compiled = new Map<string, jsonata.Expression>();

export function isExpression(text: string): boolean {
  return DELIMITED.test(text);
}

/** What is wrong with a string of a definition, as literal or as expression; usually nothing. */
export function expressionFaults(text: string): string[] {
  if (!isExpression(text)) {
    const half = text.startsWith('{%') || text.endsWith('%}');
    return half ? ['an expression must begin with {% and end with %}'] : [];
  }
  try {
    compile(text);
    return [];
  } catch (error) {
    return [`not valid JSONata: ${messageOf(error)}`];
  }
}

/** Returns `template` with every expression replaced by its value; `field` is its place, for errors. */
export async function evaluate(template: Json, scope: Scope, field: string): Promise<Json> {
  if (typeof template === 'string' && isExpression(template)) {
    return evaluateExpression(template, scope, field);
  }
  if (Array.isArray(template)) {
    return Promise.all(template.map((item, index) => evaluate(item, scope, `${field}[${index}]`)));
  }
  if (typeof template === 'object' && template !== null) {
    const entries = Object.entries(template).map(
      async ([key, value]) => [key, await evaluate(value, scope, `${field}/${key}`)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }
  return template;
}

async function evaluateExpression(text: string, scope: Scope, field: string): Promise<Json> {
  let value: unknown;
  try {
    value = await compile(text).evaluate(undefined, { ...functions, ...scope.variables, states: scope.states });
  } catch (error) {
    throw new EvaluationError(field, `The JSONata expression '${text}' threw an error: ${messageOf(error)}`);
  }
  if (value === undefined) {
    throw new EvaluationError(field, `The JSONata expression '${text}' returned nothing (undefined).`);
  }
  if (typeof value === 'function' || isJsonataFunction(value)) {
    throw new EvaluationError(field, `The JSONata expression '${text}' returned a function.`);
  }
  return JSON.parse(JSON.stringify(value));
}

function compile(text: string): jsonata.Expression {
  let expression = compiled.get(text);
  if (expression === undefined) {
    expression = jsonata(DELIMITED.exec(text)?.[1] ?? text);
    compiled.set(text, expression);
  }
  return expression;
}

/** JSONata throws objects with a message that are no Error. */
function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? error);
}

function isJsonataFunction(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
}

/** The functions that AWS adds to JSONata, and the one that it removes. `$now` and `$millis` follow the global `Date`. */
const functions = {
  partition(items: Json[], size: number): Json[][] {
    require(Array.isArray(items) &&
      Number.isInteger(size) &&
      size > 0, '$partition takes an array and a positive size');
    return Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
      items.slice(chunk * size, (chunk + 1) * size),
    );
  },
  range(first: number, last: number, step: number): number[] {
    require([first, last, step].every(Number.isFinite) &&
      step !== 0, '$range takes a start, an end and a step other than 0');
    const length = Math.max(0, Math.floor((last - first) / step) + 1);
    require(length <= MAX_RANGE_ITEMS, `$range makes at most ${MAX_RANGE_ITEMS} items`);
    return Array.from({ length }, (_, index) => first + index * step);
  },
  hash(content: string, algorithm: string): string {
    require(typeof content === 'string' &&
      HASH_ALGORITHMS.has(algorithm), '$hash takes a string and one of its algorithms');
    return createHash(algorithm.replace('-', '')).update(content).digest('hex');
  },
  random(seed?: number): number {
    return seed === undefined
      ? Math.random()
      : createHash('sha256').update(String(seed)).digest().readUInt32BE() / 2 ** 32;
  },
  uuid: (): string => randomUUID(),
  parse(text: string): Json {
    require(typeof text === 'string', '$parse takes a string');
    return JSON.parse(text);
  },
  eval(): never {
    throw new Error('$eval is not supported; use $parse');
  },
};

function require(holds: boolean, message: string): void {
  if (!holds) {
    throw new Error(message);
  }
}
