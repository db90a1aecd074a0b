/** The `payments` table as a function knows it from its environment variables. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../aws/document-client.ts';
import { environmentVariable } from '../aws/environment.ts';
import { createPayments, type Payments } from './store.ts';

export function paymentsFromEnvironment(client: DynamoDBDocumentClient = documentClient()): Payments {
  const dueShards = Number(environmentVariable('DUE_SHARDS'));
  return createPayments(client, { name: environmentVariable('PAYMENTS_TABLE'), dueShards });
}
