import { describe, expect, it } from 'vitest';
import { answer, functionArn, inTurn, machine, runMachine, throwing, waitingTask } from './machines.ts';

const direct = { Type: 'Task', Resource: functionArn, End: true };
const invoking = {
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: functionArn, Payload: { id: '{% $states.input.id %}' } },
  End: true,
};
const hanging = () => new Promise<never>(() => undefined);
const withCode = (code: string) => expect.objectContaining({ code });

describe('a task', () => {
  it('with a function ARN passes its arguments, or else its input, and returns the answer itself', async () => {
    const { run, invoked } = runMachine(
      machine({
        Plain: { ...direct, End: undefined, Next: 'Shaped' },
        Shaped: { ...direct, Arguments: { n: 1 }, Output: { got: '{% $states.result %}' } },
      }),
      { play: answer('yes') },
    );

    const { result } = await run({ id: 7 });

    expect(invoked.map(({ payload }) => payload)).toEqual([{ id: 7 }, { n: 1 }]);
    expect(result).toEqual({ got: 'yes' });
  });

  it('with lambda:invoke returns the envelope of the answer', async () => {
    const { run, invoked } = runMachine(machine({ T: invoking }), { play: answer({ state: 'paid' }) });

    const { result } = await run({ id: 7 });

    expect(invoked[0]?.payload).toEqual({ id: 7 });
    expect(result).toEqual({ ExecutedVersion: '$LATEST', Payload: { state: 'paid' }, StatusCode: 200 });
  });

  it('fails with the name of the function’s error, and its report as cause', async () => {
    const { run } = runMachine(machine({ T: invoking }), { play: throwing('RejectedError', 'DECLINED: no') });

    const { status, error, cause } = await run({ id: 7 });

    expect([status, error]).toEqual(['FAILED', 'RejectedError']);
    expect(JSON.parse(cause ?? '')).toEqual({ errorType: 'RejectedError', errorMessage: 'DECLINED: no' });
  });

  it('fails when the role of its machine may not invoke the function', async () => {
    const { run, denied, invoked } = runMachine(machine({ T: invoking }));
    denied.add(functionArn);

    expect(await run({ id: 7 })).toMatchObject({ error: 'Lambda.AWSLambdaException' });
    expect(invoked).toEqual([]);
  });

  it('times out while its function still runs, and ignores a late answer', async () => {
    const { run } = runMachine(machine({ T: { ...invoking, TimeoutSeconds: '{% 5 + 1 %}' } }), { play: hanging });

    expect(await run({ id: 7 }, 5)).toMatchObject({ status: 'RUNNING' });
    expect(
      await runMachine(machine({ T: { ...invoking, TimeoutSeconds: 6 } }), { play: hanging }).run({ id: 7 }, 7),
    ).toMatchObject({
      status: 'FAILED',
      error: 'States.Timeout',
    });
  });

  it('continues with the first matching catcher, and the error as output unless the catcher shapes it', async () => {
    const catches = [
      { ErrorEquals: ['Other'], Next: 'Wrong' },
      { ErrorEquals: ['RejectedError'], Next: 'Caught', Assign: { name: '{% $states.errorOutput.Error %}' } },
      { ErrorEquals: ['States.ALL'], Next: 'Wrong' },
    ];
    const { run } = runMachine(
      machine({
        T: { ...direct, Catch: catches },
        Wrong: { Type: 'Fail', Error: 'Wrong' },
        Caught: { Type: 'Succeed', Output: '{% [$name, $states.input.Error, $exists($states.input.Cause)] %}' },
      }),
      { play: throwing('RejectedError') },
    );

    expect((await run()).result).toEqual(['RejectedError', 'RejectedError', true]);
  });

  it('refuses data over 256 KiB, which no catch-all catches', async () => {
    const catches = [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }];
    const big = answer('x'.repeat(256 * 1024));
    const { run } = runMachine(machine({ T: { ...direct, Catch: catches }, Caught: { Type: 'Succeed' } }), {
      play: big,
    });

    expect(await run()).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });
});

describe('a retrier', () => {
  const retrying = (...Retry: object[]) => machine({ T: { ...direct, Retry } });
  const gaps = (invoked: { at: number }[]) =>
    invoked.slice(1).map(({ at }, index) => Math.floor((at - invoked[index]!.at) / 1000));

  it('retries with growing delays up to the maximum, then passes on the error', async () => {
    const retrier = {
      ErrorEquals: ['Later'],
      IntervalSeconds: 30,
      BackoffRate: 2,
      MaxDelaySeconds: 100,
      MaxAttempts: 4,
    };
    const { run, invoked } = runMachine(retrying(retrier), { play: throwing('Later') });

    expect(await run({}, 1000)).toMatchObject({ status: 'FAILED', error: 'Later' });
    expect(gaps(invoked)).toEqual([30, 60, 100, 100]);
  });

  it('waits a random part of the delay with full jitter', async () => {
    const retrier = { ErrorEquals: ['Later'], IntervalSeconds: 100, MaxAttempts: 1, JitterStrategy: 'FULL' };
    const { run, invoked } = runMachine(retrying(retrier), { play: throwing('Later'), random: () => 0.25 });

    await run({}, 100);

    expect(gaps(invoked)).toEqual([25]);
  });

  it('counts its own attempts separately', async () => {
    const play = inTurn(throwing('A'), throwing('B'), throwing('A'), answer('done'));
    const { run } = runMachine(
      retrying({ ErrorEquals: ['A'], MaxAttempts: 2 }, { ErrorEquals: ['B'], MaxAttempts: 1 }),
      { play },
    );

    expect(await run({}, 10)).toMatchObject({ status: 'SUCCEEDED', result: 'done' });
  });

  it('starts again with each visit of its state', async () => {
    const task = {
      Type: 'Task',
      Resource: functionArn,
      Retry: [{ ErrorEquals: ['Later'], MaxAttempts: 1 }],
      Next: 'Again',
    };
    const again = {
      Type: 'Choice',
      Choices: [{ Condition: "{% $states.input = 'end' %}", Next: 'End' }],
      Default: 'T',
    };
    const play = inTurn(throwing('Later'), answer('on'), throwing('Later'), answer('end'));
    const { run } = runMachine(machine({ T: task, Again: again, End: { Type: 'Succeed' } }), { play });

    expect(await run({}, 10)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it.each([
    ['States.TaskFailed', 'Anything', true],
    ['States.TaskFailed', 'States.Timeout', false],
    ['States.ALL', 'States.Timeout', true],
    ['States.Timeout', 'States.HeartbeatTimeout', true],
    ['States.ALL', 'States.Runtime', false],
    ['States.ALL', 'States.DataLimitExceeded', false],
  ])('for %s handles %s: %s', async (named, error, answers) => {
    const { run } = runMachine(retrying({ ErrorEquals: [named] }), { play: inTurn(throwing(error), answer('again')) });

    expect((await run({}, 10)).status).toBe(answers ? 'SUCCEEDED' : 'FAILED');
  });

  it('provides the retry count to the arguments', async () => {
    const task = {
      ...direct,
      Arguments: '{% $states.context.State.RetryCount %}',
      Retry: [{ ErrorEquals: ['Later'] }],
    };
    const { run, invoked } = runMachine(machine({ T: task }), { play: inTurn(throwing('Later'), answer(null)) });

    await run({}, 10);

    expect(invoked.map(({ payload }) => payload)).toEqual([0, 1]);
  });
});

describe('a task that waits for its token', () => {
  it('is completed by the token, not by its function', async () => {
    const { run, states, tokens } = runMachine(machine({ W: waitingTask() }), { play: answer('submitted') });
    const { arn, status } = await run({}, 3600);

    states.sendTaskSuccess({ taskToken: tokens()[0]!, output: '{"ok":true}' });
    await Promise.resolve();
    await new Promise(setImmediate);

    expect(status).toBe('RUNNING');
    expect(states.describeExecution(arn)).toMatchObject({ status: 'SUCCEEDED', output: '{"ok":true}' });
  });

  it('can be completed before its function has answered', async () => {
    const { run, states, tokens } = runMachine(machine({ W: waitingTask() }), { play: hanging });
    const { arn } = await run();

    states.sendTaskSuccess({ taskToken: tokens()[0]!, output: '1' });
    await new Promise(setImmediate);

    expect(states.describeExecution(arn).status).toBe('SUCCEEDED');
  });

  it('fails as the holder of the token reports', async () => {
    const { run, states, tokens } = runMachine(machine({ W: waitingTask() }));
    const { arn } = await run();

    states.sendTaskFailure({ taskToken: tokens()[0]!, error: 'Refused', cause: 'no' });
    await new Promise(setImmediate);

    expect(states.describeExecution(arn)).toMatchObject({ status: 'FAILED', error: 'Refused', cause: 'no' });
  });

  it('fails when its function fails', async () => {
    const { run } = runMachine(machine({ W: waitingTask() }), { play: throwing('FaultError') });

    expect(await run()).toMatchObject({ status: 'FAILED', error: 'FaultError' });
  });

  it('gets a new token for each attempt, and closes the previous one', async () => {
    const retry = { Retry: [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 40 }] };
    const { run, states, tokens } = runMachine(machine({ W: waitingTask({ TimeoutSeconds: 6, ...retry }) }));
    const { arn } = await run({}, 8);
    const [first, second] = tokens();

    expect(tokens()).toHaveLength(2);
    expect(() => states.sendTaskSuccess({ taskToken: first!, output: '1' })).toThrow(withCode('TaskTimedOut'));
    states.sendTaskSuccess({ taskToken: second!, output: '2' });
    await new Promise(setImmediate);
    expect(states.describeExecution(arn)).toMatchObject({ status: 'SUCCEEDED', output: '2' });
  });

  it('times out when heartbeats stop, and not while they arrive', async () => {
    const { run, states, tokens, advance } = runMachine(machine({ W: waitingTask({ HeartbeatSeconds: 10 }) }));
    const { arn } = await run({}, 8);
    states.sendTaskHeartbeat({ taskToken: tokens()[0]! });
    await advance(8);
    expect(states.describeExecution(arn).status).toBe('RUNNING');

    await advance(3);

    expect(states.describeExecution(arn)).toMatchObject({ status: 'FAILED', error: 'States.HeartbeatTimeout' });
  });

  it('distinguishes malformed and unknown tokens, and knows the machine of a token', async () => {
    const { run, states, tokens } = runMachine(machine({ W: waitingTask() }));
    await run();
    const issued = tokens()[0]!;
    const another = issued.slice(0, -8) + (issued.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA');

    expect(() => states.sendTaskHeartbeat({ taskToken: 'nonsense' })).toThrow(withCode('InvalidToken'));
    expect(() => states.sendTaskHeartbeat({ taskToken: another })).toThrow(withCode('TaskDoesNotExist'));
    expect(() => states.sendTaskSuccess({ taskToken: issued, output: 'no JSON' })).toThrow(withCode('InvalidOutput'));
    expect([states.machineOf(issued), states.machineOf(another)]).toEqual([
      expect.stringMatching(/:payment$/),
      undefined,
    ]);
  });
});
