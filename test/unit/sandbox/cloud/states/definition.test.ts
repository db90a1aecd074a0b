import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../../../../sandbox/cloud/states/definition.ts';
import { functionArn, machine, waitingTask } from './machines.ts';

const task = { Type: 'Task', Resource: functionArn, End: true };

describe('the definition of a state machine', () => {
  it.each([
    ['an unsupported state type', { S: { Type: 'Parallel', Branches: [], End: true } }, 'States.S.Type'],
    ['a JSONPath field', { S: { ...task, ResultPath: '$.x' } }, 'ResultPath'],
    ['an unknown field', { S: { ...task, Cluster: 1 } }, 'Cluster'],
    ['an unsupported resource', { S: { ...task, Resource: 'arn:aws:states:::sqs:sendMessage' } }, 'resource'],
    [
      'an unsupported argument of lambda:invoke',
      { S: waitingTask({ Arguments: { InvocationType: 'Event' } }) },
      'FunctionName and Payload',
    ],
    ['a Next that leads nowhere', { S: { Type: 'Pass', Next: 'Gone' } }, 'no state Gone'],
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
    ['neither Next nor End', { S: { Type: 'Pass' } }, 'Next or End'],
    ['both Next and End', { S: { Type: 'Pass', Next: 'S', End: true } }, 'Next or End'],
    ['a wait without a duration', { S: { Type: 'Wait', End: true } }, 'Seconds or Timestamp'],
    ['invalid JSONata', { S: { ...task, Arguments: { a: ['{% 1 + %}'] } } }, 'not valid JSONata'],
    ['half an expression', { S: { ...task, Arguments: '{% 1' } }, 'must begin with {% and end with %}'],
    [
      'a condition that is not an expression',
      { S: { Type: 'Choice', Choices: [{ Condition: '1 = 1', Next: 'S' }] } },
      'Condition',
    ],
    ['a variable named states', { S: { ...task, Assign: { states: 1 } } }, 'Assign'],
    [
      'States.ALL beside another error',
      { S: { ...task, Retry: [{ ErrorEquals: ['E', 'States.ALL'] }] } },
      'alone and last',
    ],
    [
      'States.ALL before other retriers',
      { S: { ...task, Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] } },
      'alone and last',
    ],
    [
      'a maximum delay below the first delay',
      { S: { ...task, Retry: [{ ErrorEquals: ['E'], IntervalSeconds: 5, MaxDelaySeconds: 5 }] } },
      'MaxDelaySeconds',
    ],
    [
      'a heartbeat interval above the timeout',
      { S: { ...task, TimeoutSeconds: 5, HeartbeatSeconds: 5 } },
      'HeartbeatSeconds',
    ],
  ])('is refused at load for %s', (_, states, named) => {
    expect(() => parseDefinition(machine(states))).toThrow(named);
  });

  it('is refused at load for JSONPath as its language, and for an unknown start', () => {
    expect(() => parseDefinition({ StartAt: 'S', States: { S: task } })).toThrow('QueryLanguage');
    expect(() => parseDefinition(machine({ S: task }, { StartAt: 'Gone' }))).toThrow('no state Gone');
  });
});
