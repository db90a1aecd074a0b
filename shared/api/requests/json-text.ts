/**
 * Reads a JSON body the way a payment API should: what two readers could understand differently is refused. Depth and
 * keys are checked on the text, before anything is built from it.
 */
import { Problem } from '../problem.ts';

const MAX_DEPTH = 8;
/** Nearer to zero than this is no number anybody means, and none that can be stored. */
const MIN_MAGNITUDE = 1e-100;
/** A string without an end reaches to the end of the text: looking for its end again and again would take long. */
const TOKENS = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],]/gs;

export function parseJsonText(bytes: Buffer): unknown {
  const text = checkedJsonText(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('The body is not valid JSON.'); // without a cause: its message quotes the body
  }
  checkValues(json);
  return json;
}

/** Numbers that would be rounded, and halves of characters. */
function checkValues(value: unknown): void {
  if (typeof value === 'number') {
    const size = Math.abs(value);
    if (size > Number.MAX_SAFE_INTEGER || (size > 0 && size < MIN_MAGNITUDE)) {
      throw invalid('The body has a number that is out of range.');
    }
  } else if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw invalid('The body has text that is not valid Unicode.');
    }
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(checkValues);
  }
}

/** The text, which may still not be JSON, but is nothing that two readers could understand differently. */
export function checkedJsonText(bytes: Buffer): string {
  const text = decode(bytes);
  checkStructure(text);
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}

/** An open array has no keys. */
type Open = { readonly keys: Set<string> | undefined; expectsKey: boolean };

function checkStructure(text: string): void {
  const open: Open[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    const inside = open.at(-1);
    if (token === '{' || token === '[') {
      open.push({ keys: token === '{' ? new Set() : undefined, expectsKey: token === '{' });
      if (open.length > MAX_DEPTH) {
        throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      }
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ',') {
      if (inside !== undefined) {
        inside.expectsKey = true;
      }
    } else if (inside?.keys !== undefined && inside.expectsKey) {
      inside.expectsKey = false;
      addKey(inside.keys, token);
    }
  }
}

function addKey(keys: Set<string>, token: string): void {
  let key: string;
  try {
    key = JSON.parse(token);
  } catch {
    throw invalid('The body is not valid JSON.');
  }
  if (keys.has(key)) {
    throw invalid('An object of the body has the same key twice.');
  }
  if (key === '' || key === '__proto__' || !key.isWellFormed()) {
    throw invalid('The body has a key that is not allowed.');
  }
  keys.add(key);
}

function invalid(detail: string): Problem {
  return new Problem('INVALID_JSON', detail);
}
