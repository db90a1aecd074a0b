/**
 * Parses a JSON body strictly: it refuses text that two parsers could read differently. Depth and keys are checked in the
 * text, before an object is built.
 */
import { Problem } from '../problem.ts';

const MAX_DEPTH = 8;
/** Numbers closer to zero than this are refused: they cannot be stored. */
const MIN_MAGNITUDE = 1e-100;
/** A string without an end extends to the end of the text, so its end is not searched for repeatedly. */
const TOKENS = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],]/gs;

export function parseJsonText(bytes: Buffer): unknown {
  const text = checkedJsonText(bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('The body is not valid JSON.'); // no cause, because its message quotes the body
  }
  checkValues(json);
  return json;
}

/** Whether the value has numbers that would be rounded, or lone surrogates. */
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

/** Checks the text for what two parsers could read differently. The text may still not be JSON. */
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

/** The keys of an open object; undefined for an open array. */
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
