/**
 * What every endpoint of the storefront API is: the work as a plain function of a request and its dependencies.
 * `createEndpointHandler` makes the Lambda handler of it, with the one middleware stack that all endpoints share: one log
 * line per request, and problem+json for whatever is thrown.
 */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type ApiRequest, readApiRequest } from './api-request.ts';
import { TransientError } from './errors.ts';
import { Problem, problemBody } from './problem.ts';
import type { Invocation, Telemetry } from './step.ts';

export interface Endpoint<Deps> {
  readonly name: string;
  /** Names of the query parameters it knows; any other is refused. */
  readonly query?: readonly string[] | 'any';
  /** Names of the path's parameters that are secrets: never logged, never quoted. */
  readonly secrets?: readonly string[];
  readonly run: (request: ApiRequest, deps: Deps, invocation: Invocation) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  /** JSON, as it goes over the wire. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_AFTER_SECONDS = '1';

export function createEndpointHandler<Deps>(endpoint: Endpoint<Deps>, deps: Deps, { logger, metrics }: Telemetry) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: true }))
    .handler(async (event, context) => {
      const startedAt = Date.now();
      const request = readApiRequest(event, endpoint.secrets);
      logger.appendKeys({ requestId: request.requestId, route: request.route, ...request.parameters });
      const answer = await answerOf(endpoint, request, deps, {
        remainingMs: () => context.getRemainingTimeInMillis(),
      });
      const { fault, ...line } = answer.log;
      const { status } = answer.result;
      const detail = { status, durationMs: Date.now() - startedAt, ...line };
      if (fault === undefined) {
        logger.info('answered', detail);
      } else {
        logger.error('request failed', { ...detail, error: fault.name, reason: codeOf(fault), at: placeOf(fault) });
      }
      return toResult(answer.result);
    });
}

interface Answered {
  readonly result: Answer;
  readonly log: { readonly code?: string; readonly fault?: Error };
}

async function answerOf<Deps>(
  endpoint: Endpoint<Deps>,
  request: ApiRequest,
  deps: Deps,
  invocation: Invocation,
): Promise<Answered> {
  try {
    if (endpoint.query !== 'any') {
      checkQuery(request, endpoint.query ?? []);
    }
    return { result: await endpoint.run(request, deps, invocation), log: {} };
  } catch (error) {
    const problem = toProblem(error);
    const result = {
      status: problem.status,
      body: problemBody(problem, request.path, request.requestId),
      headers: { ...problem.headers, 'Content-Type': 'application/problem+json' },
    };
    const { code, status, cause } = problem;
    return { result, log: { code, ...(status >= 500 && { fault: cause instanceof Error ? cause : problem }) } };
  }
}

function checkQuery({ query }: ApiRequest, known: readonly string[]): void {
  const errors = Object.entries(query).flatMap(([parameter, values]) => {
    if (!known.includes(parameter)) {
      return [{ parameter, detail: 'is not known here' }];
    }
    return values.length > 1 ? [{ parameter, detail: 'may be given once only' }] : [];
  });
  if (errors.length > 0) {
    throw new Problem('INVALID_REQUEST', 'the query has parameters that are not valid', { errors });
  }
}

/** What nobody turned into a problem is our fault, or an outage of what we stand on. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  return error instanceof TransientError || isOutage(error)
    ? new Problem('SERVICE_UNAVAILABLE', 'send the request again, with the same idempotency key', {
        cause: error,
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      })
    : new Problem('INTERNAL_ERROR', 'an unexpected fault; it was logged under the request id', { cause: error });
}

/** An AWS service that failed, throttled or did not answer; what it refuses for good is our fault. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { $fault, $retryable } = error as { $fault?: string; $retryable?: object };
  return $fault === 'server' || $retryable !== undefined || error.name === 'TimeoutError' || 'syscall' in error;
}

function codeOf(fault: Error): string | undefined {
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
}

/** The stack without its first line: a message may quote what was sent. */
function placeOf(fault: Error): string | undefined {
  return fault.stack
    ?.split('\n')
    .find((line) => line.startsWith('    at '))
    ?.trim();
}

function toResult({ status, body = '', headers }: Answer): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      ...(body !== '' && { 'Content-Type': 'application/json' }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    body,
  };
}
