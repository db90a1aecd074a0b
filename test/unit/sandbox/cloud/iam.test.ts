import { expect, it } from 'vitest';
import { isAllowed, like, type Statement } from '../../../../sandbox/cloud/iam.ts';

const table = 'arn:aws:dynamodb:eu-central-1:000000000000:table/tokens';
const allow = (more: Partial<Statement>): Statement => ({
  Effect: 'Allow',
  Action: 'dynamodb:GetItem',
  Resource: table,
  ...more,
});
const get = (...leadingKeys: string[]) => ({
  action: 'dynamodb:GetItem',
  resource: table,
  context: { 'dynamodb:LeadingKeys': leadingKeys },
});
const onlyCardTokens = allow({ Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['ct#*'] } } });

it('allows nothing without a statement that allows it', () => {
  expect(isAllowed([], get('ct#1'))).toBe(false);
  expect(isAllowed([allow({ Action: 'dynamodb:PutItem' })], get('ct#1'))).toBe(false);
  expect(isAllowed([allow({ Resource: `${table}/index/due` })], get('ct#1'))).toBe(false);
});

it('reads wildcards in actions and resources, and ignores the case of actions', () => {
  expect(isAllowed([allow({ Action: ['DynamoDB:Get*'], Resource: 'arn:aws:dynamodb:*:*:table/tok?ns' })], get())).toBe(
    true,
  );
});

it('denies when any statement denies', () => {
  const deny: Statement = { Effect: 'Deny', Action: '*', Resource: '*' };

  expect(isAllowed([allow({}), deny], get('ct#1'))).toBe(false);
});

it('limits a role to the keys with its prefixes', () => {
  expect(isAllowed([onlyCardTokens], get('ct#1', 'ct#2'))).toBe(true);
  expect(isAllowed([onlyCardTokens], get('ct#1', 'access#2'))).toBe(false);
});

it('passes ForAllValues for a call without values, as IAM does, but not StringEquals', () => {
  const equals = allow({ Condition: { StringEquals: { 'kms:ViaService': 'dynamodb' } } });

  expect(isAllowed([onlyCardTokens], get())).toBe(true);
  expect(isAllowed([equals], { ...get(), context: { 'kms:ViaService': undefined } })).toBe(false);
  expect(isAllowed([equals], { ...get(), context: { 'kms:ViaService': 'dynamodb' } })).toBe(true);
});

it('fails on an unknown operator, key or element instead of passing it', () => {
  const dated = allow({ Condition: { DateLessThan: { 'aws:CurrentTime': '2030-01-01T00:00:00Z' } } });
  const unknownKey = allow({ Condition: { StringEquals: { 'aws:SourceVpc': 'vpc-1' } } });
  const excluding = { Effect: 'Allow', NotAction: 'iam:*', Resource: '*' } as unknown as Statement;

  expect(() => isAllowed([dated], get())).toThrow('condition operator DateLessThan');
  expect(() => isAllowed([unknownKey], get())).toThrow('condition key aws:SourceVpc');
  expect(() => isAllowed([excluding], get())).toThrow('policy element NotAction');
});

it('applies a statement with NotResource to everything that it does not name', () => {
  const { Resource: _, ...rest } = allow({ Effect: 'Deny' });
  const deny: Statement = { ...rest, NotResource: [`${table}/*`, 'arn:aws:dynamodb:*:*:table/payments'] };
  const everything = allow({ Resource: '*' });
  const may = (resource: string) => isAllowed([everything, deny], { ...get(), resource });

  expect([may(`${table}/index/due`), may('arn:aws:dynamodb:a:b:table/payments'), may(table)]).toEqual([
    true,
    true,
    false,
  ]);
});

it('fails on a statement with both Resource and NotResource, or neither', () => {
  const { Resource: _, ...neither } = allow({});

  expect(() => isAllowed([allow({ NotResource: '*' })], get())).toThrow('either Resource or NotResource');
  expect(() => isAllowed([neither], get())).toThrow('either Resource or NotResource');
});

it('reads everything but the two wildcards literally', () => {
  expect(like('a.b*', 'a.bcd')).toBe(true);
  expect(like('a.b*', 'axbcd')).toBe(false);
  expect(like('(a|b)', 'a')).toBe(false);
});
