/**
 * One execution of a state machine: visits states until one ends it, keeps its variables and history, and reports each
 * change. It waits only by timers of the clock, so that virtual time can advance over it.
 */
import type { Clock } from '../../clock.ts';
import type {
  ExecutionDescription,
  ExecutionStatus,
  FunctionHost,
  StateMachineDefinition,
  StatesHooks,
} from '../seams.ts';
import { contextOf } from './context.ts';
import type { Machine } from './definition.ts';
import { StatesError, statesError } from './errors.ts';
import { data, History } from './history.ts';
import { dataText, type Json } from './json.ts';
import { attemptTask } from './task.ts';
import type { TaskTokens } from './tokens.ts';
import { type Run, type Visit, visitState } from './visit.ts';

/** A registered state machine with its parsed definition. */
export interface LoadedMachine extends Omit<StateMachineDefinition, 'definition'> {
  readonly definition: Machine;
}

export interface ExecutionDeps {
  readonly clock: Clock;
  readonly functions: FunctionHost;
  readonly tokens: TaskTokens;
  readonly hooks: StatesHooks;
  /** For the jitter of the retriers. */
  readonly random: () => number;
}

interface Ending {
  readonly status: Exclude<ExecutionStatus, 'RUNNING'>;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

/** Stops a machine that loops forever. */
const MAX_EVENTS = 25_000;

export class Execution {
  readonly history: History;
  transitions = 0;
  readonly #machine: LoadedMachine;
  readonly #deps: ExecutionDeps;
  readonly #over = new AbortController();
  #variables: Readonly<Record<string, Json>> = {};
  #description: ExecutionDescription;

  constructor(
    machine: LoadedMachine,
    { executionArn, name, input }: Record<'executionArn' | 'name' | 'input', string>,
    deps: ExecutionDeps,
  ) {
    this.#machine = machine;
    this.#deps = deps;
    this.history = new History(() => deps.clock.now());
    this.#description = {
      executionArn,
      stateMachineArn: machine.arn,
      name,
      status: 'RUNNING',
      startDate: deps.clock.now(),
      input,
    };
  }

  get description(): ExecutionDescription {
    return this.#description;
  }

  start(): void {
    const { TimeoutSeconds } = this.#machine.definition;
    this.history.add('ExecutionStarted', { ...data('input', this.#description.input), roleArn: this.#machine.roleArn });
    this.#deps.hooks.onStatusChange(this.#description);
    if (TimeoutSeconds !== undefined) {
      const timer = this.#deps.clock.schedule(TimeoutSeconds * 1000, () =>
        this.#end({ status: 'TIMED_OUT', error: statesError.timeout }),
      );
      this.#over.signal.addEventListener('abort', () => timer.cancel());
    }
    void this.#run();
  }

  /** Stops it from outside; has no effect after its end. */
  stop(reason: { readonly error?: string; readonly cause?: string }): void {
    this.#end({ status: 'ABORTED', ...reason });
  }

  /** Stops it without events. */
  forget(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    let ending: Ending;
    try {
      const output = await this.#visitAll();
      ending = { status: 'SUCCEEDED', output: JSON.stringify(output) };
    } catch (error) {
      ending = { status: 'FAILED', ...failureOf(error) };
    }
    this.#end(ending);
  }

  async #visitAll(): Promise<Json> {
    let name: string | undefined = this.#machine.definition.StartAt;
    let passed: Json = JSON.parse(this.#description.input);
    while (name !== undefined) {
      [name, passed] = await this.#visit({ name, input: passed, enteredAt: this.#deps.clock.now() });
    }
    return passed;
  }

  async #visit(visit: Visit): Promise<[next: string | undefined, output: Json]> {
    this.#over.signal.throwIfAborted();
    const state = this.#machine.definition.States[visit.name]!;
    if (this.history.events.length >= MAX_EVENTS) {
      throw new StatesError(
        statesError.runtime,
        `The execution reached the maximum number of history events (${MAX_EVENTS}).`,
      );
    }
    this.transitions++;
    this.history.stateEntered(state.Type, visit.name, dataText(visit.input, 'state input'));
    this.#report('entered', visit);
    try {
      const { next, output, assigned } = await visitState(state, visit, this.#asRun());
      this.#variables = { ...this.#variables, ...assigned };
      this.history.stateExited(state.Type, visit.name, JSON.stringify(output), texts(assigned));
      this.#report('exited', visit);
      return [next, output];
    } catch (error) {
      this.#report('failed', visit);
      throw error;
    }
  }

  /** The execution as its states see it. */
  #asRun(): Run {
    const { clock, tokens, random } = this.#deps;
    const { arn: machineArn, roleArn } = this.#machine;
    const execution = { name: this.#description.name, machineArn, roleArn };
    const caller = { execution, history: this.history, signal: this.#over.signal };
    return {
      clock,
      random,
      history: this.history,
      signal: this.#over.signal,
      variables: this.#variables,
      context: (visit, retryCount, token) => contextOf(this.#description, this.#machine, visit, retryCount, token),
      issueToken: () => tokens.issue(machineArn),
      attempt: (call) => attemptTask(call, caller, this.#deps),
      onRetry: (visit) => {
        this.transitions++;
        this.#report('retried', visit);
      },
    };
  }

  #report(type: string, { name, enteredAt }: Visit): void {
    if (!this.#over.signal.aborted) {
      const at = this.#deps.clock.now();
      const durationMs = type === 'entered' ? {} : { durationMs: at - enteredAt };
      this.#deps.hooks.onTransition({ executionName: this.#description.name, state: name, type, at, ...durationMs });
    }
  }

  #end({ status, output, ...reason }: Ending): void {
    if (this.#over.signal.aborted) {
      return;
    }
    this.#over.abort();
    const details = output === undefined ? reason : data('output', output);
    this.history.add(endingEvents[status], details);
    this.#description = {
      ...this.#description,
      status,
      stopDate: this.#deps.clock.now(),
      ...(output !== undefined && { output }),
      ...reason,
    };
    this.#deps.hooks.onStatusChange(this.#description);
  }
}

const endingEvents = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
} as const;

/** A Fail state may name no error; anything but a StatesError is a defect of this interpreter. */
function failureOf(error: unknown): { error?: string; cause?: string } {
  const { error: name, failureCause } =
    error instanceof StatesError ? error : new StatesError(statesError.runtime, String(error));
  return { ...(name !== '' && { error: name }), ...(failureCause !== '' && { cause: failureCause }) };
}

function texts(assigned: Readonly<Record<string, Json>>): Record<string, string> {
  return Object.fromEntries(Object.entries(assigned).map(([name, value]) => [name, JSON.stringify(value)]));
}
