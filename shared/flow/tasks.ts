/**
 * Wakes a state that waits on its task token. A token that has expired or was used already is not an error: the decision
 * is in the item, and the attempt that waits now reads the item first.
 */
import { SendTaskFailureCommand, SendTaskSuccessCommand, type SFNClient } from '@aws-sdk/client-sfn';

export type CompleteTask = (taskToken: string) => Promise<void>;
/** Fails the waiting attempt with an error that the state machine retries, so that the next attempt starts at once. */
export type RetryTask = (taskToken: string, error: string, cause: string) => Promise<void>;

const STALE = new Set(['InvalidToken', 'TaskTimedOut', 'TaskDoesNotExist']);

export function createCompleteTask(client: SFNClient): CompleteTask {
  return (taskToken) => ignoringStale(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })));
}

export function createRetryTask(client: SFNClient): RetryTask {
  return (taskToken, error, cause) =>
    ignoringStale(client.send(new SendTaskFailureCommand({ taskToken, error, cause })));
}

async function ignoringStale(sent: Promise<unknown>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!(error instanceof Error && STALE.has(error.name))) {
      throw error;
    }
  }
}
