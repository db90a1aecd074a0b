/** Real AWS clients in real bundles against the local cloud: protocols, policies, executions, events, schedules, control. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Clock } from '../../sandbox/clock.ts';
import { type Cloud, startCloud } from '../../sandbox/cloud/cloud.ts';
import { type Assembly, lambda, writeAssembly } from './cloud-assembly.ts';

/** A function that makes the AWS calls that its event lists, and returns their outputs or the first error. */
const agent = buildSync({
  stdin: {
    contents: `
      import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
      import * as dynamodb from '@aws-sdk/lib-dynamodb';
      import * as secrets from '@aws-sdk/client-secrets-manager';
      import * as states from '@aws-sdk/client-sfn';
      import * as lambda from '@aws-sdk/client-lambda';
      import * as events from '@aws-sdk/client-eventbridge';
      const commands = { ...dynamodb, ...secrets, ...states, ...lambda, ...events };
      const clients = {
        dynamodb: dynamodb.DynamoDBDocumentClient.from(new DynamoDBClient({})),
        secrets: new secrets.SecretsManagerClient({}), states: new states.SFNClient({}),
        lambda: new lambda.LambdaClient({}), events: new events.EventBridgeClient({}),
      };
      export const handler = async ({ calls = [], ...event }) => {
        console.log(JSON.stringify({ event }));
        const outputs = [];
        for (const [client, command, input] of calls) {
          try {
            const { $metadata, ...output } = await clients[client].send(new commands[command + 'Command'](input));
            outputs.push(output.Payload ? { ...output, Payload: JSON.parse(Buffer.from(output.Payload).toString()) } : output);
          } catch (error) {
            outputs.push(error.name + ': ' + error.message);
          }
        }
        return outputs;
      };`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  write: false,
}).outputFiles[0]!.text;

const tableArn = { 'Fn::GetAtt': ['Payments', 'Arn'] };
const keyArn = { 'Fn::GetAtt': ['Key', 'Arn'] };
const machineArn = { Ref: 'Machine' };

const resources = {
  Key: { Type: 'AWS::KMS::Key', Properties: {} },
  Payments: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      TableName: 'shop-payments',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'merchant', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byMerchant',
          KeySchema: [{ AttributeName: 'merchant', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [{ Region: 'eu-central-1', SSESpecification: { KMSMasterKeyId: keyArn } }],
    },
  },
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'shop/isv', SecretString: '{"clientId":"one"}' } },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'shop' } },
  ...lambda('agent', {
    Timeout: 30,
    MemorySize: 512,
    statements: [
      {
        Effect: 'Allow',
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Resource: tableArn,
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['sale#*'] } },
      },
      { Effect: 'Allow', Action: 'dynamodb:Query', Resource: { 'Fn::Join': ['', [tableArn, '/index/*']] } },
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: keyArn,
        Condition: { StringEquals: { 'kms:ViaService': 'dynamodb.eu-central-1.amazonaws.com' } },
      },
      { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: 'Secret' } },
      { Effect: 'Allow', Action: ['states:StartExecution', 'states:SendTaskSuccess'], Resource: machineArn },
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':lambda:*:*:function:listener']] },
      },
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: { 'Fn::GetAtt': ['Bus', 'Arn'] } },
    ],
  }),
  ...lambda('keyless', { statements: [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: tableArn }], Timeout: 30 }),
  ...lambda('listener', { Timeout: 30 }),
  MachineRole: {
    Type: 'AWS::IAM::Role',
    Properties: {
      Policies: [
        {
          PolicyName: 'invoke',
          PolicyDocument: {
            Statement: {
              Effect: 'Allow',
              Action: 'lambda:InvokeFunction',
              Resource: { 'Fn::GetAtt': ['agent', 'Arn'] },
            },
          },
        },
      ],
    },
  },
  Machine: {
    Type: 'AWS::StepFunctions::StateMachine',
    Properties: {
      StateMachineName: 'shop-payment',
      RoleArn: { 'Fn::GetAtt': ['MachineRole', 'Arn'] },
      DefinitionString: {
        'Fn::Join': [
          '',
          [
            '{"QueryLanguage":"JSONata","StartAt":"Act","States":{"Act":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","TimeoutSeconds":25,"Arguments":{"FunctionName":"',
            { 'Fn::GetAtt': ['agent', 'Arn'] },
            '","Payload":"{% $states.input %}"},"Output":{},"Retry":[],"End":true}}}',
          ],
        ],
      },
    },
  },
  Nightly: {
    Type: 'AWS::Events::Rule',
    Properties: {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['listener', 'Arn'] }, Input: '{"reconcile":true}' }],
    },
  },
  Ended: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: {
        source: ['aws.states'],
        detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: [machineArn] },
      },
      Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['listener', 'Arn'] } }],
    },
  },
  MayFire: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      Action: 'lambda:InvokeFunction',
      FunctionName: { 'Fn::GetAtt': ['listener', 'Arn'] },
      Principal: 'events.amazonaws.com',
    },
  },
  Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'shop' } },
  Thing: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { RestApiId: { Ref: 'Api' }, ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'thing' },
  },
  GetThing: {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId: { Ref: 'Api' },
      ResourceId: { Ref: 'Thing' },
      HttpMethod: 'GET',
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        Uri: {
          'Fn::Join': [
            '',
            [
              'arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/',
              { 'Fn::GetAtt': ['listener', 'Arn'] },
              '/invocations',
            ],
          ],
        },
      },
    },
  },
  Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'Api' } } },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: { RestApiId: { Ref: 'Api' }, DeploymentId: { Ref: 'Deployment' }, StageName: 'v1' },
  },
  Logs: { Type: 'AWS::Logs::LogGroup', Properties: {} },
};

let assembly: Assembly;
let clock: Clock;
let cloud: Cloud;
let machine: string;

beforeAll(async () => {
  assembly = writeAssembly({
    resources,
    code: {
      agent,
      keyless: agent,
      listener: `export const handler = async (event) => { console.log(JSON.stringify({ event })); };`,
    },
    outputs: { MachineArn: { Value: machineArn } },
  });
  clock = new Clock();
  cloud = await startCloud({ clock, ...assembly, parameters: {} });
  machine = cloud.outputs['MachineArn']!;
});

afterEach(() => cloud.clear());

afterAll(async () => {
  await cloud.close();
  clock.stop();
  assembly.remove();
});

const admin = () => ({
  endpoint: cloud.awsUrl,
  region: cloud.region,
  credentials: { accessKeyId: 'AKIDSANDBOXADMIN', secretAccessKey: 'sandbox' },
});

async function control<T>(path: string, init?: RequestInit): Promise<T> {
  const answer = await cloud.control.request(`/_cloud${path}`, init);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

async function post(path: string, body: object, method = 'POST'): Promise<Response> {
  return cloud.control.request(`/_cloud${path}`, { method, body: JSON.stringify(body) });
}

/** Runs the calls inside an execution's function, and returns what the function logged as its result. */
async function execute(
  name: string,
  calls: readonly unknown[][],
): Promise<{ status: string; writes: number; transitions: number }> {
  const states = new SFNClient(admin());
  await states.send(new StartExecutionCommand({ stateMachineArn: machine, name, input: JSON.stringify({ calls }) }));
  await expect.poll(async () => (await control<{ status: string }>(`/executions/${name}`)).status).not.toBe('RUNNING');
  states.destroy();
  return control(`/executions/${name}`);
}

async function invoke(functionName: string, calls: readonly unknown[][]): Promise<unknown[]> {
  const { LambdaClient, InvokeCommand } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient(admin());
  const { Payload } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify({ calls })) }),
  );
  client.destroy();
  return JSON.parse(Buffer.from(Payload!).toString()) as unknown[];
}

const received = async (functionName: string) =>
  (await control<{ lines: { functionName: string; message: { event: Record<string, unknown> } }[] }>('/logs')).lines
    .filter((line) => line.functionName === functionName)
    .map(({ message }) => message.event);

it('a function can do with the table exactly what its role allows, including leading keys', async () => {
  const TableName = 'shop-payments';
  const outputs = await invoke('agent', [
    ['dynamodb', 'Put', { TableName, Item: { pk: 'sale#1', merchant: 'm', amount: 1500 } }],
    ['dynamodb', 'Get', { TableName, Key: { pk: 'sale#1' } }],
    [
      'dynamodb',
      'Query',
      {
        TableName,
        IndexName: 'byMerchant',
        KeyConditionExpression: 'merchant = :m',
        ExpressionAttributeValues: { ':m': 'm' },
      },
    ],
    ['dynamodb', 'Put', { TableName, Item: { pk: 'card#1' } }],
    ['dynamodb', 'Delete', { TableName, Key: { pk: 'sale#1' } }],
    ['dynamodb', 'Put', { TableName, Item: { pk: 'sale#1' }, ConditionExpression: 'attribute_not_exists(pk)' }],
  ]);

  expect(outputs).toMatchObject([
    {},
    { Item: { pk: 'sale#1', amount: 1500 } },
    { Count: 1 },
    expect.stringMatching(/^AccessDeniedException: .*agentRole is not authorized to perform: dynamodb:PutItem/),
    expect.stringMatching(/^AccessDeniedException: .*dynamodb:DeleteItem/),
    expect.stringMatching(/^ConditionalCheckFailedException/),
  ]);
  expect(await control('/tables/payments')).toEqual({ items: [{ pk: 'sale#1', merchant: 'm', amount: 1500 }] });
});

it('a role without the key of a table cannot use the table', async () => {
  const outputs = await invoke('keyless', [['dynamodb', 'Get', { TableName: 'shop-payments', Key: { pk: 'sale#1' } }]]);

  expect(outputs).toEqual([expect.stringMatching(/^AccessDeniedException: .*kms:Decrypt/)]);
});

it('the cloud reports which grants were used and which were not', async () => {
  const put = ['dynamodb', 'Put', { TableName: 'shop-payments', Item: { pk: 'sale#1' } }];
  await invoke('agent', [put]);

  const mine = (rights: readonly { roleArn: string; action: string }[]) =>
    rights.filter(({ roleArn }) => roleArn.endsWith('agentRole')).map(({ action }) => action);
  expect(mine(cloud.allowedCalls())).toContain('dynamodb:PutItem');
  expect(mine(cloud.unusedGrants())).toContain('dynamodb:UpdateItem');
  expect(mine(cloud.unusedGrants())).not.toContain('dynamodb:PutItem');
});

it('secrets, functions, executions and events answer in their AWS protocols', async () => {
  const outputs = await invoke('agent', [
    ['secrets', 'GetSecretValue', { SecretId: 'shop/isv' }],
    ['secrets', 'GetSecretValue', { SecretId: 'shop/isv', VersionStage: 'AWSPREVIOUS' }],
    ['secrets', 'GetSecretValue', { SecretId: 'shop/other' }],
    ['lambda', 'Invoke', { FunctionName: 'listener', InvocationType: 'Event', Payload: '{"wake":1}' }],
    ['lambda', 'Invoke', { FunctionName: 'agent', Payload: '{}' }],
    ['states', 'StartExecution', { stateMachineArn: machine, name: 'one', input: '{}' }],
    ['states', 'StartExecution', { stateMachineArn: machine, name: 'one', input: '{"other":1}' }],
    ['states', 'SendTaskSuccess', { taskToken: 'nonsense', output: '{}' }],
    [
      'events',
      'PutEvents',
      {
        Entries: [
          { EventBusName: 'shop', Source: 'shop', DetailType: 'sale.paid', Detail: '{"saleId":"1"}' },
          { EventBusName: 'shop', Source: 'shop', DetailType: 'x', Detail: '{' },
        ],
      },
    ],
  ]);

  expect(outputs).toMatchObject([
    { SecretString: '{"clientId":"one"}', VersionStages: ['AWSCURRENT'] },
    expect.stringMatching(/^ResourceNotFoundException/),
    expect.stringMatching(/^AccessDeniedException/),
    { StatusCode: 202 },
    expect.stringMatching(/^AccessDeniedException/),
    { executionArn: expect.stringContaining(':execution:shop-payment:one') },
    expect.stringMatching(/^ExecutionAlreadyExists/),
    expect.stringMatching(/^InvalidToken/),
    { FailedEntryCount: 1, Entries: [{ EventId: expect.any(String) }, { ErrorCode: 'MalformedDetail' }] },
  ]);
  expect(await control('/events')).toMatchObject({
    events: [{ bus: 'shop', detailType: 'sale.paid', detail: { saleId: '1' } }],
  });
  await expect.poll(() => received('listener')).toContainEqual({ wake: 1 });
});

it('the DynamoDB writes of an execution are counted', async () => {
  const put = ['dynamodb', 'Put', { TableName: 'shop-payments', Item: { pk: 'sale#1' } }];

  expect(await execute('counted', [put, put])).toMatchObject({ status: 'SUCCEEDED', writes: 2, transitions: 1 });
});

it('a function can be ended right after its first write was answered', async () => {
  const put = (pk: string) => ['dynamodb', 'Put', { TableName: 'shop-payments', Item: { pk } }];
  await post('/functions/agent/faults', { kind: 'kill', afterCall: 1, times: 1 });

  expect(await execute('dies', [put('sale#1'), put('sale#2')])).toMatchObject({ status: 'FAILED', writes: 1 });

  expect(await control('/tables/payments')).toEqual({ items: [{ pk: 'sale#1' }] });
});

it('a rule on the default bus gets the failure of an execution', async () => {
  await post('/functions/agent/faults', { kind: 'kill', afterCall: 0, times: 1 });

  expect(await execute('dies', [])).toMatchObject({ status: 'FAILED' });

  await expect
    .poll(() => received('listener'))
    .toMatchObject([{ source: 'aws.states', detail: { name: 'dies', status: 'FAILED' } }]);
});

it('a schedule runs on the virtual clock, and at once on request', async () => {
  await clock.advance(clock.now() + 16 * 60_000);
  expect(await received('listener')).toEqual([{ reconcile: true }, { reconcile: true }, { reconcile: true }]);

  await control('/reconcile', { method: 'POST' });
  expect(await received('listener')).toHaveLength(4);
});

it('expired items are deleted two days late', async () => {
  const expiresAt = Math.floor(clock.now() / 1000) + 600;
  await invoke('agent', [['dynamodb', 'Put', { TableName: 'shop-payments', Item: { pk: 'sale#1', expiresAt } }]]);

  await clock.advance(clock.now() + 47 * 3_600_000);
  expect(await control('/tables/payments')).toMatchObject({ items: [{ pk: 'sale#1' }] });

  await clock.advance(clock.now() + 3 * 3_600_000);
  expect(await control('/tables/payments')).toEqual({ items: [] });
});

it('the previous version of a changed secret is kept', async () => {
  await post('/secrets/shop/isv', { value: { clientId: 'two' } }, 'PUT');

  const client = new SecretsManagerClient(admin());
  const read = async (VersionStage: string) =>
    (await client.send(new GetSecretValueCommand({ SecretId: 'shop/isv', VersionStage }))).SecretString;
  expect([await read('AWSCURRENT'), await read('AWSPREVIOUS')]).toEqual(['{"clientId":"two"}', '{"clientId":"one"}']);
  client.destroy();
});

it('the control API refuses unknown input and lists what is valid', async () => {
  const answers = await Promise.all([
    post('/functions/nobody/faults', { kind: 'kill' }),
    post('/functions/agent/faults', { kind: 'explode' }),
    post('/functions/agent/faults', { kind: 'kill', when: 'now' }),
    cloud.control.request('/_cloud/tables/none'),
    cloud.control.request('/_cloud/executions/none'),
    cloud.control.request('/_cloud/none'),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 404]);
  expect(await answers[0]!.json()).toMatchObject({ valid: ['agent', 'keyless', 'listener'] });
  expect(await answers[3]!.json()).toMatchObject({ valid: ['shop-payments'] });
});

it('the gateway cannot invoke a function without a permission for it', async () => {
  const answer = await fetch(`${cloud.apiUrl}/thing`);

  expect(answer.status).toBe(500);
  expect(await received('listener')).toEqual([]);
});

it('an unknown key id is answered as by AWS', async () => {
  const client = new SFNClient({ ...admin(), credentials: { accessKeyId: 'AKIDNOBODY', secretAccessKey: 'x' } });

  await expect(client.send(new DescribeExecutionCommand({ executionArn: `${machine}:x` }))).rejects.toMatchObject({
    name: 'UnrecognizedClientException',
  });
  client.destroy();
});

it('clearing removes tables, executions, events and logs, and keeps secrets', async () => {
  await execute('kept', [['dynamodb', 'Put', { TableName: 'shop-payments', Item: { pk: 'sale#1' } }]]);

  await cloud.clear();

  expect(await control('/tables/payments')).toEqual({ items: [] });
  expect(await control('/executions')).toEqual({ executions: [] });
  expect(await control('/logs')).toEqual({ lines: [], dropped: 0 });
  expect(await invoke('agent', [['secrets', 'GetSecretValue', { SecretId: 'shop/isv' }]])).toMatchObject([
    { Name: 'shop/isv' },
  ]);
});
