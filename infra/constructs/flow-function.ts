/**
 * One function with its code, its own log group and its own role, which at first may only write that log and its
 * traces. The owner of a resource grants everything else.
 */
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { Environment } from '../environments.ts';
import { type FunctionName, type FunctionSpec, functions } from '../functions.ts';

/** The namespace of the metrics that functions emit, with the function's name as `service`. */
export const METRICS_NAMESPACE = 'tillflow';

export interface FlowFunctionProps {
  readonly name: FunctionName;
  readonly environment: Environment;
  /** The folder with one bundle per function. */
  readonly bundles: string;
}

export class FlowFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, { name, environment, bundles }: FlowFunctionProps) {
    super(scope, id);
    const spec: FunctionSpec = functions[name];
    const functionName = `tillflow-${environment.name}-${name}`;
    this.logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: environment.logRetention,
      removalPolicy: environment.data.removalPolicy,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        log: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
              resources: [this.logGroup.logGroupArn],
            }),
          ],
        }),
      },
    });
    this.function = new LambdaFunction(this, 'Function', {
      functionName,
      role,
      code: Code.fromAsset(join(bundles, name)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // A full CPU comes at 1769 MB. At 1024 MB a cold start is limited by loading, and no longer by the CPU.
      memorySize: 1024,
      timeout: Duration.seconds(spec.timeoutSeconds),
      ...(spec.concurrency && { reservedConcurrentExecutions: environment.concurrency[spec.concurrency] }),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
      environment: {
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
        POWERTOOLS_LOG_LEVEL: 'INFO',
      },
    });
    acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', 'X-Ray has no resources, so its two write actions need *.');
  }
}
