/**
 * Invokes another function asynchronously, with the key of an item only. The invocation may be lost: the item has a due
 * time, and the reconciler takes it then.
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
