/**
 * What each type of state does with its input: its next state, its output, and its variables. Only a Task can fail and
 * continue, by its retriers and catchers.
 */
import type { Clock } from '../../clock.ts';
import type { Assignments, ChoiceState, State, TaskState } from './definition.ts';
import { StatesError, statesError } from './errors.ts';
import { Fields } from './fields.ts';
import type { History } from './history.ts';
import { dataText, type Json } from './json.ts';
import { pause } from './pause.ts';
import { matches, RetryCounters } from './retry.ts';
import type { TaskCall } from './task.ts';

/** A state being visited. */
export interface Visit {
  readonly name: string;
  readonly input: Json;
  readonly enteredAt: number;
}

/** The result of a visit; `next` is absent at the end of the execution. */
export interface Step {
  readonly next: string | undefined;
  readonly output: Json;
  readonly assigned: Readonly<Record<string, Json>>;
}

/** What a visit needs from its execution. */
export interface Run {
  readonly clock: Clock;
  readonly history: History;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly variables: Readonly<Record<string, Json>>;
  /** `$states.context`. */
  context(visit: Visit, retryCount: number, token?: string): Json;
  issueToken(): string;
  attempt(call: TaskCall): Promise<Json>;
  onRetry(visit: Visit): void;
}

export async function visitState(state: State, visit: Visit, run: Run): Promise<Step> {
  if (state.Type === 'Task') {
    return runTask(state, visit, run);
  }
  const fields = fieldsOf(visit, run, run.context(visit, 0));
  switch (state.Type) {
    case 'Pass':
    case 'Succeed':
      return leave(state, visit.input, fields);
    case 'Wait': {
      const delayMs =
        state.Timestamp === undefined
          ? 1000 * (await fields.seconds(state.Seconds ?? 0, 'Seconds', 0))
          : (await fields.time(state.Timestamp, 'Timestamp')) - run.clock.now();
      await pause(run.clock, delayMs, run.signal);
      return leave(state, visit.input, fields);
    }
    case 'Choice':
      return leave(await choose(state, visit.name, fields), visit.input, fields);
    case 'Fail':
      throw new StatesError(
        await fields.text(state.Error ?? '', 'Error'),
        await fields.text(state.Cause ?? '', 'Cause'),
      );
  }
}

async function runTask(state: TaskState, visit: Visit, run: Run): Promise<Step> {
  const counters = new RetryCounters(state.Retry, run.random);
  for (;;) {
    const token = state.Resource.endsWith('.waitForTaskToken') ? run.issueToken() : undefined;
    const fields = fieldsOf(visit, run, run.context(visit, counters.total, token));
    try {
      const result = await run.attempt(await taskCall(state, visit, fields, token));
      return await leave(state, result, fields.with({ result }));
    } catch (error) {
      if (!(error instanceof StatesError)) {
        throw error;
      }
      const delaySeconds = counters.next(error.error);
      if (delaySeconds === undefined) {
        return recover(state, error, fields);
      }
      run.onRetry(visit);
      await pause(run.clock, delaySeconds * 1000, run.signal);
    }
  }
}

async function taskCall(state: TaskState, visit: Visit, fields: Fields, token: string | undefined): Promise<TaskCall> {
  const { Resource: resource, Arguments, TimeoutSeconds, HeartbeatSeconds } = state;
  const seconds = (template: string | number | undefined, field: string) =>
    template === undefined ? undefined : fields.seconds(template, field, 1);
  return {
    resource,
    token,
    arguments: Arguments === undefined ? visit.input : await fields.value(Arguments, 'Arguments'),
    timeoutSeconds: await seconds(TimeoutSeconds, 'TimeoutSeconds'),
    heartbeatSeconds: await seconds(HeartbeatSeconds, 'HeartbeatSeconds'),
  };
}

function recover(state: TaskState, failure: StatesError, fields: Fields): Promise<Step> {
  const catcher = state.Catch.find(({ ErrorEquals }) => matches(ErrorEquals, failure.error));
  if (catcher === undefined) {
    throw failure;
  }
  const errorOutput = { Error: failure.error, Cause: failure.failureCause };
  return leave(catcher, errorOutput, fields.with({ errorOutput }));
}

/** The first rule whose condition holds, or the state itself with its default. */
async function choose(state: ChoiceState, name: string, fields: Fields): Promise<Exit> {
  for (const [index, rule] of state.Choices.entries()) {
    if (await fields.truth(rule.Condition, `Choices[${index}]/Condition`)) {
      return rule;
    }
  }
  if (state.Default === undefined) {
    throw new StatesError(statesError.noChoiceMatched, `No choice of the state '${name}' matched.`);
  }
  return { ...state, Next: state.Default };
}

/** What leads out of a state: the state itself, a choice rule or a catcher. */
interface Exit {
  readonly Next?: string | undefined;
  readonly Assign?: Assignments | undefined;
  readonly Output?: Json | undefined;
}

/** Output and assignments both use the variables as they were on entry. */
async function leave({ Next, Assign = {}, Output }: Exit, unshaped: Json, fields: Fields): Promise<Step> {
  const assigned = (await fields.value(Assign, 'Assign')) as Record<string, Json>;
  const output = Output === undefined ? unshaped : await fields.value(Output, 'Output');
  dataText(assigned, 'assigned variables');
  dataText(output, 'state output');
  return { next: Next, output, assigned };
}

function fieldsOf(visit: Visit, run: Run, context: Json): Fields {
  return new Fields(visit.name, { states: { input: visit.input, context }, variables: run.variables }, run.history);
}
