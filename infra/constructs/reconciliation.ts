/**
 * What makes the reconciler look: a schedule for whatever is due, and the end of every execution for what it drove. And
 * the event bus on which the stack tells what ended, itself included.
 */
import { Duration } from 'aws-cdk-lib';
import { EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Environment } from '../environments.ts';
import type { BackgroundName } from '../functions.ts';

export interface ReconciliationProps {
  readonly environment: Environment;
  readonly machine: StateMachine;
  readonly bus: EventBus;
  readonly functionOf: (name: BackgroundName) => LambdaFunction;
}

export class Reconciliation extends Construct {
  constructor(scope: Construct, id: string, { environment, machine, bus, functionOf }: ReconciliationProps) {
    super(scope, id);
    new Rule(this, 'Schedule', {
      ruleName: `tillflow-${environment.name}-reconcile`,
      description: 'Takes what is due',
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaTarget(functionOf('reconcile'))],
    });
    new Rule(this, 'ExecutionEnded', {
      ruleName: `tillflow-${environment.name}-execution-ended`,
      description: 'Announces what an execution drove, and takes up what a dead one left open',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [machine.stateMachineArn],
          status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      targets: [new LambdaTarget(functionOf('execution-ended'))],
    });
    new Rule(this, 'Announced', {
      ruleName: `tillflow-${environment.name}-announced`,
      description: 'Delivers what was announced to the callback address of its account',
      eventBus: bus,
      eventPattern: { source: ['tillflow'] },
      targets: [new LambdaTarget(functionOf('deliver-announcement'))],
    });
  }
}

/** What the stack tells, for rules of the merchant's own. */
export class Announcements extends Construct {
  readonly bus: EventBus;

  constructor(scope: Construct, id: string, { name }: Environment) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { eventBusName: `tillflow-${name}` });
  }

  grantPublish(to: LambdaFunction): void {
    to.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [this.bus.eventBusArn] }));
    to.addEnvironment('EVENT_BUS', this.bus.eventBusName);
  }
}
