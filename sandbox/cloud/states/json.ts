/** JSON as it is passed between states, and its size limit. */
import { StatesError, statesError } from './errors.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The limit of any input, result, output or set of variables, as UTF-8. */
const MAX_DATA_BYTES = 256 * 1024;

/** The JSON text for the history; refused above the size limit of Step Functions. */
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
