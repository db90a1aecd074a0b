/** The AWS clients a function needs, made once per execution environment and only by the functions that use them. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A patch takes an attribute away by setting it to undefined. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({}), { marshallOptions: { removeUndefinedValues: true } });
}

/** Throws at init when the template forgot a variable, naming it. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`the environment variable ${name} is not set`);
  }
  return value;
}
