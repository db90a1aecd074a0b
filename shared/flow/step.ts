/**
 * A step of the state machine: schemas for input and output, and a function of the input and its dependencies.
 * `createStepHandler` makes the Lambda handler, with the same middleware for all steps.
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
  /** The folder name, the log field and, in Pascal case, the name of the state. */
  readonly name: string;
  readonly input: I;
  readonly output: O;
  /** The part of the input that is logged. Default: the whole input without its task token. */
  readonly logged?: (input: z.output<I>) => Readonly<Record<string, string>>;
  readonly run: (input: z.output<I>, deps: Deps, invocation: Invocation) => Promise<z.input<O>>;
}

export interface Invocation {
  /** Milliseconds until Lambda ends this invocation. A call to the platform starts only if it can end before that. */
  readonly remainingMs: () => number;
}

export interface Telemetry {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * The order of the middleware matters: `before` runs from top to bottom, `onError` from bottom to top. So an error is
 * classified and logged while the logger still has the keys of this invocation. No middleware may set a response on an
 * error, because the state machine would treat it as a success.
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
    .handler((event, context) =>
      runStep(step, event, deps, { remainingMs: () => context.getRemainingTimeInMillis() }, (ids) =>
        logger.appendKeys(ids),
      ),
    );
}

/** One invocation without the middleware. Throws a FaultError if input or output breaks the contract of the step. */
export async function runStep<I extends z.ZodMiniType, O extends z.ZodMiniType, Deps>(
  step: Step<I, O, Deps>,
  event: unknown,
  deps: Deps,
  invocation: Invocation,
  onIds: (ids: Record<string, unknown>) => void,
): Promise<z.output<O>> {
  const input = parseContract(step.input, event, 'INPUT_CONTRACT');
  onIds(idsOf(step.logged?.(input) ?? input));
  const output = await step.run(input, deps, invocation);
  return parseContract(step.output, output, 'OUTPUT_CONTRACT');
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

/** A task token gives access to the execution, so it is not logged. */
function idsOf(input: unknown): Record<string, unknown> {
  const { taskToken: _taskToken, ...ids } = input as Record<string, unknown>;
  return ids;
}

/** Throws a FaultError that names the paths at which the data is invalid, never the data itself. */
function parseContract<T extends z.ZodMiniType>(schema: T, data: unknown, code: string): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) {
    return result.data;
  }
  const paths = result.error.issues.map((issue) => `${issue.path.join('.') || '(root)'} ${issue.code}`);
  throw new FaultError(code, paths.join(', '));
}
