import { describe, expect, it } from 'vitest';
import { functionArn, machine, machineArn, runMachine, waitingTask } from './machines.ts';

const NINETY_DAYS = 90 * 24 * 60 * 60;
const withCode = (code: string) => expect.objectContaining({ code });

describe('the name of an execution', () => {
  it('returns the running execution when it is started again with the same input', async () => {
    const { start, states, invoked, advance } = runMachine(machine({ W: waitingTask() }));

    expect(start({ a: 1 })).toBe(start({ a: 1 }));
    await advance(0);

    expect(invoked).toHaveLength(1);
    expect(states.listExecutions(machineArn)).toHaveLength(1);
  });

  it('is refused with another input', () => {
    const { start } = runMachine(machine({ W: waitingTask() }));
    start({ a: 1 });

    expect(() => start({ a: 2 })).toThrow(withCode('ExecutionAlreadyExists'));
  });

  it('is reserved for 90 days after the execution ended, and free afterwards', async () => {
    const { start, run, advance, states } = runMachine(machine({ Done: { Type: 'Succeed' } }));
    await run({ a: 1 }, NINETY_DAYS - 10);
    expect(() => start({ a: 1 })).toThrow(withCode('ExecutionAlreadyExists'));

    await advance(20);

    expect(start({ a: 1 })).toMatch(/:execution:payment:one$/);
    expect(states.listExecutions()).toHaveLength(1);
  });

  it.each(['', 'with space', 'a/b', 'x'.repeat(81)])('is refused when it is malformed: %j', (name) => {
    const { start } = runMachine(machine({ Done: { Type: 'Succeed' } }));

    expect(() => start({}, name)).toThrow(withCode('InvalidName'));
  });
});

describe('Step Functions', () => {
  it('refuses an unknown machine or execution', () => {
    const { states } = runMachine(machine({ Done: { Type: 'Succeed' } }));
    const input = { name: 'one', input: '{}' };

    expect(() => states.startExecution({ ...input, stateMachineArn: `${machineArn}s` })).toThrow(
      withCode('StateMachineDoesNotExist'),
    );
    expect(() => states.startExecution({ ...input, stateMachineArn: machineArn, input: '{' })).toThrow(
      withCode('InvalidExecutionInput'),
    );
    expect(() => states.describeExecution('arn:gone')).toThrow(withCode('ExecutionDoesNotExist'));
  });

  it('lists executions newest first', async () => {
    const { start, states } = runMachine(machine({ Done: { Type: 'Succeed' } }));
    start({}, 'first');
    start({}, 'second');

    expect(states.listExecutions().map(({ name }) => name)).toEqual(['second', 'first']);
  });

  it('removes every execution when it is cleared, without events', async () => {
    const { run, states, statuses, transitions, advance } = runMachine(
      machine({ T: { Type: 'Wait', Seconds: 10, End: true } }),
    );
    await run();

    states.clear();
    await advance(20);

    expect(states.listExecutions()).toEqual([]);
    expect([statuses.length, transitions.length]).toEqual([1, 1]);
  });

  it('keeps the history of what runs and of the newest ended executions, and the name of all', async () => {
    const choice = { Type: 'Choice', Choices: [{ Condition: '{% $states.input.wait %}', Next: 'W' }], Default: 'D' };
    const { start, states, advance } = runMachine(
      machine({ C: choice, W: { Type: 'Wait', Seconds: 60, End: true }, D: { Type: 'Succeed' } }),
      { histories: 2 },
    );
    const arns: string[] = [];
    for (const [index, wait] of [true, false, false, false].entries()) {
      arns.push(start({ wait }, `run-${index}`));
      await advance(1);
    }

    expect(arns.map((arn) => states.historyDropped(arn))).toEqual([false, true, true, false]);
    expect(arns.map((arn) => states.history(arn).length > 0)).toEqual([true, false, false, true]);
    expect(states.describeExecution(arns[1]!).status).toBe('SUCCEEDED');
    expect(() => start({}, 'run-1')).toThrow(withCode('ExecutionAlreadyExists'));
  });

  it('runs hundreds of executions concurrently', async () => {
    const task = { Type: 'Task', Resource: functionArn, Arguments: '{% $states.context.Execution.Name %}', End: true };
    const { start, states, advance } = runMachine(machine({ T: task }), {
      play: async (payload) => ({ ok: true, payload }),
    });
    const arns = Array.from({ length: 300 }, (_, index) => start({ index }, `run-${index}`));

    await advance(1);

    expect(arns.map((arn) => states.describeExecution(arn).output)).toEqual(arns.map((_, index) => `"run-${index}"`));
  });
});
