/**
 * An endpoint of the storefront API: a plain function of a request and its dependencies. `createEndpointHandler` makes the
 * Lambda handler, with the middleware stack that all endpoints share: one log line per request, and problem+json for
 * everything that is thrown.
 */
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { publishMetrics } from '../flow/metrics.ts';
import type { Invocation, Telemetry } from '../flow/step.ts';
import { faultLine, toProblem } from './faults.ts';
import { Problem, problemBody } from './problem.ts';
import { type ApiRequest, isId, readApiRequest } from './request.ts';

export interface Endpoint<Deps> {
  readonly name: string;
  /** The names of the query parameters that the endpoint accepts. All others are refused. */
  readonly query?: readonly string[] | 'any';
  /** The names of the path parameters that are secrets. They are never logged or quoted. */
  readonly secrets?: readonly string[];
  readonly run: (request: ApiRequest, deps: Deps, invocation: Invocation) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  /** The JSON text of the answer. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createEndpointHandler<Deps>(endpoint: Endpoint<Deps>, deps: Deps, { logger, metrics }: Telemetry) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(publishMetrics(metrics))
    .handler(async (event, context) => {
      const startedAt = Date.now();
      const request = readApiRequest(event, endpoint.secrets);
      logger.appendKeys({ requestId: request.requestId, route: request.route, ...idsOf(request) });
      const answer = await answerRequest(endpoint, request, deps, {
        remainingMs: () => context.getRemainingTimeInMillis(),
      });
      const { fault, ...line } = answer.log;
      const { status } = answer.result;
      const location = answer.result.headers?.['Location'];
      const detail = { status, durationMs: Date.now() - startedAt, location, ...line };
      if (fault === undefined) {
        logger.info('answered', detail);
      } else {
        logger.error('request failed', { ...detail, ...faultLine(fault) });
      }
      return toResult(answer.result);
    });
}

interface Answered {
  readonly result: Answer;
  readonly log: { readonly code?: string; readonly fault?: Error };
}

/** One request without the middleware. Never rejects: what is thrown is answered as a problem. */
export async function answerRequest<Deps>(
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

/** The gateway replaces bytes that are not UTF-8 by this character. */
const NOT_UTF8 = '\uFFFD';

function checkQuery({ query }: ApiRequest, known: readonly string[]): void {
  const errors = Object.entries(query).flatMap(([parameter, values]) => {
    if (!known.includes(parameter)) {
      return [{ parameter, detail: 'is not a parameter of this request' }];
    }
    if (values.some((value) => value.includes(NOT_UTF8))) {
      return [{ parameter, detail: 'is not valid UTF-8' }];
    }
    return values.length > 1 ? [{ parameter, detail: 'may be given once only' }] : [];
  });
  if (errors.length > 0) {
    throw new Problem('INVALID_REQUEST', 'The query has parameters that are not valid. See errors.', { errors });
  }
}

function idsOf({ parameters }: ApiRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => isId(value)));
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
