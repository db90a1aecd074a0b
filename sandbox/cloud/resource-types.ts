/**
 * The CloudFormation resource types that the local cloud executes, with their names and ARNs, and those that it
 * deliberately ignores. Any other type is an error, because ignoring it would be a difference from the real cloud.
 */
export interface Identity {
  readonly region: string;
  readonly account: string;
  /** The resource's own name, or one made of stack and logical id. */
  readonly name: string;
  /** Replaces the ids that a service would generate: stable for one stack and logical id. */
  readonly id: string;
}

export interface ResourceType {
  /** The property that names the resource, if it has one. */
  readonly nameProperty?: string;
  readonly ref: (identity: Identity) => string;
  readonly attributes: Readonly<Record<string, (identity: Identity) => string>>;
}

const arn =
  (service: string, resource: (identity: Identity) => string) =>
  (identity: Identity): string =>
    `arn:aws:${service}:${identity.region}:${identity.account}:${resource(identity)}`;

const byName = ({ name }: Identity) => name;
const byId = ({ id }: Identity) => id;
const withId: ResourceType = { ref: byId, attributes: {} };

const tableArn = arn('dynamodb', ({ name }) => `table/${name}`);
const functionArn = arn('lambda', ({ name }) => `function:${name}`);
const stateMachineArn = arn('states', ({ name }) => `stateMachine:${name}`);
const secretArn = arn('secretsmanager', ({ name, id }) => `secret:${name}-${id.slice(0, 6)}`);
const table: ResourceType = { nameProperty: 'TableName', ref: byName, attributes: { Arn: tableArn } };

export const executedTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::Lambda::Function': { nameProperty: 'FunctionName', ref: byName, attributes: { Arn: functionArn } },
  'AWS::Lambda::Permission': withId,
  'AWS::Lambda::EventInvokeConfig': withId,
  'AWS::IAM::Role': {
    nameProperty: 'RoleName',
    ref: byName,
    attributes: { Arn: ({ account, name }) => `arn:aws:iam::${account}:role/${name}` },
  },
  'AWS::IAM::Policy': withId,
  'AWS::StepFunctions::StateMachine': {
    nameProperty: 'StateMachineName',
    ref: stateMachineArn,
    attributes: { Arn: stateMachineArn, Name: byName },
  },
  'AWS::ApiGateway::RestApi': {
    nameProperty: 'Name',
    ref: byId,
    attributes: { RootResourceId: ({ id }) => `${id}-root` },
  },
  'AWS::ApiGateway::Resource': withId,
  'AWS::ApiGateway::Method': withId,
  'AWS::ApiGateway::Authorizer': withId,
  'AWS::ApiGateway::GatewayResponse': withId,
  'AWS::ApiGateway::RequestValidator': withId,
  'AWS::ApiGateway::Model': { nameProperty: 'Name', ref: byName, attributes: {} },
  'AWS::ApiGateway::Deployment': { ref: byId, attributes: { DeploymentId: byId } },
  'AWS::ApiGateway::Stage': { nameProperty: 'StageName', ref: byName, attributes: {} },
  'AWS::SecretsManager::Secret': { nameProperty: 'Name', ref: secretArn, attributes: { Id: secretArn } },
  'AWS::Events::EventBus': {
    nameProperty: 'Name',
    ref: byName,
    attributes: { Arn: arn('events', ({ name }) => `event-bus/${name}`), Name: byName },
  },
  'AWS::Events::Rule': {
    nameProperty: 'Name',
    ref: byName,
    attributes: { Arn: arn('events', ({ name }) => `rule/${name}`) },
  },
  'AWS::Scheduler::Schedule': {
    nameProperty: 'Name',
    ref: byName,
    attributes: { Arn: arn('scheduler', ({ name }) => `schedule/default/${name}`) },
  },
  'AWS::KMS::Key': { ref: byId, attributes: { Arn: arn('kms', ({ id }) => `key/${id}`), KeyId: byId } },
  'AWS::KMS::Alias': { nameProperty: 'AliasName', ref: byName, attributes: {} },
};

/** Types, or whole services, that monitor or protect the deployed stack and do not affect a sale. */
const ignoredTypes: readonly string[] = [
  'AWS::ApiGateway::Account',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::',
  'AWS::Cognito::',
  'AWS::Logs::',
  'AWS::SNS::',
  'AWS::WAFv2::',
];

export function isIgnored(type: string): boolean {
  return ignoredTypes.some((ignored) => (ignored.endsWith('::') ? type.startsWith(ignored) : type === ignored));
}

/** An ignored resource still has names that executed ones refer to; they only have to be well formed. */
export function ignoredResourceType(type: string): ResourceType {
  const service = type.split('::')[1]?.toLowerCase() ?? 'unknown';
  const placeholderArn = arn(service, ({ name }) => (service === 'logs' ? `log-group:${name}:*` : name));
  return { ref: service === 'sns' ? placeholderArn : byName, attributes: { Arn: placeholderArn } };
}
