/**
 * Waking a state that waits on its task token. A token that nobody waits for any more is no error: what was decided
 * stands in the item, and the attempt that waits now reads it first.
 */
import { SendTaskFailureCommand, SendTaskSuccessCommand, type SFNClient } from '@aws-sdk/client-sfn';

export type CompleteTask = (taskToken: string) => Promise<void>;
/** Ends the attempt that waits with an error the state machine retries, so that the next one starts at once. */
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
