/** Turns an unexpected error into a problem for the caller and a log line for the operator. */

import { isOutage } from '../aws/outage.ts';
import { TransientError } from '../flow/errors.ts';
import { Problem } from './problem.ts';

const RETRY_AFTER_SECONDS = '1';

/** An error that is not a Problem is a fault of ours, or an outage of an AWS service. */
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

/** Name, code and stack position. Never the message, because it may quote the request. */
export function faultLine(fault: Error): Record<string, string | undefined> {
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
  const place = fault.stack?.split('\n').find((line) => line.startsWith('    at '));
  return { error: fault.name, reason: code, at: place?.trim() };
}
