/** The DynamoDB client of a function. A patch takes an attribute away by setting it to undefined. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsClient } from './environment.ts';

export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(awsClient), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
