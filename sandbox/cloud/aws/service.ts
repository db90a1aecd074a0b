/** The interface between the AWS endpoint and the services behind it. */
import type { Call } from '../iam.ts';
import { AwsError } from '../seams.ts';

export interface AwsCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Throws AccessDeniedException unless the caller's role allows this call. */
  readonly authorize: (call: Call) => void;
  /** The execution on whose behalf the caller runs. */
  readonly executionName: string | undefined;
}

/** Answers a call of one of the AWS JSON protocols, or throws an AwsError. */
export type AwsService = (call: AwsCall) => unknown;

/** A text that the operation requires. */
export function required(input: AwsCall['input'], name: string): string {
  const value = input[name];
  if (typeof value !== 'string') {
    throw new AwsError('ValidationException', `${name} is required`);
  }
  return value;
}

/** An optional text of the operation, to be spread. */
export function optional<Name extends string, As extends string>(
  input: AwsCall['input'],
  name: Name,
  as: As,
): { readonly [key in As]?: string } {
  const value = input[name];
  return (typeof value === 'string' ? { [as]: value } : {}) as { readonly [key in As]?: string };
}
