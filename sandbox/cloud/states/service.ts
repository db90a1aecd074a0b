/**
 * Step Functions as its callers see it: state machines, executions by name, task tokens. Everything is in memory. A
 * name stays reserved for 90 days after its execution ended.
 */
import type { Clock } from '../../clock.ts';
import {
  AwsError,
  type FunctionHost,
  type StateMachineDefinition,
  type StatesHooks,
  type StatesService,
} from '../seams.ts';
import { parseDefinition } from './definition.ts';
import { StatesError, statesError } from './errors.ts';
import { Execution, type LoadedMachine } from './execution.ts';
import { dataText, type Json } from './json.ts';
import { TaskTokens } from './tokens.ts';

export interface StatesOptions {
  readonly clock: Clock;
  readonly functions: FunctionHost;
  readonly machines: readonly StateMachineDefinition[];
  readonly hooks: StatesHooks;
  /** For the jitter of the retriers. @default Math.random */
  readonly random?: () => number;
  /** How many executions keep their history at least. @default 1,000 */
  readonly histories?: number;
}

const NAME_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

/** Throws if a machine uses something unsupported. */
export function createStates({
  clock,
  functions,
  machines,
  hooks,
  random = Math.random,
  histories = 1_000,
}: StatesOptions): StatesService {
  const loaded = new Map(machines.map((machine) => [machine.arn, load(machine)]));
  const executions = new Map<string, Execution>();
  /** Those that still have their history, oldest first. */
  let recorded: Execution[] = [];
  const tokens = new TaskTokens();
  const deps = { clock, functions, tokens, hooks, random };

  function find(executionArn: string): Execution {
    const execution = executions.get(executionArn);
    if (execution === undefined) {
      throw new AwsError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
    }
    return execution;
  }

  function dropHistories(): void {
    const ended = recorded.filter(({ description }) => description.status !== 'RUNNING');
    const dropped = new Set(ended.slice(0, Math.max(0, recorded.length - histories)));
    for (const { history } of dropped) {
      history.drop();
    }
    recorded = recorded.filter((execution) => !dropped.has(execution));
  }

  function clear(): void {
    for (const execution of executions.values()) {
      execution.forget();
    }
    executions.clear();
    recorded = [];
    tokens.clear();
  }

  return {
    startExecution({ stateMachineArn, name, input }) {
      const machine = loaded.get(stateMachineArn);
      if (machine === undefined) {
        throw new AwsError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`);
      }
      if (!NAME.test(name)) {
        throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
      }
      parseData(input, 'InvalidExecutionInput');
      const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
      const known = executions.get(executionArn)?.description;
      if (known?.status === 'RUNNING' && known.input === input) {
        return { executionArn, startDate: known.startDate };
      }
      if (known !== undefined && clock.now() < (known.stopDate ?? Number.POSITIVE_INFINITY) + NAME_KEPT_MS) {
        throw new AwsError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
      }
      const execution = new Execution(machine, { executionArn, name, input }, deps);
      executions.delete(executionArn);
      executions.set(executionArn, execution);
      recorded.push(execution);
      dropHistories();
      execution.start();
      return { executionArn, startDate: execution.description.startDate };
    },

    sendTaskSuccess({ taskToken, output }) {
      const task = tokens.find(taskToken);
      task.succeed(parseData(output, 'InvalidOutput'));
    },

    sendTaskFailure({ taskToken, error = statesError.taskFailed, cause = '' }) {
      tokens.find(taskToken).fail(new StatesError(error, cause));
    },

    sendTaskHeartbeat({ taskToken }) {
      tokens.find(taskToken).heartbeat();
    },

    machineOf: (taskToken) => tokens.machineOf(taskToken),
    describeExecution: (executionArn) => find(executionArn).description,

    listExecutions: (stateMachineArn) =>
      [...executions.values()]
        .map(({ description }) => description)
        .filter((description) => stateMachineArn === undefined || description.stateMachineArn === stateMachineArn)
        .reverse(),

    stopExecution({ executionArn, ...reason }) {
      const execution = find(executionArn);
      execution.stop(reason);
      return { stopDate: execution.description.stopDate ?? clock.now() };
    },

    history: (executionArn) => find(executionArn).history.events,
    historyDropped: (executionArn) => find(executionArn).history.dropped,
    transitions: (executionArn) => find(executionArn).transitions,
    clear,
    close: clear,
  };
}

function load(machine: StateMachineDefinition): LoadedMachine {
  if (machine.type !== 'STANDARD') {
    throw new Error(`state machine ${machine.name}: only STANDARD runs here, not ${machine.type}`);
  }
  try {
    return { ...machine, definition: parseDefinition(machine.definition) };
  } catch (error) {
    throw new Error(`state machine ${machine.name}: ${(error as Error).message}`, { cause: error });
  }
}

function parseData(text: string, code: string): Json {
  try {
    const parsed: Json = JSON.parse(text);
    dataText(parsed, 'data');
    return parsed;
  } catch {
    throw new AwsError(code, 'the data is no JSON, or is too large');
  }
}
