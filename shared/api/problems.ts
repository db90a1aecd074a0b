/**
 * The codes of the problems that the storefront API answers with. Titles are one sentence without a full stop.
 *
 * `retryable`: the same request, with the same idempotency key, may be sent again later and may then succeed.
 */
export interface ProblemText {
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
  CHARGE_NOT_CAPTURABLE: { status: 409, title: 'The charge has no pre-authorization to capture' },
  CAPTURE_EXISTS: { status: 409, title: 'The pre-authorization already has a capture' },
  CARD_PENDING: { status: 409, title: 'The card is still being stored', retryable: true },
  RF_ORDER_IN_PROGRESS: { status: 409, title: 'The order is being created', retryable: true },
  RF_ORDER_PAID: { status: 409, title: 'The order has payments and cannot be cancelled' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be application/json' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The idempotency key was used for another request' },
  CURRENCY_NOT_SUPPORTED: { status: 422, title: 'The account does not support this currency' },
  INDUSTRY_NOT_ELIGIBLE: { status: 422, title: 'The industry of the account does not allow acquirer data' },
  CAPTURE_TOO_LARGE: { status: 422, title: 'The capture is larger than the pre-authorization' },
  RF_NOT_AVAILABLE: { status: 422, title: 'RF payments are only for merchants in Greece, in EUR' },
  ACCOUNT_NOT_READY: { status: 422, title: 'The platform refuses the credentials of the account' },
  RF_NOT_ENABLED: { status: 422, title: 'The account is not allowed to take bank transfers by RF code' },
  RF_ORDER_REFUSED: { status: 422, title: 'The platform refused the order' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests', retryable: true },
  INTERNAL_ERROR: { status: 500, title: 'An unexpected error occurred' },
  RF_CODE_INVALID: { status: 502, title: 'The platform gave an invalid payment code' },
  RF_NOT_CREATED: { status: 502, title: 'The platform did not give a payment code in time' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'The service is temporarily unavailable', retryable: true },
} as const satisfies Readonly<Record<string, ProblemText>>;

export type ProblemCode = keyof typeof problems;
