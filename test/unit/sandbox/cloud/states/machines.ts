/** State machines in a test: a virtual clock, scripted functions, and a record of everything observed. */
import { Clock } from '../../../../../sandbox/clock.ts';
import type {
  ExecutionDescription,
  FunctionHost,
  InvokeResult,
  Transition,
} from '../../../../../sandbox/cloud/seams.ts';
import { createStates } from '../../../../../sandbox/cloud/states/service.ts';

export const machineArn = 'arn:aws:states:eu-west-1:000000000000:stateMachine:payment';
export const functionArn = 'arn:aws:lambda:eu-west-1:000000000000:function:step';

type Played = (payload: unknown, functionName: string) => InvokeResult | Promise<InvokeResult>;

interface Playing {
  readonly play?: Played;
  readonly random?: () => number;
  readonly histories?: number;
  readonly onTransition?: (transition: Transition) => void;
}

export function runMachine(
  definition: object,
  { play = answer(null), random = () => 0.5, histories = 1_000, onTransition = () => undefined }: Playing = {},
) {
  const clock = new Clock();
  const invoked: { payload: unknown; at: number }[] = [];
  const statuses: ExecutionDescription[] = [];
  const transitions: Transition[] = [];
  const denied = new Set<string>();
  const functions: FunctionHost = {
    invoke: async (name, payload) => {
      invoked.push({ payload, at: clock.now() });
      return play(payload, name);
    },
    invokeAsync: () => undefined,
  };
  const states = createStates({
    clock,
    functions,
    random,
    histories,
    machines: [
      {
        arn: machineArn,
        name: 'payment',
        roleArn: 'arn:aws:iam::000000000000:role/payment',
        definition,
        type: 'STANDARD',
      },
    ],
    hooks: {
      authorizeInvoke: (_role, name) => {
        if (denied.has(name)) {
          throw new Error('not authorized to perform lambda:InvokeFunction');
        }
      },
      onStatusChange: (execution) => statuses.push(execution),
      onTransition: (transition) => {
        transitions.push(transition);
        onTransition(transition);
      },
    },
  });
  const start = (input: unknown = {}, name = 'one') =>
    states.startExecution({ stateMachineArn: machineArn, name, input: JSON.stringify(input) }).executionArn;
  /** Runs an execution for some virtual time and returns its result. */
  const run = async (input: unknown = {}, seconds = 0) => {
    const arn = start(input);
    await advance(seconds);
    return { arn, ...states.describeExecution(arn), result: outputOf(states.describeExecution(arn)) };
  };
  const advance = (seconds: number) => clock.advance(clock.now() + seconds * 1000);
  /** The tokens that waiting tasks passed to their function, in order. */
  const tokens = () => invoked.map(({ payload }) => (payload as { token: string }).token);
  const eventTypes = (arn: string) => states.history(arn).map(({ type }) => type);
  return { states, clock, invoked, statuses, transitions, denied, start, run, advance, tokens, eventTypes };
}

export function machine(states: Record<string, object>, more: object = {}): object {
  return { QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states, ...more };
}

/** A task that invokes the function with its token and waits for it. */
export function waitingTask(more: object = {}): object {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: { FunctionName: functionArn, Payload: { token: '{% $states.context.Task.Token %}' } },
    End: true,
    ...more,
  };
}

export function answer(payload: unknown): Played {
  return () => ({ ok: true, payload });
}

export function throwing(errorType: string, errorMessage = 'CODE: detail'): Played {
  return () => ({ ok: false, errorType, errorMessage });
}

/** Plays each answer once, then repeats the last one. */
export function inTurn(...plays: Played[]): Played {
  let turn = 0;
  return (payload, name) => plays[Math.min(turn++, plays.length - 1)]!(payload, name);
}

function outputOf({ output }: ExecutionDescription): unknown {
  return output === undefined ? undefined : JSON.parse(output);
}
