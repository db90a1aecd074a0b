/**
 * The subset of the Amazon States Language that this interpreter runs: JSONata machines of Pass, Task, Choice, Wait,
 * Succeed and Fail states. Everything else (Parallel, Map, JSONPath, an unknown field or resource) is an error when the
 * machine is loaded, so that nothing runs differently here than in the cloud.
 */
import * as z from 'zod';
import { statesError } from './errors.ts';
import { expressionFaults, isExpression } from './expression.ts';
import { MAX_SECONDS } from './fields.ts';
import type { Json } from './json.ts';

const LAMBDA_ARN = /^arn:aws[\w-]*:lambda:[\w-]+:\d+:function:[\w-]+(:[\w$-]+)?$/;
const LAMBDA_INVOKE = /^arn:aws[\w-]*:states:::lambda:invoke(\.waitForTaskToken)?$/;

const template = z.json().superRefine(refuseFaults);
const text = z.string().superRefine(refuseFaults);
const expression = text.refine(isExpression, 'must be a {% … %} expression');
const variables = z.record(z.string().regex(/^(?!states$)[A-Za-z_]\w{0,79}$/), template);
const comment = z.string().optional();

const anyState = { QueryLanguage: z.literal('JSONata').optional(), Comment: comment };
const exit = { Assign: variables.optional(), Output: template.optional() };
const flow = { Next: z.string().optional(), End: z.literal(true).optional() };
const rule = { ...exit, Next: z.string(), Comment: comment };
const errorRule = { ErrorEquals: z.array(z.string().min(1)).min(1) };

const retrier = z
  .strictObject({
    ...errorRule,
    IntervalSeconds: z.int().min(1).max(MAX_SECONDS).default(1),
    BackoffRate: z.number().min(1).default(2),
    MaxAttempts: z.int().min(0).max(MAX_SECONDS).default(3),
    MaxDelaySeconds: z.int().min(1).max(31_622_400).optional(),
    JitterStrategy: z.enum(['NONE', 'FULL']).default('NONE'),
    Comment: comment,
  })
  .refine(
    ({ IntervalSeconds, MaxDelaySeconds }) => MaxDelaySeconds === undefined || MaxDelaySeconds > IntervalSeconds,
    'MaxDelaySeconds must be greater than IntervalSeconds',
  );
const catcher = z.strictObject({ ...errorRule, ...rule });

const pass = z.strictObject({ Type: z.literal('Pass'), ...anyState, ...exit, ...flow });

const task = z.strictObject({
  Type: z.literal('Task'),
  Resource: z
    .string()
    .refine((arn) => LAMBDA_ARN.test(arn) || LAMBDA_INVOKE.test(arn), 'is no resource that runs here'),
  Arguments: template.optional(),
  TimeoutSeconds: z.union([z.int().min(1).max(MAX_SECONDS), expression]).optional(),
  HeartbeatSeconds: z.union([z.int().min(1).max(MAX_SECONDS), expression]).optional(),
  Retry: z.array(retrier).refine(allIsLast, `${statesError.all} must stand alone and last`).default([]),
  Catch: z.array(catcher).refine(allIsLast, `${statesError.all} must stand alone and last`).default([]),
  ...anyState,
  ...exit,
  ...flow,
});

const choice = z.strictObject({
  Type: z.literal('Choice'),
  Choices: z.array(z.strictObject({ Condition: z.union([z.boolean(), expression]), ...rule })).min(1),
  Default: z.string().optional(),
  ...anyState,
  ...exit,
});

const wait = z.strictObject({
  Type: z.literal('Wait'),
  Seconds: z.union([z.int().min(0).max(MAX_SECONDS), expression]).optional(),
  Timestamp: text.optional(),
  ...anyState,
  ...exit,
  ...flow,
});

const succeed = z.strictObject({ Type: z.literal('Succeed'), ...anyState, Output: template.optional() });
const fail = z.strictObject({ Type: z.literal('Fail'), ...anyState, Error: text.optional(), Cause: text.optional() });

const oneWayOn = 'needs Next or End, and not both';
const state = z.discriminatedUnion('Type', [
  pass.refine((on) => oneOf(on.Next, on.End), oneWayOn),
  task
    .refine((on) => oneOf(on.Next, on.End), oneWayOn)
    .refine(beatsInTime, 'HeartbeatSeconds must be less than TimeoutSeconds')
    .refine(
      ({ Resource, Arguments }) => !LAMBDA_INVOKE.test(Resource) || isInvocation(Arguments),
      'lambda:invoke takes FunctionName and Payload here, and nothing else',
    ),
  choice,
  wait
    .refine((on) => oneOf(on.Next, on.End), oneWayOn)
    .refine(({ Seconds, Timestamp }) => oneOf(Seconds, Timestamp), 'needs Seconds or Timestamp, and not both'),
  succeed,
  fail,
]);

const machine = z
  .strictObject({
    QueryLanguage: z.literal('JSONata'),
    Comment: comment,
    Version: z.literal('1.0').optional(),
    StartAt: z.string(),
    TimeoutSeconds: z.int().min(1).max(MAX_SECONDS).optional(),
    States: z.record(z.string().min(1).max(80), state),
  })
  .superRefine(({ StartAt, States }, context) => {
    for (const name of [StartAt, ...Object.values(States).flatMap(targets)]) {
      if (!Object.hasOwn(States, name)) {
        context.addIssue({ code: 'custom', message: `there is no state ${name} to go to` });
      }
    }
  });

export type Machine = z.output<typeof machine>;
export type State = z.output<typeof state>;
export type TaskState = z.output<typeof task>;
export type ChoiceState = z.output<typeof choice>;
export type Retrier = z.output<typeof retrier>;
export type Assignments = z.output<typeof variables>;

/** Throws with every error of the document and its place. */
export function parseDefinition(definition: object): Machine {
  const parsed = machine.safeParse(definition);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the machine'}: ${message}`);
    throw new Error(`the definition cannot run here:\n  ${faults.join('\n  ')}`);
  }
  return parsed.data;
}

function targets(state: State): string[] {
  const next = 'Next' in state ? state.Next : undefined;
  const rules = state.Type === 'Choice' ? state.Choices : state.Type === 'Task' ? state.Catch : [];
  const fallback = state.Type === 'Choice' ? state.Default : undefined;
  return [next, fallback, ...rules.map((rule) => rule.Next)].filter((name) => name !== undefined);
}

function oneOf(first: unknown, second: unknown): boolean {
  return (first === undefined) !== (second === undefined);
}

function allIsLast(rules: readonly { readonly ErrorEquals: readonly string[] }[]): boolean {
  return rules.every(
    ({ ErrorEquals }, index) =>
      !ErrorEquals.includes(statesError.all) || (ErrorEquals.length === 1 && index === rules.length - 1),
  );
}

function beatsInTime({ TimeoutSeconds, HeartbeatSeconds }: z.output<typeof task>): boolean {
  return (
    !(typeof TimeoutSeconds === 'number' && typeof HeartbeatSeconds === 'number') || HeartbeatSeconds < TimeoutSeconds
  );
}

function isInvocation(args: Json | undefined): boolean {
  return z.strictObject({ FunctionName: z.string(), Payload: z.json().optional() }).safeParse(args).success;
}

function refuseFaults(value: Json, context: z.RefinementCtx): void {
  for (const message of templateFaults(value)) {
    context.addIssue({ code: 'custom', message });
  }
}

function templateFaults(value: Json): string[] {
  if (typeof value === 'string') {
    return expressionFaults(value);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(templateFaults) : [];
}
