/** What the gateway answers by itself is a problem document like every other error of the API. */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const forbidden: Problem = {
  status: 403,
  title: 'Forbidden',
  detail: 'The access token does not allow this request.',
  code: 'FORBIDDEN',
  retryable: false,
};
const notFound: Problem = {
  status: 404,
  title: 'Not Found',
  detail: 'There is nothing at this address.',
  code: 'NOT_FOUND',
  retryable: false,
};
const badRequest: Problem = {
  status: 400,
  title: 'Bad Request',
  detail: 'The request could not be understood.',
  code: 'BAD_REQUEST',
  retryable: false,
};
const tooManyRequests: Problem = {
  status: 429,
  title: 'Too Many Requests',
  detail: 'Too many requests at once. Send this one again, with the same idempotency key.',
  code: 'TOO_MANY_REQUESTS',
  retryable: true,
  headers: { 'Retry-After': '1' },
};
/** Not whether the request had an effect, which nobody knows: its idempotency key makes a repeat safe. */
const internal: Problem = {
  status: 500,
  title: 'Internal Server Error',
  detail: 'Something went wrong here. Send the request again, with the same idempotency key.',
  code: 'INTERNAL_ERROR',
  retryable: true,
};

const problems: Readonly<Record<string, Problem>> = {
  DEFAULT_4XX: badRequest,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  UNAUTHORIZED: {
    status: 401,
    title: 'Unauthorized',
    detail: 'The access token is missing, not valid or no longer valid.',
    code: 'UNAUTHORIZED',
    retryable: false,
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  ACCESS_DENIED: forbidden,
  INVALID_API_KEY: forbidden,
  INVALID_SIGNATURE: forbidden,
  EXPIRED_TOKEN: forbidden,
  WAF_FILTERED: { ...forbidden, detail: 'The firewall refused the request.' },
  // What the gateway says of an address it does not know.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  REQUEST_TOO_LARGE: {
    status: 413,
    title: 'Content Too Large',
    detail: 'The body is larger than this API takes.',
    code: 'BODY_TOO_LARGE',
    retryable: false,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'The body must be application/json.',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    retryable: false,
  },
  THROTTLED: tooManyRequests,
  QUOTA_EXCEEDED: tooManyRequests,
  DEFAULT_5XX: internal,
  API_CONFIGURATION_ERROR: internal,
  AUTHORIZER_CONFIGURATION_ERROR: internal,
  AUTHORIZER_FAILURE: internal,
  INTEGRATION_FAILURE: { ...internal, status: 502, title: 'Bad Gateway' },
  INTEGRATION_TIMEOUT: { ...internal, status: 504, title: 'Gateway Timeout' },
};

export function answerProblems(api: RestApi): void {
  for (const [responseType, { headers = {}, ...problem }] of Object.entries(problems)) {
    const { title, status, detail, code, retryable } = problem;
    const body = {
      type: 'about:blank',
      title,
      status,
      detail,
      instance: '$context.path',
      code,
      retryable,
      requestId: '$context.requestId',
    };
    api.addGatewayResponse(responseType, {
      type: ResponseType.of(responseType),
      statusCode: String(status),
      responseHeaders: Object.fromEntries(
        Object.entries({ 'Content-Type': 'application/problem+json', ...headers }).map(([name, value]) => [
          name,
          `'${value}'`,
        ]),
      ),
      templates: { 'application/json': JSON.stringify(body) },
    });
  }
}
