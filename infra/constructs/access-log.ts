/** The API's access log, and the account's permission for API Gateway to write it. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { Environment } from '../environments.ts';

/** Names the resource and never the path, which can hold ids and the token of a webhook. The caller is the client of the token. */
export const accessLogLine = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  httpMethod: '$context.httpMethod',
  resourcePath: '$context.resourcePath',
  status: '$context.status',
  errorType: '$context.error.responseType',
  client: '$context.authorizer.client',
  responseLatencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integration.latency',
  integrationStatus: '$context.integration.status',
  responseLength: '$context.responseLength',
};

export class AccessLog extends Construct {
  readonly logGroup: LogGroup;
  /** A stage with an access log cannot be made before this. */
  readonly account: CfnAccount;

  constructor(scope: Construct, id: string, { name, logRetention, data }: Environment) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/tillflow/${name}/access`,
      retention: logRetention,
      removalPolicy: data.removalPolicy,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: {
        // What API Gateway insists on before it takes the role.
        log: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: [
                'logs:CreateLogGroup',
                'logs:CreateLogStream',
                'logs:DescribeLogGroups',
                'logs:DescribeLogStreams',
                'logs:PutLogEvents',
                'logs:GetLogEvents',
                'logs:FilterLogEvents',
              ],
              resources: ['*'],
            }),
          ],
        }),
      },
    });
    acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', 'One role per account, for the logs of all its REST APIs.');
    this.account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // The setting is the account's: another API there may log by it when this stack is gone.
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    this.account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
