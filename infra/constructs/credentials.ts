/**
 * The secrets with the platform's credentials. The ISV's secret is created here, empty, for the operator to fill. An
 * account's secret is created when the account is added, without a deployment.
 */
import { ArnFormat, SecretValue, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { isvOwner, secretName } from '../../shared/viva/credentials.ts';
import { acknowledge } from '../acknowledge.ts';
import type { Environment } from '../environments.ts';

export class Credentials extends Construct {
  readonly #prefix: string;

  constructor(scope: Construct, id: string, { name, data }: Environment) {
    super(scope, id);
    this.#prefix = `tillflow/${name}`;
    const isv = new Secret(this, 'Isv', {
      secretName: secretName(this.#prefix, isvOwner),
      description:
        'Credentials of the ISV as JSON, described in docs/operations.md. Stays {} when no account is an ISV account.',
      secretStringValue: SecretValue.unsafePlainText('{}'),
      removalPolicy: data.removalPolicy,
    });
    acknowledge(
      isv,
      'AwsSolutions-SMG4',
      'The platform issues these credentials, and only a person can renew them there.',
    );
  }

  /** Lets the function read every account's credentials, because the account is known only when it runs. */
  grantRead(to: LambdaFunction): void {
    const accounts = secretName(this.#prefix, '*');
    // Secrets Manager ends the ARN of a secret with a dash and six characters of its own.
    const resources = [this.#arn(accounts), `${this.#arn(secretName(this.#prefix, isvOwner))}-??????`];
    to.addToRolePolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }));
    to.addEnvironment('SECRETS_PREFIX', this.#prefix);
    acknowledge(
      to.role as IRole,
      `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:${Stack.of(this).region}:<AWS::AccountId>:secret:${accounts}]`,
      'Accounts are added and removed without a deployment, each with a secret under this prefix.',
    );
  }

  #arn(name: string): string {
    return Stack.of(this).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }
}
