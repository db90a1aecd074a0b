/**
 * What the gateway answers by itself: for each reason a status, a body and headers, as API Gateway has them by default
 * or as the template's GatewayResponses say.
 */
import type { GatewayResponse } from './api.ts';
import { checkTemplate, render, type Variables } from './variables.ts';

interface Default {
  readonly status: number;
  readonly message: string;
  /** Header `x-amzn-ErrorType`. */
  readonly errorType: string;
}

/** Every response type there is; those without a reason to occur here can still be customized. */
const defaults = {
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

export type ResponseType = keyof typeof defaults;

/** Why the gateway answers itself. `detail` is for the caller to read. */
export class Refusal extends Error {
  readonly responseType: ResponseType;
  /** Only of a failed body validation. */
  readonly validationError: string | undefined;

  constructor(responseType: ResponseType, detail: string = defaults[responseType].message, validationError?: string) {
    super(detail);
    this.responseType = responseType;
    this.validationError = validationError;
  }
}

export interface HttpAnswer {
  readonly status: number;
  /** A header that stands more than once is an array. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

const HEADER = 'gatewayresponse.header.';

export class GatewayResponses {
  readonly #custom: ReadonlyMap<string, GatewayResponse>;

  constructor(custom: readonly GatewayResponse[]) {
    this.#custom = new Map(custom.map((response) => [response.ResponseType, response]));
    for (const response of custom) {
      check(response);
    }
  }

  /** Adds to the variables what the access log will want to know of the refusal. */
  answer(refusal: Refusal, variables: Variables): HttpAnswer {
    const { status, errorType } = defaults[refusal.responseType];
    const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const custom = this.#custom.get(refusal.responseType) ?? this.#custom.get(fallback);
    variables['error.message'] = refusal.message;
    variables['error.messageString'] = refusal.message;
    variables['error.responseType'] = refusal.responseType;
    variables['error.validationErrorString'] = refusal.validationError;
    const templates = custom?.ResponseTemplates ?? {};
    const mediaType = templates['application/json'] === undefined ? Object.keys(templates)[0] : undefined;
    const template = templates[mediaType ?? 'application/json'] ?? '{"message":$context.error.messageString}';
    const headers = Object.entries(custom?.ResponseParameters ?? {}).map(([name, value]) => [
      name.slice(HEADER.length).toLowerCase(),
      render(value.replace(/^'(.*)'$/s, '$1').replace(/^context\./, '$context.'), variables, ''),
    ]);
    return {
      status: custom?.StatusCode ?? status,
      headers: {
        'content-type': mediaType ?? 'application/json',
        'x-amzn-errortype': errorType,
        ...Object.fromEntries(headers),
      },
      body: render(template, variables, ''),
    };
  }
}

/** A quoted text or a variable as header, `$context` in templates, and nothing else that would be understood elsewhere. */
function check({ ResponseType, ResponseParameters, ResponseTemplates }: GatewayResponse): void {
  if (!Object.hasOwn(defaults, ResponseType)) {
    throw new Error(`there is no gateway response of type ${ResponseType}`);
  }
  for (const [name, value] of Object.entries(ResponseParameters)) {
    if (!name.startsWith(HEADER) || !/^('.*'|context\.[\w.]+)$/s.test(value)) {
      throw new Error(`${ResponseType}: the local gateway does not know ${name} = ${value}`);
    }
    if (value.startsWith('context.')) {
      checkTemplate(`$${value}`, ResponseType);
    }
  }
  for (const template of Object.values(ResponseTemplates)) {
    checkTemplate(template, ResponseType);
  }
}
