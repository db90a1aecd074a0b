import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../../../../sandbox/cloud/states/definition.ts';
import { functionArn, machine, waitingTask } from './machines.ts';

const task = { Type: 'Task', Resource: functionArn, End: true };

describe('a definition is refused at load, by name,', () => {
  it.each([
    ['a state type that does not run here', { S: { Type: 'Parallel', Branches: [], End: true } }, 'States.S.Type'],
    ['a field of JSONPath', { S: { ...task, ResultPath: '$.x' } }, 'ResultPath'],
    ['an unknown field', { S: { ...task, Cluster: 1 } }, 'Cluster'],
    ['a resource that does not run here', { S: { ...task, Resource: 'arn:aws:states:::sqs:sendMessage' } }, 'resource'],
    [
      'an argument of lambda:invoke that does not run here',
      { S: waitingTask({ Arguments: { InvocationType: 'Event' } }) },
      'FunctionName and Payload',
    ],
    ['a way on that leads nowhere', { S: { Type: 'Pass', Next: 'Gone' } }, 'no state Gone'],
    [
      'a catcher that leads nowhere',
      { S: { ...task, Catch: [{ ErrorEquals: ['E'], Next: 'Gone' }] } },
      'no state Gone',
    ],
    [
      'a choice that leads nowhere',
      { S: { Type: 'Choice', Choices: [{ Condition: true, Next: 'Gone' }] } },
      'no state Gone',
    ],
    [
      'a default that leads nowhere',
      { S: { Type: 'Choice', Choices: [{ Condition: true, Next: 'S' }], Default: 'Gone' } },
      'no state Gone',
    ],
    ['no way on', { S: { Type: 'Pass' } }, 'Next or End'],
    ['two ways on', { S: { Type: 'Pass', Next: 'S', End: true } }, 'Next or End'],
    ['a wait for nothing', { S: { Type: 'Wait', End: true } }, 'Seconds or Timestamp'],
    ['text that is no JSONata', { S: { ...task, Arguments: { a: ['{% 1 + %}'] } } }, 'not valid JSONata'],
    ['half an expression', { S: { ...task, Arguments: '{% 1' } }, 'must begin with {% and end with %}'],
    [
      'a condition that is no expression',
      { S: { Type: 'Choice', Choices: [{ Condition: '1 = 1', Next: 'S' }] } },
      'Condition',
    ],
    ['a variable named states', { S: { ...task, Assign: { states: 1 } } }, 'Assign'],
    ['States.ALL in company', { S: { ...task, Retry: [{ ErrorEquals: ['E', 'States.ALL'] }] } }, 'alone and last'],
    [
      'States.ALL before others',
      { S: { ...task, Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] } },
      'alone and last',
    ],
    [
      'a greatest delay below the first',
      { S: { ...task, Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 5, MaxDelaySeconds: 5 }] } },
      'MaxDelaySeconds',
    ],
    [
      'heartbeats slower than the time-out',
      { S: { ...task, TimeoutSeconds: 5, HeartbeatSeconds: 5 } },
      'HeartbeatSeconds',
    ],
  ])('for %s', (_, states, named) => {
    expect(() => parseDefinition(machine(states))).toThrow(named);
  });

  it('for JSONPath as its language, and for an unknown start', () => {
    expect(() => parseDefinition({ StartAt: 'S', States: { S: task } })).toThrow('QueryLanguage');
    expect(() => parseDefinition(machine({ S: task }, { StartAt: 'Gone' }))).toThrow('no state Gone');
  });
});
