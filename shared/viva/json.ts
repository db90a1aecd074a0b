/**
 * JSON without loss. The platform writes 16-digit order codes, which can pass 2^53, and amounts as decimals: as
 * JavaScript numbers both would silently become other values.
 */
type LosslessParse = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

const WHOLE_NUMBER = /^-?\d+$/;

/**
 * A whole number that JavaScript holds exactly stays a number; every other number is given as its text. Undefined when
 * the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return (JSON.parse as LosslessParse)(text, (_key, value, { source }) =>
      typeof value === 'number' && !(Number.isSafeInteger(value) && WHOLE_NUMBER.test(source ?? '')) ? source : value,
    );
  } catch {
    return undefined;
  }
}
