/** One environment as one stack: the functions, their resources, their triggers, and what protects and monitors them. */
import { Aws, CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { Alarms } from './constructs/alarms.ts';
import { Credentials } from './constructs/credentials.ts';
import { Firewall } from './constructs/firewall.ts';
import { FlowFunction } from './constructs/flow-function.ts';
import { grantMachine, PaymentMachine } from './constructs/payment-machine.ts';
import { PlatformAddresses } from './constructs/platform-addresses.ts';
import { EventDelivery, Reconciliation } from './constructs/reconciliation.ts';
import { StorefrontApi } from './constructs/storefront-api.ts';
import { storefrontIssuer } from './constructs/storefront-issuer.ts';
import { Tables } from './constructs/tables.ts';
import type { Environment } from './environments.ts';
import { type FunctionName, type FunctionSpec, functionNames, functions } from './functions.ts';

export interface TillflowStackProps {
  readonly environment: Environment;
  /** The folder with one bundle per function. */
  readonly bundles: string;
}

export class TillflowStack extends Stack {
  constructor(scope: Construct, { environment, bundles }: TillflowStackProps) {
    super(scope, stackName(environment), {
      env: { region: environment.region },
      description: `tillflow ${environment.name}: card-present tokenization, later charges and RF payments`,
      terminationProtection: environment.data.deletionProtection,
    });
    const tables = new Tables(this, 'Tables', environment);
    const credentials = new Credentials(this, 'Credentials', environment);
    const platform = new PlatformAddresses(this, environment);
    const issuer = storefrontIssuer(this, environment);
    const events = new EventDelivery(this, 'EventDelivery', environment);

    const flowFunctions = new Map(
      functionNames.map((name) => [name, new FlowFunction(this, pascalCase(name), { name, environment, bundles })]),
    );
    const functionOf = (name: FunctionName) => (flowFunctions.get(name) as FlowFunction).function;
    for (const name of functionNames) {
      const spec: FunctionSpec = functions[name];
      const to = functionOf(name);
      tables.grant(to, spec);
      grantMachine(to, spec, environment);
      if (spec.platform) {
        platform.provide(to);
        credentials.grantRead(to);
      }
      if (spec.publishes) {
        events.grantPublish(to);
      }
      if (spec.callsBack) {
        credentials.grantRead(to);
        to.addEnvironment('CALLBACKS_ALLOW_PRIVATE', String(environment.callbacks.allowPrivate));
      }
      for (const woken of spec.wakes ?? []) {
        grantWake(to, functionOf(woken as FunctionName), woken);
      }
      if (spec.webhookSources) {
        to.addEnvironment('WEBHOOK_SOURCES', environment.webhooks.sources.join(' '));
      }
      if (spec.derivesIds) {
        to.addEnvironment('STACK_ID', Aws.STACK_ID);
      }
      if (spec.issuer) {
        to.addEnvironment('OIDC_ISSUER', issuer.url);
        to.addEnvironment('OIDC_AUDIENCE', issuer.audience);
      }
    }
    const { machine } = new PaymentMachine(this, 'PaymentMachine', { environment, functionOf });
    new Reconciliation(this, 'Reconciliation', { environment, machine, bus: events.bus, functionOf });
    const { api } = new StorefrontApi(this, 'StorefrontApi', { environment, functionOf });

    if (environment.firewall === undefined) {
      acknowledge(api, 'AwsSolutions-APIG3', 'The table of environments gives this environment no firewall.');
    } else {
      const { firewall: settings, name: environmentName } = environment;
      new Firewall(this, 'Firewall', { environmentName, settings, stageArn: api.deploymentStage.stageArn });
    }
    const { topic } = new Alarms(this, 'Alarms', {
      environment,
      machine,
      api,
      functionOf: (name) => flowFunctions.get(name) as FlowFunction,
    });

    for (const [name, value] of Object.entries({
      MachineArn: machine.stateMachineArn,
      PaymentsTable: tables.payments.tableName,
      TokensTable: tables.tokens.tableName,
      AlarmTopic: topic.topicArn,
      EventBus: events.bus.eventBusName,
    })) {
      new CfnOutput(this, name, { value });
    }
  }
}

/** Lets a function invoke the other, and passes its name: `DELIVER_EVENT_FUNCTION`. */
function grantWake(to: LambdaFunction, woken: LambdaFunction, name: string): void {
  to.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [woken.functionArn] }));
  to.addEnvironment(`${name.toUpperCase().replaceAll('-', '_')}_FUNCTION`, woken.functionName);
}

export function stackName({ name }: Environment): string {
  return `tillflow-${name}`;
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
