/**
 * Asks another function to look at something now, by its key only. A wake-up call may be lost: what it is about stands in the
 * tables with a due time, and the reconciler takes what was missed.
 */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';

export type Wake<K extends object = Readonly<Record<string, string>>> = (key: K) => Promise<void>;

export function createWake<K extends object>(client: LambdaClient, functionName: string): Wake<K> {
  return async (key) => {
    await client.send(
      new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload: JSON.stringify(key) }),
    );
  };
}
