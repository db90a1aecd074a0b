/** Secrets Manager: the template's secrets and those created later, each with its current and its previous version. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { AwsError } from '../seams.ts';
import type { Stack } from '../template.ts';
import { type AwsCall, type AwsService, optional, required } from './service.ts';

interface Version {
  readonly id: string;
  readonly value: string;
  readonly createdMs: number;
}

interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly keyArn: string | undefined;
  readonly createdMs: number;
  current: Version | undefined;
  previous: Version | undefined;
}

interface SecretProperties {
  readonly SecretString?: string;
  readonly GenerateSecretString?: { readonly SecretStringTemplate?: string; readonly GenerateStringKey?: string };
  readonly KmsKeyId?: string;
}

export interface Secrets {
  readonly service: AwsService;
  names(): readonly string[];
  /** Sets the current value; creates the secret if it does not exist. */
  put(name: string, value: string): void;
}

export function createSecrets(stack: Stack, clock: Clock): Secrets {
  const secrets = new Map<string, Secret>();
  const arnPrefix = `arn:aws:secretsmanager:${stack.region}:${stack.account}:secret:`;

  const version = (value: string): Version => ({ id: randomUUID(), value, createdMs: clock.now() });
  const add = (name: string, arn: string, keyArn?: string): Secret => {
    const secret: Secret = { name, arn, keyArn, createdMs: clock.now(), current: undefined, previous: undefined };
    secrets.set(name, secret);
    return secret;
  };
  const create = (name: string) => add(name, `${arnPrefix}${name}-${randomBytes(3).toString('hex')}`);
  const update = (secret: Secret, value: string): Version => {
    secret.previous = secret.current;
    secret.current = version(value);
    return secret.current;
  };

  for (const [logicalId, { properties }] of stack.ofType('AWS::SecretsManager::Secret')) {
    const arn = stack.ref(logicalId);
    const { SecretString, GenerateSecretString, KmsKeyId } = properties as SecretProperties;
    const secret = add(String(properties['Name'] ?? arn.slice(arnPrefix.length, -'-000000'.length)), arn, KmsKeyId);
    update(secret, SecretString ?? generated(GenerateSecretString));
  }

  /** The secret that the call names, after the caller's policy was checked. */
  function authorized({ operation, input, authorize }: AwsCall): Secret {
    const id = required(input, 'SecretId');
    const secret = secrets.get(id) ?? [...secrets.values()].find(({ arn }) => arn === id);
    const resource = secret?.arn ?? (id.startsWith('arn:') ? id : `${arnPrefix}${id}`);
    authorize({ action: `secretsmanager:${operation}`, resource });
    if (secret === undefined) {
      throw notFound("Secrets Manager can't find the specified secret.");
    }
    if (secret.keyArn !== undefined && operation !== 'DescribeSecret') {
      const context = { 'kms:ViaService': `secretsmanager.${stack.region}.amazonaws.com` };
      const action = operation === 'GetSecretValue' ? 'kms:Decrypt' : 'kms:GenerateDataKey';
      authorize({ action, resource: secret.keyArn, context });
    }
    return secret;
  }

  const operations: Readonly<Record<string, AwsService>> = {
    GetSecretValue(call) {
      const { name, arn, current, previous } = authorized(call);
      const { stage = 'AWSCURRENT' } = optional(call.input, 'VersionStage', 'stage');
      const found = { AWSCURRENT: current, AWSPREVIOUS: previous }[stage];
      if (found === undefined) {
        throw notFound(`Secrets Manager can't find the specified secret value for staging label: ${stage}`);
      }
      return {
        ARN: arn,
        Name: name,
        SecretString: found.value,
        VersionId: found.id,
        VersionStages: [stage],
        CreatedDate: found.createdMs / 1000,
      };
    },
    DescribeSecret: (call) => described(authorized(call)),
    CreateSecret({ input, authorize }) {
      const name = required(input, 'Name');
      authorize({ action: 'secretsmanager:CreateSecret', resource: `${arnPrefix}${name}` });
      if (secrets.has(name)) {
        throw new AwsError(
          'ResourceExistsException',
          `The operation failed because the secret ${name} already exists.`,
        );
      }
      const secret = create(name);
      const { value } = optional(input, 'SecretString', 'value');
      const created = value === undefined ? undefined : update(secret, value);
      return { ARN: secret.arn, Name: name, ...(created && { VersionId: created.id }) };
    },
    PutSecretValue(call) {
      const secret = authorized(call);
      const { id } = update(secret, required(call.input, 'SecretString'));
      return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages: ['AWSCURRENT'] };
    },
    ListSecrets({ authorize }) {
      authorize({ action: 'secretsmanager:ListSecrets', resource: '*' });
      return { SecretList: [...secrets.values()].map(described) };
    },
  };

  return {
    service(call) {
      const operation = operations[call.operation];
      if (operation === undefined) {
        throw new AwsError('UnknownOperationException', `the local cloud does not know ${call.operation} of secrets`);
      }
      return operation(call);
    },
    names: () => [...secrets.keys()],
    put: (name, value) => void update(secrets.get(name) ?? create(name), value),
  };
}

function described({ name, arn, keyArn, createdMs, current, previous }: Secret) {
  return {
    ARN: arn,
    Name: name,
    ...(keyArn && { KmsKeyId: keyArn }),
    CreatedDate: createdMs / 1000,
    VersionIdsToStages: {
      ...(current && { [current.id]: ['AWSCURRENT'] }),
      ...(previous && { [previous.id]: ['AWSPREVIOUS'] }),
    },
  };
}

function generated({ SecretStringTemplate, GenerateStringKey }: SecretProperties['GenerateSecretString'] = {}): string {
  const value = randomBytes(24).toString('base64url');
  return GenerateStringKey === undefined
    ? value
    : JSON.stringify({ ...JSON.parse(SecretStringTemplate ?? '{}'), [GenerateStringKey]: value });
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message);
}
