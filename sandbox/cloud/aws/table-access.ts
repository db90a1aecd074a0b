/** What a DynamoDB request touches: the resources and leading keys that IAM checks, and how many items it writes. */
import { AwsError } from '../seams.ts';
import { hashKeyOf, type TableDefinition } from './tables.ts';

export interface TableAccess {
  readonly table: TableDefinition;
  /** The ARN of the table or of the index. */
  readonly resource: string;
  /** The values of the partition key, as in `dynamodb:LeadingKeys`. */
  readonly leadingKeys: readonly string[];
  readonly writes: number;
}

type AttributeValue = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, AttributeValue>>;

interface TableInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

export function tableAccess(operation: string, input: TableInput, tables: readonly TableDefinition[]): TableAccess[] {
  const tableNamed = (name: string | undefined): TableDefinition => {
    const table = tables.find((table) => table.name === name || table.arn === name);
    if (table === undefined) {
      throw new AwsError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`);
    }
    return table;
  };
  const touch = (table: TableDefinition, keys: readonly Item[], writes: number): TableAccess => ({
    table,
    resource: table.arn,
    leadingKeys: keys.flatMap((key) => scalar(key[hashKeyOf(table.keySchema)])),
    writes,
  });

  switch (operation) {
    case 'GetItem':
      return [touch(tableNamed(input.TableName), [input.Key ?? {}], 0)];
    case 'UpdateItem':
    case 'DeleteItem':
      return [touch(tableNamed(input.TableName), [input.Key ?? {}], 1)];
    case 'PutItem':
      return [touch(tableNamed(input.TableName), [input.Item ?? {}], 1)];
    case 'Query':
    case 'Scan':
      return [searched(tableNamed(input.TableName), input)];
    case 'DescribeTable':
      return [touch(tableNamed(input.TableName), [], 0)];
    case 'BatchGetItem':
      return Object.entries(input.RequestItems ?? {}).map(([name, request]) =>
        touch(tableNamed(name), (request as { Keys: Item[] }).Keys, 0),
      );
    case 'BatchWriteItem':
      return Object.entries(input.RequestItems ?? {}).map(([name, requests]) => {
        const items = (requests as { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]).map(
          ({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {},
        );
        return touch(tableNamed(name), items, items.length);
      });
    default:
      throw new AwsError(
        'UnknownOperationException',
        `the local cloud does not know the DynamoDB operation ${operation}`,
      );
  }
}

function searched(table: TableDefinition, input: TableInput): TableAccess {
  const { IndexName, KeyConditionExpression: expression = '' } = input;
  const keySchema = IndexName === undefined ? table.keySchema : table.indexes.get(IndexName);
  if (keySchema === undefined) {
    throw new AwsError('ValidationException', `The table does not have the specified index: ${IndexName}`);
  }
  const hashKey = hashKeyOf(keySchema);
  const equalities = [...expression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)];
  const partition = equalities.find(([, name = '']) => (input.ExpressionAttributeNames?.[name] ?? name) === hashKey);
  return {
    table,
    resource: IndexName === undefined ? table.arn : `${table.arn}/index/${IndexName}`,
    leadingKeys: scalar(input.ExpressionAttributeValues?.[partition?.[2] ?? '']),
    writes: 0,
  };
}

function scalar(value: AttributeValue | undefined): string[] {
  const given = value?.['S'] ?? value?.['N'];
  return typeof given === 'string' ? [given] : [];
}
