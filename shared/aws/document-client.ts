/** The DynamoDB client of a function. It drops undefined values, so a write can remove an attribute. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsClient } from './environment.ts';

export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(awsClient), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
