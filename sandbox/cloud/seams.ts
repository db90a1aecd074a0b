/**
 * The interfaces between the parts of the local cloud: functions, state machines, REST API and the AWS endpoint. Each
 * part can be built and tested without the others.
 */

/** The result of a synchronous invocation as the caller sees it. */
export type InvokeResult =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };

export interface InvokeOptions {
  /** Counts as in flight for the virtual clock: true for work without an outside caller (executions, schedules). */
  readonly tracked?: boolean;
  /** The name of the execution on whose behalf the function runs; its DynamoDB writes are counted there. */
  readonly executionName?: string;
  /** The service that invokes by the function's resource policy, and its source; checked against its Permissions. */
  readonly invoker?: { readonly service: 'apigateway.amazonaws.com'; readonly sourceArn: string };
}

export interface FunctionHost {
  /** Never rejects: a failure is an error type of Lambda. A throttled or unknown function is a result as well. */
  invoke(functionArnOrName: string, payload: unknown, options?: InvokeOptions): Promise<InvokeResult>;
  /** Accepted at once, run later, retried as the function's EventInvokeConfig says. */
  invokeAsync(functionArnOrName: string, payload: unknown): void;
}

export interface StateMachineDefinition {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  /** The resolved Amazon States Language document. */
  readonly definition: object;
  readonly type: 'STANDARD' | 'EXPRESS';
}

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** The answer of DescribeExecution; also the detail of "Step Functions Execution Status Change". Dates are epoch milliseconds. */
export interface ExecutionDescription {
  readonly executionArn: string;
  readonly stateMachineArn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly startDate: number;
  readonly stopDate?: number;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

/** One event of GetExecutionHistory in AWS's format; `timestamp` is in epoch milliseconds. */
export interface HistoryEvent {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly [details: string]: unknown;
}

/** A step of an execution as it happens, for a live display. */
export interface Transition {
  readonly executionName: string;
  readonly state: string;
  /** For example `entered`, `exited`, `retried`, `failed`. */
  readonly type: string;
  /** Epoch milliseconds of virtual time. */
  readonly at: number;
  readonly durationMs?: number;
}

/** Implemented by `createStates` in `states/service.ts`. All methods throw `AwsError` with the code of Step Functions. */
export interface StatesService {
  /** Idempotent for the same name and input while the execution runs. */
  startExecution(input: { readonly stateMachineArn: string; readonly name: string; readonly input: string }): {
    readonly executionArn: string;
    readonly startDate: number;
  };
  sendTaskSuccess(input: { readonly taskToken: string; readonly output: string }): void;
  sendTaskFailure(input: { readonly taskToken: string; readonly error?: string; readonly cause?: string }): void;
  sendTaskHeartbeat(input: { readonly taskToken: string }): void;
  /** The ARN of the state machine that a task token belongs to, for the policy check; undefined for an unknown token. */
  machineOf(taskToken: string): string | undefined;
  describeExecution(executionArn: string): ExecutionDescription;
  /** Newest first; of every machine when no ARN is given. */
  listExecutions(stateMachineArn?: string): readonly ExecutionDescription[];
  stopExecution(input: { readonly executionArn: string; readonly error?: string; readonly cause?: string }): {
    readonly stopDate: number;
  };
  /** Empty once it was dropped: kept are those of running executions and of the newest ended ones. */
  history(executionArn: string): readonly HistoryEvent[];
  historyDropped(executionArn: string): boolean;
  /** States entered plus retries, so far. */
  transitions(executionArn: string): number;
  /** Removes every execution; running ones end without events. */
  clear(): void;
  close(): void;
}

/** What `createStates` needs besides the clock, the functions and the machines. */
export interface StatesHooks {
  /** Throws when the machine's role does not allow this; called before each invocation of a function. */
  readonly authorizeInvoke: (roleArn: string, functionArn: string) => void;
  readonly onStatusChange: (execution: ExecutionDescription) => void;
  readonly onTransition: (transition: Transition) => void;
}

/** The REST API gateway, implemented by `startGateway` in `gateway/gateway.ts`. */
export interface Gateway {
  readonly url: string;
  /** Removes cached authorizer answers, throttle buckets and access log lines. */
  clear(): void;
  close(): Promise<void>;
}

/** A resource of the template with every intrinsic function resolved. */
export interface ResolvedResource {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An error as an AWS service answers it: `code` is the name of its exception. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
