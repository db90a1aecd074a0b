import { describe, expect, it } from 'vitest';
import { answer, functionArn, inTurn, machine, machineArn, runMachine, throwing, waitingTask } from './machines.ts';

const done = { Type: 'Succeed' };

describe('an execution', () => {
  it('passes the output of each state to the next, and ends with the last output', async () => {
    const { run } = runMachine(
      machine({
        First: { Type: 'Pass', Output: { doubled: '{% $states.input.n * 2 %}' }, Next: 'Last' },
        Last: { Type: 'Succeed', Output: { got: '{% $states.input.doubled %}' } },
      }),
    );

    expect(await run({ n: 21 })).toMatchObject({ status: 'SUCCEEDED', result: { got: 42 } });
  });

  it('keeps variables across states, and evaluates output and assignments with the earlier values', async () => {
    const { run } = runMachine(
      machine({
        Set: { Type: 'Pass', Assign: { id: 'first' }, Next: 'Change' },
        Change: { Type: 'Pass', Assign: { id: 'second', old: '{% $id %}' }, Output: '{% $id %}', Next: 'Tell' },
        Tell: { Type: 'Succeed', Output: '{% [$states.input, $id, $old] %}' },
      }),
    );

    expect(await run()).toMatchObject({ result: ['first', 'second', 'first'] });
  });

  it('follows the first choice that holds, with its own output and assignments', async () => {
    const choose = {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.n > 10 %}', Next: 'Big', Assign: { size: 'big' }, Output: 'from the rule' },
        { Condition: '{% $states.input.n > 5 %}', Next: 'Big', Assign: { size: 'medium' } },
      ],
      Default: 'Big',
      Assign: { size: 'small' },
    };
    const definition = machine({ Choose: choose, Big: { Type: 'Succeed', Output: '{% [$size, $states.input] %}' } });

    expect((await runMachine(definition).run({ n: 11 })).result).toEqual(['big', 'from the rule']);
    expect((await runMachine(definition).run({ n: 6 })).result).toEqual(['medium', { n: 6 }]);
    expect((await runMachine(definition).run({ n: 1 })).result).toEqual(['small', { n: 1 }]);
  });

  it('fails when no choice holds and there is no default', async () => {
    const { run } = runMachine(machine({ C: { Type: 'Choice', Choices: [{ Condition: false, Next: 'D' }] }, D: done }));

    expect(await run()).toMatchObject({ status: 'FAILED', error: 'States.NoChoiceMatched' });
  });

  it('fails with the error of a Fail state', async () => {
    const { run } = runMachine(
      machine({ F: { Type: 'Fail', Error: 'Broken', Cause: "{% 'because ' & $states.input %}" } }),
    );

    expect(await run('of it')).toMatchObject({ status: 'FAILED', error: 'Broken', cause: 'because of it' });
  });

  it('waits by the virtual clock, for seconds or until a time', async () => {
    const { run, clock } = runMachine(
      machine({
        ByTime: { Type: 'Wait', Timestamp: '{% $states.input %}', Next: 'BySeconds' },
        BySeconds: { Type: 'Wait', Seconds: '{% 30 * 2 %}', End: true },
      }),
    );
    const startedAt = clock.now();

    const { status, stopDate } = await run(new Date(startedAt + 86_400_000).toISOString(), 90_000);

    expect(status).toBe('SUCCEEDED');
    expect((stopDate ?? 0) - startedAt).toBeGreaterThanOrEqual(86_460_000);
    expect((stopDate ?? 0) - startedAt).toBeLessThan(86_461_000);
  });

  it('gives states their context, with a token only in a waiting task', async () => {
    const { run } = runMachine(machine({ S: { Type: 'Succeed', Output: '{% $states.context %}' } }));

    expect((await run({ a: 1 })).result).toEqual({
      Execution: {
        Id: 'arn:aws:states:eu-west-1:000000000000:execution:payment:one',
        Input: { a: 1 },
        Name: 'one',
        RoleArn: 'arn:aws:iam::000000000000:role/payment',
        StartTime: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      State: { Name: 'S', EnteredTime: expect.stringMatching(/Z$/), RetryCount: 0 },
      StateMachine: { Id: machineArn, Name: 'payment' },
    });
  });

  it('ends with the timeout of its machine, together with its task', async () => {
    const { run, states, tokens } = runMachine(machine({ W: waitingTask() }, { TimeoutSeconds: 60 }));

    const { status, arn } = await run({}, 61);

    expect(status).toBe('TIMED_OUT');
    expect(states.history(arn).at(-1)?.type).toBe('ExecutionTimedOut');
    expect(() => states.sendTaskSuccess({ taskToken: tokens()[0]!, output: '{}' })).toThrow(
      expect.objectContaining({ code: 'TaskTimedOut' }),
    );
  });

  it('does nothing more after it was stopped', async () => {
    const play = inTurn(throwing('Later'), answer(null));
    const again = { Type: 'Task', Resource: functionArn, Retry: [{ ErrorEquals: ['Later'] }], End: true };
    const { run, states, invoked, advance, transitions } = runMachine(machine({ T: again }), { play });
    const { arn } = await run();

    states.stopExecution({ executionArn: arn, error: 'Stopped', cause: 'by hand' });
    const seen = transitions.length;
    await advance(60);

    expect(states.describeExecution(arn)).toMatchObject({ status: 'ABORTED', error: 'Stopped', cause: 'by hand' });
    expect(invoked).toHaveLength(1);
    expect(transitions).toHaveLength(seen);
    expect(states.history(arn).at(-1)).toMatchObject({
      type: 'ExecutionAborted',
      executionAbortedEventDetails: { error: 'Stopped', cause: 'by hand' },
    });
  });

  it('does nothing more after its end, whatever is due or completed at the same moment', async () => {
    const again = { TimeoutSeconds: 60, Retry: [{ ErrorEquals: ['States.ALL'] }] };
    const { run, states, invoked, tokens, start, advance, eventTypes } = runMachine(
      machine({ W: waitingTask(again) }, { TimeoutSeconds: 60 }),
    );
    const { arn } = await run({}, 600);
    const other = start({}, 'two');
    await advance(0);
    states.sendTaskSuccess({ taskToken: tokens().at(-1)!, output: '{}' });
    states.stopExecution({ executionArn: other });
    await advance(600);

    expect(invoked).toHaveLength(2);
    expect(states.transitions(arn)).toBe(1);
    expect(eventTypes(arn).at(-1)).toBe('ExecutionTimedOut');
    expect(eventTypes(other).at(-1)).toBe('ExecutionAborted');
  });

  it.each(['exited', 'retried'])('does not continue when it is stopped while a state is %s', async (type) => {
    const task = { Type: 'Task', Resource: functionArn, Retry: [{ ErrorEquals: ['Later'] }], Next: 'Second' };
    const second = { ...task, Next: undefined, End: true };
    const { run, states, invoked, advance } = runMachine(machine({ First: task, Second: second }), {
      play: type === 'retried' ? throwing('Later') : answer(null),
      onTransition: (transition) => {
        if (transition.type === type) {
          states.stopExecution({ executionArn: states.listExecutions()[0]!.executionArn });
        }
      },
    });

    const { arn } = await run();
    await advance(60);

    expect(invoked).toHaveLength(1);
    expect(states.describeExecution(arn).status).toBe('ABORTED');
    expect(states.history(arn).at(-1)?.type).toBe('ExecutionAborted');
  });

  it('fails in a loop when its history reaches the maximum length', async () => {
    const { run } = runMachine(machine({ A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } }));

    expect(await run()).toMatchObject({ status: 'FAILED', cause: expect.stringContaining('25000') });
  });

  it('counts states entered and retries as transitions, and reports each as it happens', async () => {
    const play = inTurn(throwing('Later'), throwing('Later'), answer('x'));
    const task = { Type: 'Task', Resource: functionArn, Retry: [{ ErrorEquals: ['Later'] }], Next: 'Done' };
    const { run, states, transitions } = runMachine(machine({ T: task, Done: done }), { play });

    const { arn } = await run({}, 60);

    expect(states.transitions(arn)).toBe(4);
    expect(transitions.map(({ state, type }) => `${state} ${type}`)).toEqual([
      'T entered',
      'T retried',
      'T retried',
      'T exited',
      'Done entered',
      'Done exited',
    ]);
    expect(transitions[3]?.durationMs).toBeGreaterThanOrEqual(3000);
  });

  it('reports every change of its status', async () => {
    const { run, statuses } = runMachine(machine({ Done: done }));

    await run({ a: 1 });

    expect(statuses.map(({ status }) => status)).toEqual(['RUNNING', 'SUCCEEDED']);
    expect(statuses[1]).toMatchObject({
      name: 'one',
      stateMachineArn: machineArn,
      input: '{"a":1}',
      output: '{"a":1}',
    });
  });
});
