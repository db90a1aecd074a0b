import { describe, expect, it } from 'vitest';
import { paymentsTable } from '../../shared/payments/indexes.ts';
import { tokensTable } from '../../shared/tokens/store.ts';
import { synthesized } from './synthesized.ts';

const { resources } = synthesized('production');
const tables = Object.values(resources('AWS::DynamoDB::GlobalTable'));
const table = (name: string) =>
  tables.find(({ Properties }) => Properties.TableName === `tillflow-production-${name}`)?.Properties;

describe('the tables', () => {
  it('are kept in production, whatever happens to the stack', () => {
    expect(tables).toHaveLength(2);
    for (const { DeletionPolicy, Properties } of tables) {
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
      expect(Properties.Replicas).toEqual([
        expect.objectContaining({
          Region: 'eu-central-1',
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ]);
    }
  });

  it('are encrypted with the stack’s own key, which rotates', () => {
    const [[keyId, key] = []] = Object.entries(resources('AWS::KMS::Key'));

    expect(key).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', Properties: { EnableKeyRotation: true } });
    for (const { Properties } of tables) {
      expect(Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(Properties.Replicas[0].SSESpecification).toEqual({
        KMSMasterKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] },
      });
    }
  });

  it('delete expired tokens, and never payments', () => {
    expect(table('tokens').TimeToLiveSpecification).toEqual({ AttributeName: tokensTable.ttl, Enabled: true });
    expect(table('payments').TimeToLiveSpecification).toBeUndefined();
  });

  it('have the keys and indexes that the stores use', () => {
    const { byMerchant, due, reviews } = paymentsTable;

    expect(table('tokens').KeySchema).toEqual([{ AttributeName: tokensTable.partitionKey, KeyType: 'HASH' }]);
    expect(table('payments').KeySchema).toEqual([{ AttributeName: paymentsTable.partitionKey, KeyType: 'HASH' }]);
    expect(table('payments').GlobalSecondaryIndexes).toEqual(
      [byMerchant, due, reviews].map(({ index, partitionKey, sortKey, projected }) => ({
        IndexName: index,
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: projected },
      })),
    );
  });

  it('keep frequently changed attributes out of their indexes, because each copy costs another write', () => {
    const changing = [
      'timeline',
      'updatedAt',
      'revision',
      'writeId',
      'taskToken',
      'outbox',
      'webhooks',
      'executionArn',
    ];
    const indexes: readonly { readonly Projection: { readonly NonKeyAttributes: readonly string[] } }[] =
      table('payments').GlobalSecondaryIndexes;

    expect(indexes.flatMap(({ Projection }) => Projection.NonKeyAttributes)).not.toContainEqual(
      expect.toSatisfy((name: string) => changing.includes(name)),
    );
  });
});
