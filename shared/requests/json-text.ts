/**
 * Reads a JSON body the way a payment API should: what two readers could understand differently is refused. Depth and
 * keys are checked on the text, before anything is built from it.
 */
import { Problem } from '../problem.ts';

const MAX_DEPTH = 8;
/** A string without an end reaches to the end of the text: looking for its end again and again would take long. */
const TOKENS = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],]/gs;

export function parseJsonText(bytes: Buffer): unknown {
  const text = checkedJsonText(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the body is not valid JSON'); // without a cause: its message quotes the body
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
    throw invalid('the body is not valid UTF-8');
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
        throw invalid(`the body is nested deeper than ${MAX_DEPTH} levels`);
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
    throw invalid('the body is not valid JSON');
  }
  if (keys.has(key)) {
    throw invalid('an object of the body has the same key twice');
  }
  if (key === '__proto__') {
    throw invalid('the body has a key that is not allowed');
  }
  keys.add(key);
}

function invalid(detail: string): Problem {
  return new Problem('INVALID_JSON', detail);
}
