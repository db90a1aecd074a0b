/** The representation of a failure: the stored code with its current message. */
import { type Failure, failures } from '../../payments/failures.ts';
import type { failure as failureSchema } from '../schemas/failure.ts';
import type { Shown } from '../schemas/fields.ts';

export function failureRepresentation(failure: Failure | undefined): Shown<typeof failureSchema> | undefined {
  return failure && { code: failure.code, ...failures[failure.code], platform: failure.platform };
}
