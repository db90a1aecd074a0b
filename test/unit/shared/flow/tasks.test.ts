import { SendTaskFailureCommand, SendTaskSuccessCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { createCompleteTask, createRetryTask } from '../../../../shared/flow/tasks.ts';

/** A client that always gives the same answer and records what it was sent. */
function clientOf(error?: unknown) {
  const sent: { readonly input: unknown }[] = [];
  const send = async (command: { readonly input: unknown }) => {
    sent.push(command);
    if (error !== undefined) {
      throw error;
    }
    return {};
  };
  return { sent, client: { send } as unknown as SFNClient };
}

const failure = (name: string) => Object.assign(new Error(name), { name });

describe('a task that waits', () => {
  it('is completed with success', async () => {
    const { client, sent } = clientOf();

    await createCompleteTask(client)('token');

    expect(sent[0]).toBeInstanceOf(SendTaskSuccessCommand);
    expect(sent.map(({ input }) => input)).toEqual([{ taskToken: 'token', output: '{}' }]);
  });

  it('is failed with an error that the machine retries', async () => {
    const { client, sent } = clientOf();

    await createRetryTask(client)('token', 'TransientError', 'SALE_ENDED');

    expect(sent[0]).toBeInstanceOf(SendTaskFailureCommand);
    expect(sent.map(({ input }) => input)).toEqual([
      { taskToken: 'token', error: 'TransientError', cause: 'SALE_ENDED' },
    ]);
  });

  it.each(['InvalidToken', 'TaskTimedOut', 'TaskDoesNotExist'])(
    'is ignored when it no longer waits for this token (%s)',
    async (name) => {
      await expect(createCompleteTask(clientOf(failure(name)).client)('token')).resolves.toBeUndefined();
      await expect(createRetryTask(clientOf(failure(name)).client)('token', 'E', 'c')).resolves.toBeUndefined();
    },
  );

  it.each([failure('ThrottlingException'), failure('AccessDeniedException'), { name: 'TaskTimedOut' }])(
    'raises an error when Step Functions fails otherwise: %s',
    async (error) => {
      await expect(createCompleteTask(clientOf(error).client)('token')).rejects.toBe(error);
      await expect(createRetryTask(clientOf(error).client)('token', 'E', 'c')).rejects.toBe(error);
    },
  );
});
