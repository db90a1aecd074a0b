/** What an endpoint did not foresee: as a problem for the caller, and as a log line for the operator. */

import { isOutage } from '../aws/outage.ts';
import { TransientError } from '../flow/errors.ts';
import { Problem } from './problem.ts';

const RETRY_AFTER_SECONDS = '1';

/** What nobody turned into a problem is our fault, or an outage of what we stand on. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  return error instanceof TransientError || isOutage(error)
    ? new Problem(
        'SERVICE_UNAVAILABLE',
        'The request was not completed. Send it again with the same idempotency key.',
        {
          cause: error,
          headers: { 'Retry-After': RETRY_AFTER_SECONDS },
        },
      )
    : new Problem('INTERNAL_ERROR', 'An unexpected error was logged under the requestId. Give it to support.', {
        cause: error,
      });
}

/** Name, code and place, never the message: it may quote what was sent. */
export function faultLine(fault: Error): Record<string, string | undefined> {
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
  const place = fault.stack?.split('\n').find((line) => line.startsWith('    at '));
  return { error: fault.name, reason: code, at: place?.trim() };
}
