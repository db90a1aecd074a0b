import { expect, it } from 'vitest';
import { tableAccess } from '../../../../../sandbox/cloud/aws/table-access.ts';
import type { TableDefinition } from '../../../../../sandbox/cloud/aws/tables.ts';

const hash = (AttributeName: string) => [{ AttributeName, KeyType: 'HASH' as const }];
const payments: TableDefinition = {
  name: 'payments',
  arn: 'arn:payments',
  keySchema: hash('pk'),
  indexes: new Map([['due', hash('gate')]]),
  ttlAttribute: undefined,
  keyArn: undefined,
  createInput: {},
};
const TableName = 'payments';
const access = (operation: string, input: object) =>
  tableAccess(operation, { TableName, ...input }, [payments]).map(({ resource, leadingKeys, writes }) => ({
    resource,
    leadingKeys,
    writes,
  }));

it.each([
  ['GetItem', { Key: { pk: { S: 'sale#1' } } }, 0],
  ['PutItem', { Item: { pk: { S: 'sale#1' }, amount: { N: '1' } } }, 1],
  ['UpdateItem', { Key: { pk: { S: 'sale#1' } } }, 1],
  ['DeleteItem', { Key: { pk: { S: 'sale#1' } } }, 1],
  ['Query', { KeyConditionExpression: 'pk = :k', ExpressionAttributeValues: { ':k': { S: 'sale#1' } } }, 0],
])('finds the leading key of %s', (operation, input, writes) => {
  expect(access(operation, input)).toEqual([{ resource: 'arn:payments', leadingKeys: ['sale#1'], writes }]);
});

it('uses the partition key of the index for a query of the index', () => {
  const query = {
    IndexName: 'due',
    KeyConditionExpression: '#g = :g AND #at < :now',
    ExpressionAttributeNames: { '#g': 'gate', '#at': 'at' },
    ExpressionAttributeValues: { ':g': { S: 'open' }, ':now': { N: '1' } },
  };

  expect(access('Query', query)).toEqual([{ resource: 'arn:payments/index/due', leadingKeys: ['open'], writes: 0 }]);
});

it('counts every item of a batch', () => {
  const RequestItems = {
    payments: [{ PutRequest: { Item: { pk: { S: 'a#1' } } } }, { DeleteRequest: { Key: { pk: { S: 'b#2' } } } }],
  };

  expect(access('BatchWriteItem', { RequestItems })).toEqual([
    { resource: 'arn:payments', leadingKeys: ['a#1', 'b#2'], writes: 2 },
  ]);
});

it('refuses an operation that it cannot check', () => {
  expect(() => access('ExecuteStatement', {})).toThrow('ExecuteStatement');
  expect(() => access('GetItem', { TableName: 'other' })).toThrow('other');
});
