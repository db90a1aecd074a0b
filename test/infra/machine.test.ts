import aslValidator from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { stepNames } from '../../infra/functions.ts';
import { errorName } from '../../shared/flow/errors.ts';
import { synthesized, text } from './synthesized.ts';

const { only, resources } = synthesized('production');
const machine = only('AWS::StepFunctions::StateMachine');
const definition = JSON.parse(text(machine.DefinitionString));
// biome-ignore lint/suspicious/noExplicitAny: states of a definition, compared part by part.
const states: Record<string, any> = definition.States;
const tasks = Object.entries(states).filter(([, state]) => state.Type === 'Task');

const throttled = {
  ErrorEquals: ['Lambda.TooManyRequestsException'],
  IntervalSeconds: 1,
  BackoffRate: 1.5,
  MaxDelaySeconds: 15,
  MaxAttempts: 20,
  JitterStrategy: 'FULL',
};
const mayHaveRun = [
  'TransientError',
  'Sandbox.Timedout',
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
];
const orTimedOut = [...mayHaveRun, 'States.Timeout'];
const short = { IntervalSeconds: 1, BackoffRate: 2, MaxDelaySeconds: 20, MaxAttempts: 4, JitterStrategy: 'FULL' };
const provenNotSent = {
  ErrorEquals: ['TransientError'],
  IntervalSeconds: 2,
  BackoffRate: 2,
  MaxDelaySeconds: 20,
  MaxAttempts: 3,
  JitterStrategy: 'FULL',
};

/** What was not sent is sent again soon; what may have been sent is read back for half an hour. */
const untilKnown = [
  { ...provenNotSent, MaxDelaySeconds: 300, MaxAttempts: 8 },
  {
    ErrorEquals: ['UnknownOutcomeError', ...mayHaveRun.slice(1), 'States.Timeout'],
    IntervalSeconds: 30,
    BackoffRate: 2,
    MaxDelaySeconds: 300,
    MaxAttempts: 8,
    JitterStrategy: 'NONE',
  },
];

const retried: Readonly<Record<string, object | readonly object[]>> = {
  SendSaleRequest: {
    ErrorEquals: orTimedOut,
    IntervalSeconds: 2,
    BackoffRate: 1,
    MaxAttempts: 14,
    JitterStrategy: 'NONE',
  },
  AwaitTerminal: {
    ErrorEquals: orTimedOut,
    IntervalSeconds: 1,
    BackoffRate: 1,
    MaxAttempts: 40,
    JitterStrategy: 'NONE',
  },
  RetrieveTransaction: {
    ErrorEquals: orTimedOut,
    IntervalSeconds: 2,
    BackoffRate: 1.5,
    MaxDelaySeconds: 20,
    MaxAttempts: 10,
    JitterStrategy: 'NONE',
  },
  CreateCardToken: { ErrorEquals: orTimedOut, ...short },
  CreateChargeToken: { ErrorEquals: orTimedOut, ...short },
  AwaitAuthentication: { ErrorEquals: mayHaveRun, ...short },
  CreateTransaction: provenNotSent,
  ReconcileCharge: { ErrorEquals: orTimedOut, ...short },
  AwaitCapture: { ErrorEquals: mayHaveRun, ...short },
  Capture: untilKnown,
  Void: untilKnown,
  RecordFailure: { ErrorEquals: ['States.ALL'], ...short, MaxDelaySeconds: 60, MaxAttempts: 20 },
};

const after: Readonly<Record<string, readonly (readonly [readonly string[], string])[]>> = {
  SendSaleRequest: [[['States.ALL'], 'RecordFailure']],
  AwaitTerminal: [[['States.ALL'], 'RecordFailure']],
  RetrieveTransaction: [[['States.ALL'], 'RecordFailure']],
  CreateCardToken: [[['States.ALL'], 'RecordFailure']],
  CreateChargeToken: [[['States.ALL'], 'RecordFailure']],
  AwaitAuthentication: [[['States.ALL'], 'RecordFailure']],
  CreateTransaction: [
    [['RejectedError'], 'RecordFailure'],
    [['States.ALL'], 'ReconcileCharge'],
  ],
  ReconcileCharge: [[['States.ALL'], 'RecordFailure']],
  AwaitCapture: [
    [['States.Timeout', 'RejectedError'], 'Void'],
    [['States.ALL'], 'RecordFailure'],
  ],
  Capture: [
    [['RejectedError'], 'AwaitCapture'],
    [['States.ALL'], 'RecordFailure'],
  ],
  Void: [[['States.ALL'], 'RecordFailure']],
  RecordFailure: [],
};

describe('the definition of the payment state machine', () => {
  it('is valid Amazon States Language in JSONata', () => {
    expect(aslValidator(definition)).toMatchObject({ isValid: true, errors: [] });
    expect(definition.QueryLanguage).toBe('JSONata');
  });

  it('has one state for each step, which invokes that step', () => {
    const functionNames = new Map(
      Object.entries(resources('AWS::Lambda::Function')).map(([id, { Properties }]) => [
        `<${id}.Arn>`,
        Properties.FunctionName,
      ]),
    );

    const invoked = tasks.map(([state, { Arguments }]) => [state, functionNames.get(Arguments.FunctionName)]);

    expect(invoked).toEqual(stepNames.map((step) => [pascalCase(step), `tillflow-production-${step}`]));
  });

  it.each(tasks.map(([name]) => name))('retries %s only after errors that are safe to repeat', (name) => {
    expect(states[name].Retry).toEqual([throttled, retried[name]].flat());
  });

  it.each(tasks.map(([name]) => name))('continues after an error of %s with the state that resolves it', (name) => {
    const catchers = (states[name].Catch ?? []) as { ErrorEquals: string[]; Next: string }[];

    expect(catchers.map(({ ErrorEquals, Next }) => [ErrorEquals, Next])).toEqual(after[name]);
  });

  it('never retries the charge after an unknown outcome, but resolves it in a separate state', () => {
    const errors = states.CreateTransaction.Retry.flatMap((retrier: { ErrorEquals: string[] }) => retrier.ErrorEquals);

    expect(errors).not.toContain(errorName.unknown);
    expect(errors).not.toContain('States.Timeout');
    expect(errors).not.toContain('States.ALL');
    expect(errors).not.toContain('Sandbox.Timedout');
  });

  it.each(['Capture', 'Void'])('reads back what %s sent until two readings can prove that it was not made', (name) => {
    const { IntervalSeconds, BackoffRate, MaxDelaySeconds, MaxAttempts } = states[name].Retry.find(
      (retrier: { ErrorEquals: string[] }) => retrier.ErrorEquals.includes(errorName.unknown),
    );
    const delays = Array.from({ length: MaxAttempts }, (_, n) =>
      Math.min(IntervalSeconds * BackoffRate ** n, MaxDelaySeconds),
    );
    const times = delays.map((_, n) => delays.slice(0, n + 1).reduce((sum, delay) => sum + delay, 0));
    const proving = times.filter((seconds) => seconds >= 20 * 60);

    expect(proving.length).toBeGreaterThanOrEqual(2);
    expect(proving.at(-1)! - proving[0]!).toBeGreaterThanOrEqual(4 * 60);
  });

  it('gives every step only ids, and a task token where it waits', () => {
    const payloads = Object.fromEntries(tasks.map(([name, { Arguments }]) => [name, Arguments.Payload]));
    const taskToken = '{% $states.context.Task.Token %}';

    expect(payloads).toEqual({
      SendSaleRequest: { saleId: '{% $saleId %}' },
      AwaitTerminal: { saleId: '{% $saleId %}', taskToken },
      RetrieveTransaction: '{% $source %}',
      CreateCardToken: '{% $source %}',
      CreateChargeToken: { chargeId: '{% $chargeId %}' },
      AwaitAuthentication: { chargeId: '{% $chargeId %}', taskToken },
      CreateTransaction: { chargeId: '{% $chargeId %}' },
      ReconcileCharge: { chargeId: '{% $chargeId %}' },
      AwaitCapture: { chargeId: '{% $chargeId %}', taskToken },
      Capture: { chargeId: '{% $chargeId %}' },
      Void: { chargeId: '{% $chargeId %}' },
      RecordFailure: '{% $failed %}',
    });
  });

  it('waits for a task token exactly where it passes one', () => {
    for (const [, { Resource, Arguments }] of tasks) {
      expect(Resource.endsWith('.waitForTaskToken')).toBe(Arguments.Payload.taskToken !== undefined);
    }
  });

  it('sets for every step a time limit and the output that it keeps', () => {
    const timeouts = Object.fromEntries(tasks.map(([name, { TimeoutSeconds }]) => [name, TimeoutSeconds]));

    expect(timeouts).toMatchObject({
      SendSaleRequest: 25,
      AwaitTerminal: 6,
      AwaitAuthentication: 600,
      AwaitCapture: expect.stringContaining('$captureBefore'),
      Capture: 25,
    });
    for (const [, state] of tasks) {
      expect([{}, '{% $states.result.Payload %}']).toContainEqual(state.Output);
      expect(state.TimeoutSeconds).toBeDefined();
      for (const catcher of state.Catch ?? []) {
        expect(catcher.Output).toEqual({});
      }
    }
  });

  it('logs every transition and none of the data', () => {
    expect(machine.LoggingConfiguration).toMatchObject({ Level: 'ALL', IncludeExecutionData: false });
    expect(machine.StateMachineType).toBe('STANDARD');
    expect(machine.TracingConfiguration).toEqual({ Enabled: true });
  });
});

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
