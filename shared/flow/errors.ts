/**
 * Errors of the flow, classed by who acts next, not by what broke.
 *
 * The `name` of each class is wire format: Lambda reports it as `errorType`, and the state machine's Retry and Catch
 * match on it. It is a literal, because a bundler may rename the class. Only `name`, `message` and the stack leave the
 * function, so `code` also leads the message.
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

/** It provably did not happen, and the same call may succeed later: the state machine retries. */
export class TransientError extends FlowError {
  override readonly name = errorName.transient;
}

/** The platform or a rule said no, provably. A normal end of the flow: no retry, no alarm. */
export class RejectedError extends FlowError {
  override readonly name = errorName.rejected;
}

/** A call that can move money may or may not have had its effect: never repeated, only the platform's records decide. */
export class UnknownOutcomeError extends FlowError {
  override readonly name = errorName.unknown;
}

/** We, or the platform's contract, are wrong: no retry, and somebody is woken. */
export class FaultError extends FlowError {
  override readonly name = errorName.fault;
}

/**
 * Whatever a step throws leaves it as a FlowError. An outage of what we stand on may be over at the next attempt, which
 * finds in the item what this one did; what nobody classed is a fault.
 */
export function toFlowError(error: unknown): FlowError {
  if (error instanceof FlowError) {
    return error;
  }
  return isOutage(error)
    ? new TransientError('AWS_UNAVAILABLE', 'an AWS service failed or did not answer', { cause: error })
    : new FaultError('UNCLASSIFIED', 'unexpected error', { cause: error });
}
