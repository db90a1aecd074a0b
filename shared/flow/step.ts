/**
 * What every step of the state machine is: a contract, and the work as a plain function of its input and its
 * dependencies. `createStepHandler` makes the Lambda handler of it, with the one middleware stack that all steps share.
 */
import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { FaultError, toFlowError } from './errors.ts';
import { publishMetrics } from './metrics.ts';

export interface Step<I extends z.ZodMiniType, O extends z.ZodMiniType, Deps> {
  /** Folder name, log field, and (in Pascal case) the name of the state. */
  readonly name: string;
  readonly input: I;
  readonly output: O;
  /** What of the input the log shows; all of it unless said otherwise. */
  readonly logged?: (input: z.output<I>) => Readonly<Record<string, string>>;
  readonly run: (input: z.output<I>, deps: Deps, invocation: Invocation) => Promise<z.input<O>>;
}

export interface Invocation {
  /** Milliseconds until Lambda ends this invocation: no call to the platform starts that could not end before it. */
  readonly remainingMs: () => number;
}

export interface Telemetry {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Order matters: `before` runs downwards, `onError` upwards. So the error is classed and logged while the logger still
 * has this invocation's keys, and logger and metrics clean up last, also when the contract check failed. No middleware
 * sets a response on an error: the state machine would take it for a success.
 */
export function createStepHandler<I extends z.ZodMiniType, O extends z.ZodMiniType, Deps>(
  step: Step<I, O, Deps>,
  deps: Deps,
  { logger, metrics }: Telemetry,
) {
  return middy<unknown, z.output<O>, Error, Context>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .use(publishMetrics(metrics))
    .use(classifyErrors(step.name, logger))
    .handler(async (event, context) => {
      const input = parseContract(step.input, event, 'INPUT_CONTRACT');
      logger.appendKeys(idsOf(step.logged?.(input) ?? input));
      const output = await step.run(input, deps, { remainingMs: () => context.getRemainingTimeInMillis() });
      return parseContract(step.output, output, 'OUTPUT_CONTRACT');
    });
}

function classifyErrors(step: string, logger: Logger): MiddlewareObj {
  return {
    onError: (request) => {
      const error = toFlowError(request.error);
      const cause = error.cause instanceof Error ? error.cause.name : undefined;
      logger.error('step failed', { step, errorName: error.name, code: error.code, cause, ...error.context });
      request.error = error;
    },
  };
}

/** A task token is a key to the execution: it stays out of the log. */
function idsOf(input: unknown): Record<string, unknown> {
  const { taskToken: _taskToken, ...ids } = input as Record<string, unknown>;
  return ids;
}

/** Reports where the data broke the contract, never the data. */
function parseContract<T extends z.ZodMiniType>(schema: T, data: unknown, code: string): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) {
    return result.data;
  }
  const paths = result.error.issues.map((issue) => `${issue.path.join('.') || '(root)'} ${issue.code}`);
  throw new FaultError(code, paths.join(', '));
}
