/**
 * The local cloud: runs one synthesized stack, so that what runs here is what is deployed. Only this file knows all
 * parts; they meet at the interfaces in seams.ts.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { dynamoDb } from './aws/dynamodb.ts';
import { adminKeyId, startEndpoint } from './aws/endpoint.ts';
import { eventBridgeService } from './aws/event-bridge.ts';
import { lambdaInvoke } from './aws/lambda.ts';
import { createSecrets } from './aws/secrets.ts';
import { stepFunctionsService } from './aws/step-functions.ts';
import { createTables } from './aws/tables.ts';
import { startTimeToLive } from './aws/time-to-live.ts';
import { controlRoutes } from './control.ts';
import { createEventBuses } from './events/buses.ts';
import { startSchedules } from './events/schedules.ts';
import { functionDefinitions } from './functions/definition.ts';
import { createFunctions } from './functions/runtime.ts';
import { startGateway } from './gateway/gateway.ts';
import { Logs } from './logs.ts';
import { createRoles, type Right } from './roles.ts';
import type { Transition } from './seams.ts';
import { stateMachines, statusChange } from './states/machines.ts';
import { createStates } from './states/service.ts';
import { loadStack } from './template.ts';

export interface CloudOptions {
  readonly clock: Clock;
  /** The directory of the cloud assembly. */
  readonly assembly: string;
  readonly stack: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The port of the REST API; 0, the default, for any free port. */
  readonly apiPort?: number;
}

export interface Cloud {
  readonly apiUrl: string;
  /** The AWS endpoint, for clients that sign with the sandbox's own key. */
  readonly awsUrl: string;
  readonly region: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The routes under `/_cloud`. */
  readonly control: Hono;
  /** Makes a function run another module from now on. The name is without the stack's. */
  swapFunction(name: string, file: string, inspectPort?: number): Promise<void>;
  /** Every call that the policies allowed so far, and the grants that no call has used. */
  allowedCalls(): readonly Right[];
  unusedGrants(): readonly Right[];
  /** Deletes expired items as DynamoDB would; resolves to their number. */
  sweep(): Promise<number>;
  onTransition(listener: (transition: Transition) => void): void;
  /** Removes items, executions, events, logs and injected faults; secrets and warm functions stay. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) {
      await end();
    }
  };
  try {
    return await start(options, close, (end) => closing.push(end));
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  { clock, assembly, stack: name, parameters, apiPort = 0 }: CloudOptions,
  close: () => Promise<void>,
  onClose: (end: () => unknown) => void,
): Promise<Cloud> {
  const stack = loadStack({ assembly, stack: name, parameters });
  const { region } = stack;
  const { authorize, authorizeService, allowedCalls, unusedGrants } = createRoles(stack);
  const authorizeInvoke = (roleArn: string, functionArn: string) =>
    authorize(roleArn, { action: 'lambda:InvokeFunction', resource: functionArn });

  const tables = await createTables(stack);
  const timeToLive = startTimeToLive(clock, tables);
  onClose(timeToLive.stop);
  const secrets = createSecrets(stack, clock);
  const endpoint = await startEndpoint();
  onClose(endpoint.close);
  const documents = documentClient(endpoint.url, region);
  onClose(() => documents.destroy());

  const logs = new Logs(clock);
  const functions = await createFunctions({
    clock,
    definitions: functionDefinitions(stack),
    region,
    endpoint: endpoint.url,
    logs,
    authorizeService,
  });
  onClose(functions.close);
  const buses = createEventBuses({ stack, clock, functions, authorizeService });
  const schedules = startSchedules({ stack, clock, functions, authorizeService, authorizeInvoke });
  onClose(schedules.stop);

  const transitionListeners = new Set<(transition: Transition) => void>();
  const states = createStates({
    clock,
    functions,
    machines: stateMachines(stack),
    hooks: {
      authorizeInvoke,
      onStatusChange: (execution) => void buses.publish('default', statusChange(execution)),
      onTransition: (transition) => {
        for (const listener of transitionListeners) {
          listener(transition);
        }
      },
    },
  });
  onClose(states.close);

  const writes = new Map<string, number>();
  endpoint.serve({
    json: {
      secretsmanager: secrets.service,
      AWSStepFunctions: stepFunctionsService(states),
      AWSEvents: eventBridgeService(buses),
    },
    dynamoDb: dynamoDb(tables, region),
    lambda: lambdaInvoke(functions, (name) => `arn:aws:lambda:${region}:${stack.account}:function:${name}`),
    callerOf: functions.callerOf,
    authorize,
    onWrites: (executionName, count) => writes.set(executionName, (writes.get(executionName) ?? 0) + count),
  });
  const gateway = await startGateway({ clock, functions, stack, port: apiPort });
  onClose(gateway.close);

  return {
    apiUrl: gateway.url,
    awsUrl: endpoint.url,
    region,
    outputs: stack.outputs,
    control: controlRoutes({
      stackName: stack.name,
      functions,
      states,
      schedules,
      buses,
      logs,
      tableNames: tables.definitions.map(({ name }) => name),
      items: (tableName) => items(documents, tableName),
      secretNames: secrets.names,
      putSecret: secrets.put,
      writesOf: (executionName) => writes.get(executionName) ?? 0,
    }),
    swapFunction: (name, file, inspectPort) => functions.swap(`${stack.name}-${name}`, file, inspectPort),
    allowedCalls,
    unusedGrants,
    sweep: timeToLive.sweep,
    onTransition: (listener) => void transitionListeners.add(listener),
    async clear() {
      gateway.clear();
      states.clear();
      await functions.clear();
      await tables.clear();
      buses.clear();
      logs.clear();
      writes.clear();
      schedules.restart();
    },
    close,
  };
}

function documentClient(endpoint: string, region: string): DynamoDBDocumentClient {
  const credentials = { accessKeyId: adminKeyId, secretAccessKey: 'sandbox' };
  return DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
}

async function items(client: DynamoDBDocumentClient, TableName: string): Promise<object[]> {
  const all: object[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    all.push(...Items);
  }
  return all;
}
