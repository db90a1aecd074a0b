/** JSON as it travels between states, and the size it may have there. */
import { StatesError, statesError } from './errors.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Of any input, result, output or set of variables, as UTF-8. */
const MAX_DATA_BYTES = 256 * 1024;

/** The JSON text that history keeps, refused beyond the size that Step Functions lets pass. */
export function dataText(data: Json, what: string): string {
  const text = JSON.stringify(data);
  if (Buffer.byteLength(text) > MAX_DATA_BYTES) {
    throw new StatesError(
      statesError.dataLimitExceeded,
      `The ${what} exceeds the maximum number of bytes service limit of ${MAX_DATA_BYTES}.`,
    );
  }
  return text;
}
