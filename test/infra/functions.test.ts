import { describe, expect, it } from 'vitest';
import { endpointNames, type FunctionName, functionNames, stepNames } from '../../infra/functions.ts';
import { synthesized, text } from './synthesized.ts';

const { resources, only } = synthesized('production');
const functions = new Map(
  Object.values(resources('AWS::Lambda::Function')).map(({ Properties }) => [Properties.FunctionName, Properties]),
);
const propertiesOf = (name: FunctionName) => functions.get(`tillflow-production-${name}`);

const read = 'payments: GetItem';
const write = 'payments: PutItem';
const key = 'key via dynamodb: Decrypt';
const secrets = 'secrets accounts/* isv-??????: GetSecretValue';
const access = 'tokens access#*: GetItem PutItem';

const lists = ['payments index byMerchant: Query', 'payments: BatchGetItem'];

/** Everything that each function may do, besides writing its own log and its traces. */
const rights: Readonly<Record<FunctionName, readonly string[]>> = {
  'send-sale-request': [read, write, access, key, secrets],
  'await-terminal': [read, write, access, key, 'machine: SendTaskSuccess', secrets],
  'retrieve-transaction': [read, write, 'tokens ct#*: GetItem PutItem', key, secrets],
  'create-card-token': [read, write, access, 'tokens ct#*: GetItem PutItem', key, secrets],
  'create-charge-token': [
    read,
    write,
    access,
    'tokens ct#*: GetItem',
    'tokens ctok#*: GetItem PutItem',
    'tokens form#*: PutItem',
    key,
    secrets,
  ],
  'await-authentication': [read, write, key],
  'create-transaction': [read, write, access, 'tokens ctok#*: GetItem', key, secrets],
  'reconcile-charge': [read, write, key],
  'await-capture': [read, write, key, 'machine: SendTaskSuccess'],
  capture: [read, write, access, key, secrets],
  void: [read, write, access, key, secrets],
  'record-failure': [read, write, key],
  authorizer: [],
  'create-sale': [read, write, key, 'machine: StartExecution'],
  'abort-sale': [read, write, key, 'machine: SendTaskFailure'],
  'store-card': [read, write, key, 'machine: StartExecution'],
  'forget-card': [read, write, 'tokens ct#*: DeleteItem', key],
  'request-capture': [read, write, key, 'machine: SendTaskSuccess'],
  'create-rf-order': [read, write, access, key, secrets],
  'cancel-rf-order': [read, write, access, key, secrets],
  'read-resource': [read, key],
  'list-resources': [read, ...lists, key],
  'refuse-method': [],
  'receive-webhook': [
    read,
    write,
    access,
    'tokens webhook-key#*: GetItem PutItem',
    key,
    secrets,
    'act-on-webhook: InvokeFunction',
  ],
  'find-due': [
    'payments index due: Query',
    key,
    'reconcile-due: InvokeFunction',
    'read-daily-lists: InvokeFunction',
    'act-on-webhook: InvokeFunction',
    'deliver-event: InvokeFunction',
  ],
  'reconcile-due': [
    read,
    write,
    ...lists,
    access,
    'tokens ct#*: DeleteItem',
    key,
    'machine: StartExecution',
    'executions: DescribeExecution',
    secrets,
    'bus: PutEvents',
  ],
  'read-daily-lists': [read, write, ...lists, access, key, secrets],
  'handle-execution-end': [read, write, key, 'bus: PutEvents', 'reconcile-due: InvokeFunction'],
  'deliver-event': [read, write, key, secrets],
  'act-on-webhook': [
    read,
    write,
    ...lists,
    access,
    key,
    'machine: SendTaskSuccess',
    'machine: SendTaskFailure',
    secrets,
    'bus: PutEvents',
  ],
};

const platform = ['PLATFORM_API_URL', 'PLATFORM_AUTH_URL', 'PLATFORM_BASE_URL', 'SECRETS_PREFIX'];
const powertools = ['POWERTOOLS_LOG_LEVEL', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];

describe('the functions of the stack', () => {
  it('are those of the table and no others', () => {
    expect([...functions.keys()].toSorted()).toEqual(
      functionNames.map((name) => `tillflow-production-${name}`).toSorted(),
    );
  });

  it.each(functionNames)('let %s do what it needs and nothing else', (name) => {
    expect(statementsOf(name).map(described)).toEqual([...rights[name]]);
  });

  it.each(functionNames)('let %s write only its own log and its traces', (name) => {
    const { LoggingConfig, TracingConfig, Role } = propertiesOf(name);
    const log = LoggingConfig.LogGroup.Ref;
    const role = resources('AWS::IAM::Role')[Role['Fn::GetAtt'][0]]?.Properties;

    expect(role.ManagedPolicyArns).toBeUndefined();
    expect(role.Policies.map(({ PolicyDocument }: { PolicyDocument: object }) => PolicyDocument)).toEqual([
      {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: { 'Fn::GetAtt': [log, 'Arn'] },
          },
        ],
      },
    ]);
    expect(TracingConfig).toEqual({ Mode: 'Active' });
    expect(resources('AWS::Logs::LogGroup')[log]?.Properties).toEqual({
      LogGroupName: `/aws/lambda/tillflow-production-${name}`,
      RetentionInDays: 365,
    });
  });

  it.each(functionNames)('run %s on the same runtime as all others, with JSON logs', (name) => {
    expect(propertiesOf(name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: 1024,
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' },
    });
  });

  it('know the addresses, tables and names of their grants, and no secret', () => {
    const variables = (name: FunctionName) => Object.keys(propertiesOf(name).Environment.Variables).toSorted();
    const with_ = (...names: string[]) => [...names, ...powertools].toSorted();

    expect(variables('create-charge-token')).toEqual(
      with_(...platform, 'PAYMENTS_TABLE', 'DUE_SHARDS', 'TOKENS_TABLE'),
    );
    expect(variables('retrieve-transaction')).toEqual(
      with_(...platform, 'PAYMENTS_TABLE', 'DUE_SHARDS', 'TOKENS_TABLE', 'STACK_ID'),
    );
    expect(variables('reconcile-charge')).toEqual(with_('PAYMENTS_TABLE', 'DUE_SHARDS'));
    expect(variables('create-sale')).toEqual(with_('PAYMENTS_TABLE', 'DUE_SHARDS', 'MACHINE_ARN', 'STACK_ID'));
    expect(variables('forget-card')).toEqual(with_('PAYMENTS_TABLE', 'DUE_SHARDS', 'TOKENS_TABLE'));
    expect(variables('deliver-event')).toEqual(
      with_('PAYMENTS_TABLE', 'DUE_SHARDS', 'SECRETS_PREFIX', 'CALLBACKS_ALLOW_PRIVATE'),
    );
    expect(propertiesOf('deliver-event').Environment.Variables.CALLBACKS_ALLOW_PRIVATE).toBe('false');
    expect(variables('authorizer')).toEqual(with_('OIDC_ISSUER', 'OIDC_AUDIENCE'));
    expect(variables('refuse-method')).toEqual(with_());
  });

  it('end before the state or the gateway that waits for them gives up', () => {
    const timeouts = Object.fromEntries(functionNames.map((name) => [name, propertiesOf(name).Timeout]));

    expect(timeouts).toMatchObject({ 'create-transaction': 20, 'await-terminal': 5, 'read-resource': 25 });
    expect(Math.max(...[...stepNames, ...endpointNames].map((name) => timeouts[name]))).toBe(25);
  });

  it('limit the concurrency of what others can trigger, and of nothing that takes money', () => {
    const bounded = functionNames.filter((name) => propertiesOf(name).ReservedConcurrentExecutions !== undefined);

    expect(bounded).toEqual(['read-resource', 'receive-webhook', 'act-on-webhook', 'deliver-event']);
  });
});

describe('the role of the state machine', () => {
  it('may invoke the steps one by one, and no other function', () => {
    const { RoleArn } = only('AWS::StepFunctions::StateMachine');
    const invoked = policiesOf(RoleArn['Fn::GetAtt'][0])
      .filter(({ Action }) => Action === 'lambda:InvokeFunction')
      .flatMap(({ Resource }) => Resource as { 'Fn::GetAtt': [string, string] }[])
      .map(({ 'Fn::GetAtt': [id] }) => resources('AWS::Lambda::Function')[id]?.Properties.FunctionName);

    expect(invoked).toEqual(functionNames.slice(0, 12).map((name) => `tillflow-production-${name}`));
  });
});

it('no statement grants an action by wildcard', () => {
  const documents = [
    ...Object.values(resources('AWS::IAM::Policy')).map(({ Properties }) => Properties.PolicyDocument),
    ...Object.values(resources('AWS::IAM::Role')).flatMap(({ Properties }) =>
      (Properties.Policies ?? []).map((policy: { PolicyDocument: object }) => policy.PolicyDocument),
    ),
  ];
  const actions = documents.flatMap(({ Statement }) => Statement as Statement[]).flatMap(({ Action }) => Action);

  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => action.includes('*'))).toEqual([]);
});

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function policiesOf(roleId: string): Statement[] {
  return Object.values(resources('AWS::IAM::Policy'))
    .filter(({ Properties }) => Properties.Roles.some((role: { Ref: string }) => role.Ref === roleId))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}

function statementsOf(name: FunctionName): Statement[] {
  const traces = (statement: Statement) => [statement.Action].flat().every((action) => action.startsWith('xray:'));
  return policiesOf(propertiesOf(name).Role['Fn::GetAtt'][0]).filter((statement) => !traces(statement));
}

/** Returns a statement in one line. It contains the whole statement, or it does not match the table above. */
function described({ Action, Resource, Condition, ...rest }: Statement): string {
  expect(rest).toEqual({ Effect: 'Allow' });
  const actions = [Action].flat().map((action) => action.split(':')[1]);
  return `${targetOf([Resource].flat().map(text))}${conditionOf(Condition)}: ${actions.join(' ')}`;
}

function targetOf(arns: readonly string[]): string {
  const payments = idOf('AWS::DynamoDB::GlobalTable', 'tillflow-production-payments');
  const tokens = idOf('AWS::DynamoDB::GlobalTable', 'tillflow-production-tokens');
  const secret = 'arn:aws:secretsmanager:eu-central-1:<AWS::AccountId>:secret:tillflow/production';
  const known: Readonly<Record<string, string>> = {
    [`<${payments}.Arn>`]: 'payments',
    [`<${payments}.Arn>/index/byMerchant`]: 'payments index byMerchant',
    [`<${payments}.Arn>/index/due`]: 'payments index due',
    [`<${tokens}.Arn>`]: 'tokens',
    [`<${Object.keys(resources('AWS::KMS::Key'))[0]}.Arn>`]: 'key',
    'arn:aws:states:eu-central-1:<AWS::AccountId>:stateMachine:tillflow-production-payment': 'machine',
    'arn:aws:states:eu-central-1:<AWS::AccountId>:execution:tillflow-production-payment:*': 'executions',
    [`<${Object.keys(resources('AWS::Events::EventBus'))[0]}.Arn>`]: 'bus',
    [`${secret}/accounts/* ${secret}/isv-??????`]: 'secrets accounts/* isv-??????',
    ...Object.fromEntries(
      Object.entries(resources('AWS::Lambda::Function')).map(([id, { Properties }]) => [
        `<${id}.Arn>`,
        Properties.FunctionName.replace('tillflow-production-', ''),
      ]),
    ),
  };
  return known[arns.join(' ')] ?? arns.join(' ');
}

function conditionOf(condition: Statement['Condition']): string {
  if (condition === undefined) {
    return '';
  }
  const keys = condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string[] | undefined;
  if (keys !== undefined) {
    expect(Object.keys(condition)).toHaveLength(1);
    return ` ${keys.join(' ')}`;
  }
  expect(Object.keys(condition)).toEqual(['StringEquals']);
  expect(text(condition['StringEquals']?.['kms:ViaService'])).toBe('dynamodb.<AWS::Region>.<AWS::URLSuffix>');
  return ' via dynamodb';
}

function idOf(type: string, tableName: string): string | undefined {
  return Object.entries(resources(type)).find(([, { Properties }]) => Properties.TableName === tableName)?.[0];
}
