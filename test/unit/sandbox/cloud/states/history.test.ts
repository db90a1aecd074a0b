import { describe, expect, it } from 'vitest';
import { answer, functionArn, inTurn, machine, runMachine, throwing, waitingTask } from './machines.ts';

describe('the history of an execution', () => {
  it('links its events, and keeps inputs, arguments, results and variables in full', async () => {
    const task = {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: functionArn, Payload: { id: '{% $states.input.id %}' } },
      TimeoutSeconds: 25,
      Assign: { seen: '{% $states.result.Payload %}' },
      Output: { id: '{% $states.input.id %}' },
      End: true,
    };
    const { run, states } = runMachine(machine({ Step: task }), { play: answer('found') });

    const { arn } = await run({ id: 7 });

    const service = { resource: 'invoke', resourceType: 'lambda' };
    const envelope = '{"ExecutedVersion":"$LATEST","Payload":"found","StatusCode":200}';
    const whole = { truncated: false };
    const parameters = JSON.stringify({ FunctionName: functionArn, Payload: { id: 7 } });
    expect(states.history(arn).map(({ timestamp, ...event }) => event)).toEqual([
      {
        id: 1,
        previousEventId: 0,
        type: 'ExecutionStarted',
        executionStartedEventDetails: {
          input: '{"id":7}',
          inputDetails: whole,
          roleArn: 'arn:aws:iam::000000000000:role/payment',
        },
      },
      {
        id: 2,
        previousEventId: 0,
        type: 'TaskStateEntered',
        stateEnteredEventDetails: { name: 'Step', input: '{"id":7}', inputDetails: whole },
      },
      {
        id: 3,
        previousEventId: 2,
        type: 'TaskScheduled',
        taskScheduledEventDetails: { ...service, parameters, region: 'eu-west-1', timeoutInSeconds: 25 },
      },
      { id: 4, previousEventId: 3, type: 'TaskStarted', taskStartedEventDetails: service },
      {
        id: 5,
        previousEventId: 4,
        type: 'TaskSucceeded',
        taskSucceededEventDetails: { ...service, output: envelope, outputDetails: whole },
      },
      {
        id: 6,
        previousEventId: 5,
        type: 'TaskStateExited',
        stateExitedEventDetails: {
          name: 'Step',
          output: '{"id":7}',
          outputDetails: whole,
          assignedVariables: { seen: '"found"' },
          assignedVariablesDetails: whole,
        },
      },
      {
        id: 7,
        previousEventId: 6,
        type: 'ExecutionSucceeded',
        executionSucceededEventDetails: { output: '{"id":7}', outputDetails: whole },
      },
    ]);
    expect(states.history(arn).every(({ timestamp }) => timestamp > 1e12)).toBe(true);
  });

  it('shows each attempt of a waiting task as submitted, timed out or completed', async () => {
    const retry = [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1 }];
    const { run, states, tokens, eventTypes } = runMachine(
      machine({ W: waitingTask({ TimeoutSeconds: 6, Retry: retry }) }),
    );
    const { arn } = await run({}, 8);
    states.sendTaskSuccess({ taskToken: tokens()[1]!, output: '{}' });
    await new Promise(setImmediate);

    expect(eventTypes(arn)).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      ...['TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskTimedOut'],
      ...['TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskSucceeded'],
      'TaskStateExited',
      'ExecutionSucceeded',
    ]);
  });

  it('names the events of a function ARN after the function', async () => {
    const task = { Type: 'Task', Resource: functionArn, Retry: [{ ErrorEquals: ['Later'] }], End: true };
    const { run, eventTypes } = runMachine(machine({ T: task }), { play: inTurn(throwing('Later'), answer(1)) });

    const { arn } = await run({}, 5);

    expect(eventTypes(arn).slice(2, -2)).toEqual([
      ...['LambdaFunctionScheduled', 'LambdaFunctionStarted', 'LambdaFunctionFailed'],
      ...['LambdaFunctionScheduled', 'LambdaFunctionStarted', 'LambdaFunctionSucceeded'],
    ]);
  });

  it('shows where an evaluation failed, and that the error was caught', async () => {
    const task = {
      Type: 'Task',
      Resource: functionArn,
      Output: { id: '{% $states.result.missing %}' },
      Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'Caught' }],
      End: true,
    };
    const { run, states, eventTypes } = runMachine(machine({ T: task, Caught: { Type: 'Succeed' } }), {
      play: answer({}),
    });

    const { arn } = await run();

    expect(eventTypes(arn).slice(5)).toEqual([
      'EvaluationFailed',
      'TaskStateExited',
      'SucceedStateEntered',
      'SucceedStateExited',
      'ExecutionSucceeded',
    ]);
    expect(states.history(arn)[5]).toMatchObject({
      evaluationFailedEventDetails: { error: 'States.QueryEvaluationError', location: 'Output/id', state: 'T' },
    });
  });
});
