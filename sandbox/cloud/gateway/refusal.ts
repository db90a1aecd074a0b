/** The reasons why the gateway answers itself, and its default answers. */
interface Default {
  readonly status: number;
  readonly message: string;
  /** The header `x-amzn-ErrorType`. */
  readonly errorType: string;
}

/** Every response type there is; those that cannot occur here can still be customized. */
export const defaultAnswers = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    errorType: 'AccessDeniedException',
  },
  API_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    message: 'Internal server error',
    errorType: 'AuthorizerConfigurationException',
  },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  BAD_REQUEST_BODY: { status: 400, message: 'Invalid request body', errorType: 'BadRequestException' },
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Invalid request parameters', errorType: 'BadRequestException' },
  DEFAULT_4XX: { status: 400, message: 'Bad Request', errorType: 'BadRequestException' },
  DEFAULT_5XX: { status: 500, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  EXPIRED_TOKEN: {
    status: 403,
    message: 'The security token included in the request is expired',
    errorType: 'ExpiredTokenException',
  },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'Endpoint request timed out',
    errorType: 'InternalServerErrorException',
  },
  INVALID_API_KEY: { status: 403, message: 'Forbidden', errorType: 'ForbiddenException' },
  INVALID_SIGNATURE: {
    status: 403,
    message: 'The request signature does not match',
    errorType: 'InvalidSignatureException',
  },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    errorType: 'MissingAuthenticationTokenException',
  },
  QUOTA_EXCEEDED: { status: 429, message: 'Limit Exceeded', errorType: 'LimitExceededException' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', errorType: 'RequestTooLargeException' },
  RESOURCE_NOT_FOUND: { status: 404, message: 'Not found', errorType: 'NotFoundException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', errorType: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', errorType: 'UnauthorizedException' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported Media Type',
    errorType: 'UnsupportedMediaTypeException',
  },
  WAF_FILTERED: { status: 403, message: 'Forbidden', errorType: 'ForbiddenException' },
} satisfies Readonly<Record<string, Default>>;

export type ResponseType = keyof typeof defaultAnswers;

/** Why the gateway answers itself. `detail` is for the caller to read. */
export class Refusal extends Error {
  readonly responseType: ResponseType;
  /** Only for a failed body validation. */
  readonly validationError: string | undefined;

  constructor(
    responseType: ResponseType,
    detail: string = defaultAnswers[responseType].message,
    validationError?: string,
  ) {
    super(detail);
    this.responseType = responseType;
    this.validationError = validationError;
  }
}
