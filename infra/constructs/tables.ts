/**
 * The two tables, encrypted with the stack's own key. They grant single actions and never an index or a key the function
 * does not use: `payments` item by item, `tokens` by the kind its keys begin with, so that a function which renews access
 * tokens can read no card token.
 */
import { Aws } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { paymentsTable } from '../../shared/payments/indexes.ts';
import { tokensTable } from '../../shared/tokens/store.ts';
import type { Environment } from '../environments.ts';
import type { FunctionSpec, PaymentsAccess } from '../functions.ts';

export class Tables extends Construct {
  readonly payments: TableV2;
  readonly tokens: TableV2;
  readonly #key: Key;
  readonly #dueShards: number;

  constructor(scope: Construct, id: string, { name, data }: Environment) {
    super(scope, id);
    this.#dueShards = data.dueShards;
    this.#key = new Key(this, 'Key', {
      alias: `tillflow-${name}-tables`,
      description: `Encrypts the tables of tillflow ${name}`,
      enableKeyRotation: true,
      removalPolicy: data.removalPolicy,
    });
    const common = {
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.customerManagedKey(this.#key),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: data.deletionProtection,
      removalPolicy: data.removalPolicy,
    };
    const { partitionKey, byMerchant, due, reviews } = paymentsTable;
    this.payments = new TableV2(this, 'Payments', {
      ...common,
      tableName: `tillflow-${name}-payments`,
      partitionKey: text(partitionKey),
      globalSecondaryIndexes: [byMerchant, due, reviews].map(({ index, projected, ...keys }) => ({
        indexName: index,
        partitionKey: text(keys.partitionKey),
        sortKey: text(keys.sortKey),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...projected],
      })),
    });
    this.tokens = new TableV2(this, 'Tokens', {
      ...common,
      tableName: `tillflow-${name}-tokens`,
      partitionKey: text(tokensTable.partitionKey),
      timeToLiveAttribute: tokensTable.ttl,
    });
  }

  /** Grants what the function's line in the table of functions says, and tells it the tables' names. */
  grant(to: LambdaFunction, { payments = [], tokens = {} }: FunctionSpec): void {
    const kinds = Object.entries(tokens);
    for (const { action, index } of payments.flatMap((access) => paymentsActions[access])) {
      const resource = index === undefined ? this.payments.tableArn : `${this.payments.tableArn}/index/${index}`;
      to.addToRolePolicy(new PolicyStatement({ actions: [`dynamodb:${action}`], resources: [resource] }));
    }
    for (const [kind, actions] of kinds) {
      to.addToRolePolicy(
        new PolicyStatement({
          actions: actions.map((action) => `dynamodb:${action}`),
          resources: [this.tokens.tableArn],
          conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${kind}#*`] } },
        }),
      );
    }
    if (payments.length > 0) {
      to.addEnvironment('PAYMENTS_TABLE', this.payments.tableName);
      to.addEnvironment('DUE_SHARDS', String(this.#dueShards));
    }
    if (kinds.length > 0) {
      to.addEnvironment('TOKENS_TABLE', this.tokens.tableName);
    }
    if (payments.length + kinds.length > 0) {
      this.#grantKey(to);
    }
  }

  /** DynamoDB opens a table with its caller's right to decrypt, for writes as for reads. */
  #grantKey(to: LambdaFunction): void {
    to.addToRolePolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt'],
        resources: [this.#key.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}` } },
      }),
    );
  }
}

const paymentsActions: Readonly<
  Record<PaymentsAccess, readonly { readonly action: string; readonly index?: string }[]>
> = {
  GetItem: [{ action: 'GetItem' }],
  PutItem: [{ action: 'PutItem' }],
  // The index says which items are on a page; the items themselves are then read.
  List: [{ action: 'Query', index: paymentsTable.byMerchant.index }, { action: 'BatchGetItem' }],
  FindDue: [{ action: 'Query', index: paymentsTable.due.index }],
};

function text(name: string) {
  return { name, type: AttributeType.STRING };
}
