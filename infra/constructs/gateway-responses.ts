/** The answers that API Gateway gives by itself: problem documents from the same table of codes as every other error. */
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Problem, problemBody } from '../../shared/api/problem.ts';

const forbidden = new Problem('FORBIDDEN', 'The access token does not allow this request.');
const notFound = new Problem('NOT_FOUND', 'Nothing exists at this address. Check the path.');
const invalid = new Problem('INVALID_REQUEST', 'The request is malformed.');
const tooMany = new Problem('TOO_MANY_REQUESTS', 'Too many requests were sent at once. Send this one again later.', {
  headers: { 'Retry-After': '1' },
});
const misconfigured = new Problem('INTERNAL_ERROR', 'The request could not be handled. Give the requestId to support.');
/** It is not known whether the request had an effect. The idempotency key makes it safe to repeat. */
const unanswered = new Problem(
  'SERVICE_UNAVAILABLE',
  'There was no answer in time. Send the request again with the same idempotency key.',
  {
    headers: { 'Retry-After': '1' },
  },
);

const answers: Readonly<Record<string, Problem>> = {
  DEFAULT_4XX: invalid,
  BAD_REQUEST_BODY: invalid,
  BAD_REQUEST_PARAMETERS: invalid,
  UNAUTHORIZED: new Problem('UNAUTHORIZED', 'Send a valid access token as a bearer token.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  }),
  ACCESS_DENIED: forbidden,
  EXPIRED_TOKEN: forbidden,
  INVALID_API_KEY: forbidden,
  INVALID_SIGNATURE: forbidden,
  WAF_FILTERED: new Problem('FORBIDDEN', 'The firewall refused the request.'),
  // The gateway's reason for an unknown address.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  REQUEST_TOO_LARGE: new Problem('BODY_TOO_LARGE', 'The body is larger than this API accepts.'),
  UNSUPPORTED_MEDIA_TYPE: new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  THROTTLED: tooMany,
  QUOTA_EXCEEDED: tooMany,
  API_CONFIGURATION_ERROR: misconfigured,
  AUTHORIZER_CONFIGURATION_ERROR: misconfigured,
  DEFAULT_5XX: unanswered,
  AUTHORIZER_FAILURE: unanswered,
  INTEGRATION_FAILURE: unanswered,
  INTEGRATION_TIMEOUT: unanswered,
};

export function answerProblems(api: RestApi): void {
  for (const [type, problem] of Object.entries(answers)) {
    const headers = { 'Content-Type': 'application/problem+json', ...problem.headers };
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(problem.status),
      responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
      // The path of the route and not of the request: the path of a webhook address holds a secret.
      templates: { 'application/json': problemBody(problem, '$context.resourcePath', '$context.requestId') },
    });
  }
}
