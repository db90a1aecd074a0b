/**
 * JSON with exact numbers. The platform writes order codes of 16 digits, which may pass 2^53, and decimals such as
 * 15.00 as JSON numbers. Here they are text, and they are written unchanged.
 */
interface ExactJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const exact = JSON as unknown as ExactJson;

/** A number of the answer, given by its digits. */
export function exactNumber(digits: string): unknown {
  return exact.rawJSON(digits);
}

/** Minor units as the decimal of major units that the platform writes: 1500 becomes 15.00. */
export function majorUnits(amount: number): unknown {
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return exactNumber(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Integers beyond 2^53 become their digits; undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return exact.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value,
    );
  } catch {
    return undefined;
  }
}

/**
 * JSON that will be changed and written again. Every number stays as it was written. Undefined for text that is not
 * JSON.
 */
export function editableJson(text: string): unknown {
  try {
    return exact.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

/** A number of `editableJson`, or any other value, as its text. */
export function textOf(value: unknown): string {
  return exact.isRawJSON(value) ? value.rawJSON : String(value);
}
