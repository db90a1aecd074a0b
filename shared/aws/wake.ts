/**
 * Wakes another function: invokes it asynchronously with the key of an item. A call may be lost. Then the reconciler finds
 * the item when it is due.
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
