/**
 * One attempt of a Task state: invokes its function and waits for the result or for its token. The first event decides
 * (result, token, timeout, missed heartbeat, end of the execution); later ones are ignored, because a running function
 * cannot be stopped.
 */
import type { Clock, Timer } from '../../clock.ts';
import type { FunctionHost, InvokeResult, StatesHooks } from '../seams.ts';
import { StatesError, statesError } from './errors.ts';
import { data, type History } from './history.ts';
import { dataText, type Json } from './json.ts';
import type { TaskTokens } from './tokens.ts';

/** The state's side of an attempt. */
export interface TaskCall {
  readonly resource: string;
  readonly arguments: Json;
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
  /** For a task that waits for its token. */
  readonly token: string | undefined;
}

/** The execution's side. */
interface Caller {
  readonly execution: { readonly name: string; readonly machineArn: string; readonly roleArn: string };
  readonly history: History;
  /** Aborted when the execution ends. */
  readonly signal: AbortSignal;
}

type TaskAttempt = TaskCall & Caller;

export interface TaskDeps {
  readonly clock: Clock;
  readonly functions: FunctionHost;
  readonly tokens: TaskTokens;
  readonly hooks: Pick<StatesHooks, 'authorizeInvoke'>;
}

/** Resolves to the task's result; rejects with a StatesError, or with the signal's reason. */
export async function attemptTask(call: TaskCall, caller: Caller, deps: TaskDeps): Promise<Json> {
  const attempt = { ...call, ...caller };
  const record = recorder(attempt);
  record('Scheduled', scheduledDetails(attempt));
  record('Started');
  try {
    const result = await outcome(attempt, deps, (submitted) => record('Submitted', data('output', submitted)));
    caller.signal.throwIfAborted();
    record('Succeeded', data('output', dataText(result, 'task result')));
    return result;
  } catch (error) {
    caller.signal.throwIfAborted();
    if (error instanceof StatesError) {
      const timedOut = error.error === statesError.timeout || error.error === statesError.heartbeatTimeout;
      record(timedOut ? 'TimedOut' : 'Failed', { error: error.error, cause: error.failureCause });
    }
    throw error;
  }
}

async function outcome(attempt: TaskAttempt, deps: TaskDeps, submitted: (output: string) => void): Promise<Json> {
  const { token, signal, timeoutSeconds, heartbeatSeconds } = attempt;
  const { promise, resolve, reject } = Promise.withResolvers<Json>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  const timeout = limit(deps.clock, timeoutSeconds, () => reject(new StatesError(statesError.timeout, '')));
  const missed = () => reject(new StatesError(statesError.heartbeatTimeout, ''));
  let heartbeat = limit(deps.clock, heartbeatSeconds, missed);
  if (token !== undefined) {
    deps.tokens.open(token, {
      succeed: resolve,
      fail: reject,
      heartbeat: () => {
        heartbeat?.cancel();
        heartbeat = limit(deps.clock, heartbeatSeconds, missed);
      },
    });
  }
  let over = false;
  invoke(attempt, deps)
    .then((result) => {
      if (token === undefined) {
        resolve(result);
      } else if (!over) {
        submitted(dataText(result, 'task result'));
      }
    })
    .catch(reject);
  try {
    return await promise;
  } finally {
    over = true;
    signal.removeEventListener('abort', abort);
    timeout?.cancel();
    heartbeat?.cancel();
    if (token !== undefined) {
      deps.tokens.close(token);
    }
  }
}

function limit(clock: Clock, seconds: number | undefined, work: () => void): Timer | undefined {
  return seconds === undefined ? undefined : clock.schedule(seconds * 1000, work);
}

/** The function's result: as it is from a direct ARN, in an envelope from `lambda:invoke`. */
async function invoke({ resource, arguments: args, execution }: TaskAttempt, deps: TaskDeps): Promise<Json> {
  const direct = isFunctionArn(resource);
  const { FunctionName, Payload = {} } = direct
    ? { FunctionName: resource, Payload: args }
    : (args as unknown as InvokeArguments);
  try {
    deps.hooks.authorizeInvoke(execution.roleArn, FunctionName);
  } catch (error) {
    throw new StatesError('Lambda.AWSLambdaException', (error as Error).message);
  }
  const result = await deps.functions.invoke(FunctionName, Payload, { tracked: true, executionName: execution.name });
  if (!result.ok) {
    throw functionError(result);
  }
  const payload = (result.payload ?? null) as Json;
  return direct ? payload : { ExecutedVersion: '$LATEST', Payload: payload, StatusCode: 200 };
}

interface InvokeArguments {
  readonly FunctionName: string;
  readonly Payload?: Json;
}

/** Lambda's own failures have a text as cause, a function's error has the runtime's report as JSON. */
function functionError({ errorType, errorMessage }: Extract<InvokeResult, { ok: false }>): StatesError {
  const cause = errorType.startsWith('Lambda.') ? errorMessage : JSON.stringify({ errorType, errorMessage });
  return new StatesError(errorType, cause);
}

function isFunctionArn(resource: string): boolean {
  return !resource.includes(':states:::');
}

function scheduledDetails({ resource, arguments: args, timeoutSeconds, heartbeatSeconds, execution }: TaskAttempt) {
  const text = dataText(args, 'task arguments');
  const limits = { timeoutInSeconds: timeoutSeconds, heartbeatInSeconds: heartbeatSeconds };
  return isFunctionArn(resource)
    ? { resource, ...data('input', text), ...limits }
    : { parameters: text, region: execution.machineArn.split(':')[3], ...limits };
}

/** Events of a direct ARN are named after the function, events of `lambda:invoke` after the task. */
function recorder({ resource, history }: TaskAttempt): (event: string, details?: Record<string, unknown>) => void {
  if (isFunctionArn(resource)) {
    return (event, details = {}) => history.add(`LambdaFunction${event}`, details);
  }
  const service = { resourceType: 'lambda', resource: resource.slice(resource.lastIndexOf(':') + 1) };
  return (event, details) => history.add(`Task${event}`, { ...service, ...details });
}
