/** The AWS clients of one instance: the real services of the local cloud behind the seam, with the role's rights checked. */
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AwsService } from '../../sandbox/cloud/aws/service.ts';
import type { Call } from '../../sandbox/cloud/iam.ts';
import { AwsError, type FunctionHost } from '../../sandbox/cloud/seams.ts';
import type { Instance, Seam } from './seam.ts';
import { serviceError, type Tables } from './table.ts';

export interface Services {
  readonly seam: Seam;
  readonly tables: Tables;
  readonly states: AwsService;
  readonly secrets: AwsService;
  readonly events: AwsService;
  readonly functions: FunctionHost;
  readonly authorize: (roleArn: string, call: Call) => void;
  readonly arnOf: (functionName: string) => string;
  readonly onUnexpected: (what: string) => void;
}

export interface Clients {
  readonly documents: DynamoDBDocumentClient;
  readonly states: SFNClient;
  readonly secrets: SecretsManagerClient;
  readonly events: EventBridgeClient;
  readonly lambda: LambdaClient;
}

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Readonly<Record<string, unknown>>;
}

export function clientsOf(instance: Instance, roleArn: string, services: Services): Clients {
  const { seam, tables, functions, arnOf } = services;
  const allowed = new Set<string>();
  const authorize = (call: Call) => {
    const key = `${call.action} ${call.resource} ${JSON.stringify(call.context)}`;
    if (!allowed.has(key)) {
      services.authorize(roleArn, call);
      allowed.add(key);
    }
  };
  const client = (area: string, run: (operation: string, input: Command['input']) => unknown) => ({
    send: (command: Command) => {
      const operation = command.constructor.name.slice(0, -'Command'.length);
      return seam(instance, `${area}.${operation}`, keyOf(command.input), async () => {
        try {
          return await run(operation, command.input);
        } catch (error) {
          const { name, message } = error as Error;
          if (!(error instanceof AwsError)) {
            if (!('$fault' in (error as object))) {
              services.onUnexpected(`${area}.${operation} of ${instance.name}: ${name} ${message}`);
            }
            throw error;
          }
          if (error.code === 'AccessDeniedException') {
            services.onUnexpected(`${area}.${operation} of ${instance.name}: ${message}`);
          }
          throw serviceError(error.code, 'client', message);
        }
      });
    },
  });
  const of = (service: AwsService) => (operation: string, input: Command['input']) =>
    service({ operation, input, authorize, executionName: undefined });
  return {
    documents: client('table', (operation, input) => tables.run(operation, input as never)) as never,
    states: client('states', of(services.states)) as never,
    secrets: client('secrets', of(services.secrets)) as never,
    events: client('events', of(services.events)) as never,
    lambda: client('lambda', (_, { FunctionName, Payload }) => {
      authorize({ action: 'lambda:InvokeFunction', resource: arnOf(String(FunctionName)) });
      functions.invokeAsync(String(FunctionName), JSON.parse(String(Payload)));
      return {};
    }) as never,
  };
}

/** What the call is about, for the trace; never a value that may be secret. */
function keyOf(input: Command['input']): string {
  const { Key, Item, name, executionArn, SecretId, FunctionName } = input as Readonly<
    Record<string, string | undefined>
  > & { readonly Key?: { readonly pk: string }; readonly Item?: { readonly pk: string } };
  return Key?.pk ?? Item?.pk ?? name ?? executionArn ?? SecretId ?? FunctionName ?? '';
}
