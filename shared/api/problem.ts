/**
 * The answers of the storefront API to a request that it does not carry out: `application/problem+json` (RFC 9457),
 * from one table of codes. A problem names fields, never their values. Titles are one sentence without a full stop.
 * Details are full sentences: what is wrong, then what to do.
 *
 * `retryable`: the same request, with the same idempotency key, may be sent again later and may then succeed.
 */
interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly retryable?: true;
}

export const problems = {
  INVALID_REQUEST: { status: 400, title: 'The request is not valid' },
  INVALID_JSON: { status: 400, title: 'The body is not valid JSON' },
  IDEMPOTENCY_KEY_INVALID: { status: 400, title: 'The header Idempotency-Key is missing or malformed' },
  TERMINAL_PREAUTH_NOT_OFFERED: { status: 400, title: 'A terminal sale cannot be a pre-authorization' },
  ISV_AMOUNT_NOT_OFFERED: { status: 400, title: 'The account does not support an ISV share' },
  UNAUTHORIZED: { status: 401, title: 'The access token is missing or not valid' },
  FORBIDDEN: { status: 403, title: 'The access token does not allow this' },
  NOT_FOUND: { status: 404, title: 'The resource does not exist' },
  TERMINAL_NOT_FOUND: { status: 404, title: 'The merchant does not have this terminal' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The resource does not support this method' },
  TERMINAL_IN_USE: { status: 409, title: 'The terminal is busy with another sale', retryable: true },
  SALE_NOT_ABORTABLE: { status: 409, title: 'The sale is paid and cannot be aborted' },
  CHARGE_NOT_CAPTURABLE: { status: 409, title: 'The charge has no authorization to capture' },
  CAPTURE_EXISTS: { status: 409, title: 'The authorization already has a capture' },
  CARD_PENDING: { status: 409, title: 'The card is still being stored', retryable: true },
  RF_ORDER_IN_PROGRESS: { status: 409, title: 'The order is being created', retryable: true },
  RF_ORDER_PAID: { status: 409, title: 'The order has payments and cannot be cancelled' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be application/json' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The idempotency key was used for another request' },
  CURRENCY_NOT_SUPPORTED: { status: 422, title: 'The account does not support this currency' },
  INDUSTRY_NOT_ELIGIBLE: { status: 422, title: 'The industry of the account does not allow acquirer data' },
  CAPTURE_TOO_LARGE: { status: 422, title: 'The capture is larger than the authorization' },
  RF_NOT_AVAILABLE: { status: 422, title: 'RF payments are only for merchants in Greece, in EUR' },
  ACCOUNT_NOT_READY: { status: 422, title: 'The platform refuses the credentials of the account' },
  RF_NOT_ENABLED: { status: 422, title: 'The account may not take bank transfers by RF code' },
  RF_ORDER_REFUSED: { status: 422, title: 'The platform refused the order' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests', retryable: true },
  INTERNAL_ERROR: { status: 500, title: 'An unexpected error occurred' },
  RF_CODE_INVALID: { status: 502, title: 'The platform gave an invalid payment code' },
  RF_NOT_CREATED: { status: 502, title: 'The platform did not give a payment code in time' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'The service is temporarily unavailable', retryable: true },
} as const satisfies Readonly<Record<string, ProblemText>>;

export type ProblemCode = keyof typeof problems;

/** Where a request breaks a rule: a JSON pointer into the body, or the name of a parameter. */
export type Violation = { readonly detail: string } & ({ readonly pointer: string } | { readonly parameter: string });

interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of its own, such as the sale that holds a terminal. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Thrown by an endpoint to answer with a problem. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: readonly Violation[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

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
  return JSON.stringify({
    type: problemType(code),
    title: text.title,
    status: text.status,
    detail,
    instance,
    code,
    retryable: text.retryable ?? false,
    requestId,
    ...members,
    ...(errors.length > 0 && { errors }),
  });
}
