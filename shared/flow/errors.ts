/**
 * The four error classes of the flow. A class says who acts next, not what broke.
 *
 * Lambda reports the `name` of an error as `errorType`, and the state machine's Retry and Catch match on it. So the names
 * are literals: a bundler may rename a class. Only `name`, `message` and the stack leave the function, so the message
 * begins with the `code`.
 */
import { isOutage } from '../aws/outage.ts';

export const errorName = {
  transient: 'TransientError',
  rejected: 'RejectedError',
  unknown: 'UnknownOutcomeError',
  fault: 'FaultError',
} as const;

export type ErrorName = (typeof errorName)[keyof typeof errorName];

interface FlowErrorOptions extends ErrorOptions {
  /** Identifiers and numbers for the log. Never card data, tokens or bodies. */
  readonly context?: Readonly<Record<string, string | number>>;
}

export abstract class FlowError extends Error {
  abstract override readonly name: ErrorName;
  readonly code: string;
  readonly context: Readonly<Record<string, string | number>>;

  constructor(code: string, detail: string, { context = {}, ...options }: FlowErrorOptions = {}) {
    super(`${code}: ${detail}`, options);
    this.code = code;
    this.context = context;
  }
}

/** The call provably had no effect, and may succeed later. The state machine retries. */
export class TransientError extends FlowError {
  override readonly name = errorName.transient;
}

/** The platform or a rule refused, provably. This is a normal end of the flow: no retry, no alarm. */
export class RejectedError extends FlowError {
  override readonly name = errorName.rejected;
}

/** A call that can move money may or may not have had its effect. It is never repeated: the platform's records decide. */
export class UnknownOutcomeError extends FlowError {
  override readonly name = errorName.unknown;
}

/** Our code, our configuration or the platform's contract is wrong. No retry, and an alarm. */
export class FaultError extends FlowError {
  override readonly name = errorName.fault;
}

/**
 * Turns any error into a FlowError. An outage of an AWS service becomes a TransientError: the next attempt finds in the
 * item what this one did. Any other unknown error becomes a FaultError.
 */
export function toFlowError(error: unknown): FlowError {
  if (error instanceof FlowError) {
    return error;
  }
  return isOutage(error)
    ? new TransientError('AWS_UNAVAILABLE', 'an AWS service failed or did not answer', { cause: error })
    : new FaultError('UNCLASSIFIED', 'unexpected error', { cause: error });
}
