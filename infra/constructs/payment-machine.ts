/**
 * The payment state machine and its role, which may invoke exactly the steps. Its name is fixed, so that functions
 * which answer task tokens can be granted that by the ARN; a reference would be circular.
 */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { Environment } from '../environments.ts';
import { type FunctionSpec, type StepName, stepNames } from '../functions.ts';
import { paymentDefinition } from '../machine/definition.ts';

export interface PaymentMachineProps {
  readonly environment: Environment;
  readonly functionOf: (step: StepName) => LambdaFunction;
}

export class PaymentMachine extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, { environment, functionOf }: PaymentMachineProps) {
    super(scope, id);
    const definition = paymentDefinition((step) => functionOf(step).functionArn);
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: machineName(environment),
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
      logs: {
        destination: new LogGroup(this, 'Logs', {
          // With this prefix the log needs no statement in the account's resource policy, which has a size limit.
          logGroupName: `/aws/vendedlogs/states/${machineName(environment)}`,
          retention: environment.logRetention,
          removalPolicy: environment.data.removalPolicy,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
      tracingEnabled: true,
    });
    this.machine.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: stepNames.map((step) => functionOf(step).functionArn),
      }),
    );
    acknowledge(
      this.machine.role,
      'AwsSolutions-IAM5[Resource::*]',
      'Log delivery and X-Ray have no resources, so their actions, which the CDK lists one by one, need *.',
    );
  }
}

/** Grants what the table of functions says, and passes the machine's ARN to functions that start executions. */
export function grantMachine(to: LambdaFunction, { machine = [] }: FunctionSpec, environment: Environment): void {
  const arn = (resource: string, resourceName: string) =>
    Stack.of(to).formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  const machineArn = arn('stateMachine', machineName(environment));
  for (const action of machine) {
    const describe = action === 'DescribeExecution';
    const executions = `${machineName(environment)}:*`;
    to.addToRolePolicy(
      new PolicyStatement({
        actions: [`states:${action}`],
        resources: [describe ? arn('execution', executions) : machineArn],
      }),
    );
    if (describe) {
      acknowledge(
        to.role as IRole,
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:${Stack.of(to).region}:<AWS::AccountId>:execution:${executions}]`,
        'Executions are created at run time; only those of this machine are read.',
      );
    }
  }
  if (machine.includes('StartExecution')) {
    to.addEnvironment('MACHINE_ARN', machineArn);
  }
}

function machineName({ name }: Environment): string {
  return `tillflow-${name}-payment`;
}
