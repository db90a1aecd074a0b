/** What the AWS endpoint and the services behind it say to each other. */
import type { Call } from '../iam.ts';
import { AwsError } from '../seams.ts';

export interface AwsCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Throws AccessDeniedException unless the caller's role may make this call. */
  readonly authorize: (call: Call) => void;
  /** The execution on whose behalf the caller runs. */
  readonly executionName: string | undefined;
}

/** Answers a call of one of the AWS JSON protocols, or throws an AwsError. */
export type AwsService = (call: AwsCall) => unknown;

/** The text an operation cannot do without. */
export function required(input: AwsCall['input'], name: string): string {
  const value = input[name];
  if (typeof value !== 'string') {
    throw new AwsError('ValidationException', `${name} is required`);
  }
  return value;
}

/** The text of an operation's optional member, to be spread. */
export function optional<Name extends string, As extends string>(
  input: AwsCall['input'],
  name: Name,
  as: As,
): { readonly [key in As]?: string } {
  const value = input[name];
  return (typeof value === 'string' ? { [as]: value } : {}) as { readonly [key in As]?: string };
}
