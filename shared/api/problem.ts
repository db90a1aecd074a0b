/**
 * The answers of the storefront API to a request that it does not carry out: `application/problem+json` (RFC 9457),
 * from one table of codes. A problem names fields, never their values. Details are full sentences: what is wrong, then
 * what to do.
 */
import type * as z from 'zod/mini';
import { type ProblemCode, type ProblemText, problems } from './problems.ts';
import type { problem as problemSchema } from './schemas/problem.ts';

/** A rule that the request breaks, with a JSON pointer into the body or the name of a parameter. */
export type Violation = { readonly detail: string } & ({ readonly pointer: string } | { readonly parameter: string });

type ProblemBody = Readonly<z.output<typeof problemSchema>>;

interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members, such as the sale that holds a terminal. */
  readonly members?: ProblemMembers;
}

type ProblemMembers = Partial<Pick<ProblemBody, 'saleId' | 'rfOrderId' | 'platform'>>;

/** Thrown by an endpoint to answer with a problem. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: readonly Violation[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: ProblemMembers;

  constructor(
    code: ProblemCode,
    detail: string,
    { errors = [], headers = {}, members = {}, ...options }: ProblemOptions = {},
  ) {
    super(detail, options);
    this.code = code;
    this.status = problems[code].status;
    this.errors = errors;
    this.headers = headers;
    this.members = members;
  }
}

function problemType(code: ProblemCode): string {
  return `urn:tillflow:problem:${code.toLowerCase().replaceAll('_', '-')}`;
}

/** The body of the answer. */
export function problemBody(problem: Problem, instance: string, requestId: string): string {
  const { code, message: detail, errors, members } = problem;
  const text: ProblemText = problems[code];
  const body: ProblemBody = {
    type: problemType(code),
    title: text.title,
    status: text.status,
    detail,
    instance,
    code,
    retryable: text.retryable ?? false,
    requestId,
    ...members,
    ...(errors.length > 0 && { errors: [...errors] }),
  };
  return JSON.stringify(body);
}
