/** A DynamoDB of its own for one test file: both tables, on a free port, in memory. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';
import { paymentsTable } from '../../shared/payments/indexes.ts';
import { tokensTable } from '../../shared/tokens/store.ts';

export interface TestDatabase {
  readonly documents: DynamoDBDocumentClient;
  readonly close: () => Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { partitionKey, byMerchant, due, reviews } = paymentsTable;
  const indexes = [byMerchant, due, reviews];
  const indexKeys = indexes.flatMap((index) => [index.partitionKey, index.sortKey]);
  await client.send(
    new CreateTableCommand({
      TableName: 'payments',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
      AttributeDefinitions: [partitionKey, ...indexKeys].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.index,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' },
          { AttributeName: index.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projected] },
      })),
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: 'tokens',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: tokensTable.partitionKey, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: tokensTable.partitionKey, AttributeType: 'S' }],
    }),
  );
  return {
    documents: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    close: async () => {
      client.destroy();
      server.close();
    },
  };
}
