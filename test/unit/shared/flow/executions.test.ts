import { DescribeExecutionCommand, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { createExecutions, createStateOfExecution, executionName } from '../../../../shared/flow/executions.ts';

const MACHINE = 'arn:aws:states:eu-central-1:1:stateMachine:tillflow-test-payment';
const EXECUTION = 'arn:aws:states:eu-central-1:1:execution:tillflow-test-payment:sale-1';
const INPUT = { saleId: 'sale-1', cardId: null, chargeId: null };

/** A client that always gives the same answer and records what it was sent. */
function clientOf(answer: object | Error) {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    sent.push(command);
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  };
  return { sent, client: { send } as unknown as SFNClient };
}

const failure = (name: string) => Object.assign(new Error(name), { name });

describe('start of an execution', () => {
  it('starts the machine under the name of the item that it drives', async () => {
    const { client, sent } = clientOf({});

    await createExecutions(client, MACHINE).start('sale-1', INPUT);

    expect(sent).toHaveLength(1);
    expect(sent[0]).toBeInstanceOf(StartExecutionCommand);
    expect(sent[0]).toMatchObject({
      input: { stateMachineArn: MACHINE, name: 'sale-1', input: JSON.stringify(INPUT) },
    });
  });

  it('succeeds when the execution was started before', async () => {
    const { client } = clientOf(failure('ExecutionAlreadyExists'));

    await expect(createExecutions(client, MACHINE).start('sale-1', INPUT)).resolves.toBeUndefined();
  });

  it.each(['ServiceUnavailable', 'AccessDeniedException', 'TimeoutError', 'StateMachineDoesNotExist'])(
    'fails when Step Functions answers %s',
    async (name) => {
      const { client } = clientOf(failure(name));

      await expect(createExecutions(client, MACHINE).start('sale-1', INPUT)).rejects.toMatchObject({ name });
    },
  );

  it('derives the ARN from the name and the name from the ARN', () => {
    expect(createExecutions(clientOf({}).client, MACHINE).arnOf('sale-1')).toBe(EXECUTION);
    expect(executionName(EXECUTION)).toBe('sale-1');
  });
});

describe('the state of an execution', () => {
  it.each([
    ['RUNNING', 'running'],
    ['SUCCEEDED', 'ended'],
    ['FAILED', 'ended'],
    ['TIMED_OUT', 'ended'],
    ['ABORTED', 'ended'],
    ['PENDING_REDRIVE', 'ended'],
  ])('reads the status %s as %s', async (status, state) => {
    const { client, sent } = clientOf({ status });

    expect(await createStateOfExecution(client)(EXECUTION)).toBe(state);
    expect(sent[0]).toBeInstanceOf(DescribeExecutionCommand);
    expect(sent[0]).toMatchObject({ input: { executionArn: EXECUTION } });
  });

  it('is absent when the execution was never started', async () => {
    expect(await createStateOfExecution(clientOf(failure('ExecutionDoesNotExist')).client)(EXECUTION)).toBe('absent');
  });

  it('is unknown, not absent, when Step Functions cannot be read', async () => {
    const { client } = clientOf(failure('ThrottlingException'));

    await expect(createStateOfExecution(client)(EXECUTION)).rejects.toMatchObject({ name: 'ThrottlingException' });
  });
});
