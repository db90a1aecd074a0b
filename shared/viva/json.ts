/**
 * JSON without loss. The platform writes order codes of 16 digits, which can pass 2^53, and amounts as decimals. As
 * JavaScript numbers both would silently become other values.
 */
type LosslessParse = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

const WHOLE_NUMBER = /^-?\d+$/;

/**
 * A whole number that JavaScript can hold exactly stays a number. Every other number becomes its text. Undefined if the
 * text is not JSON.
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
