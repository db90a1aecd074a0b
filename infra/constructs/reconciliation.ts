/**
 * What starts reconciliation: a schedule for due items, and the end of each execution. Also the event bus on which the
 * stack publishes its events, and the rule that delivers them to callback addresses.
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
      description: 'Reconciles every item that is due.',
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaTarget(functionOf('find-due'))],
    });
    new Rule(this, 'ExecutionEnd', {
      ruleName: `tillflow-${environment.name}-execution-end`,
      description: 'Publishes the events of an execution that ended, and restarts what a dead one left open.',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [machine.stateMachineArn],
          status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      targets: [new LambdaTarget(functionOf('handle-execution-end'))],
    });
    new Rule(this, 'Events', {
      ruleName: `tillflow-${environment.name}-deliver-events`,
      description: 'Delivers published events to the callback address of their account.',
      eventBus: bus,
      eventPattern: { source: ['tillflow'] },
      targets: [new LambdaTarget(functionOf('deliver-event'))],
    });
  }
}

/** The event bus of the published events, for the merchant's own rules. */
export class EventDelivery extends Construct {
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
