/** How a failure is shown: the stored code, with its sentence of today. */
import { type Failure, failures } from '../../payments/failures.ts';

export function failureRepresentation(failure: Failure | undefined) {
  return failure && { code: failure.code, ...failures[failure.code], platform: failure.platform };
}
