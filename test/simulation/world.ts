/**
 * One world: the platform, the cloud with the synthesized stack, its functions, the accounts and the storefronts, on one
 * virtual clock and one seed. Nothing of it is shared with another world.
 */

import { Hono } from 'hono';
import type { Synthesized } from '../../infra/synthesize.ts';
import { eventBridgeService } from '../../sandbox/cloud/aws/event-bridge.ts';
import { createSecrets, type Secrets } from '../../sandbox/cloud/aws/secrets.ts';
import { stepFunctionsService } from '../../sandbox/cloud/aws/step-functions.ts';
import { controlRoutes } from '../../sandbox/cloud/control.ts';
import { createEventBuses, type EventBuses } from '../../sandbox/cloud/events/buses.ts';
import { startSchedules } from '../../sandbox/cloud/events/schedules.ts';
import { type FunctionDefinition, functionDefinitions } from '../../sandbox/cloud/functions/definition.ts';
import { Logs } from '../../sandbox/cloud/logs.ts';
import { createRoles } from '../../sandbox/cloud/roles.ts';
import type { StateMachineDefinition, StatesService } from '../../sandbox/cloud/seams.ts';
import { createStates } from '../../sandbox/cloud/states/service.ts';
import { loadStack, type Stack } from '../../sandbox/cloud/template.ts';
import { ISV_WEBHOOK_TYPES, MERCHANT_WEBHOOK_TYPES } from '../../sandbox/viva/webhooks/recipients.ts';
import { paymentsTable } from '../../shared/payments/indexes.ts';
import { createPayments, type Payments } from '../../shared/payments/store.ts';
import { isvOwner } from '../../shared/viva/credentials.ts';
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import type { CloudFault, CloudScenario } from './books/scenario.ts';
import { clientsOf, type Services } from './clients.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { enter } from './globals.ts';
import { Host } from './host.ts';
import { createPlatform, type Platform, unlessAborted } from './platform.ts';
import { Randomness } from './randomness.ts';
import { createSeam, type Instance, type Strike } from './seam.ts';
import { serviceError, Tables } from './table.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface World {
  readonly seed: number;
  /** The store of the table without the seam: as somebody who looks or sets up. */
  readonly payments: Payments;
  readonly clock: VirtualClock;
  readonly platform: Platform;
  readonly tables: Tables;
  readonly host: Host;
  readonly states: StatesService;
  readonly buses: EventBuses;
  readonly secrets: Secrets;
  readonly gateway: Gateway;
  readonly logs: Logs;
  readonly ready: ReadyLine;
  /** As somebody outside calls the storefront API, the platform and the control API. Time passes until there is an answer. */
  readonly fetch: typeof globalThis.fetch;
  readonly trace: readonly string[];
  /** From now on the cloud has these faults; their times are seconds from `beganMs`. */
  trouble(cloud: CloudScenario, beganMs: number): void;
  /** Stores the credentials that the platform has now, as an operator does after a rotation. */
  putSecret(merchantId: string): void;
  /** How often each fault of the cloud struck. */
  readonly struck: ReadonlyMap<string, number>;
}

const START = Date.parse('2026-11-21T10:00:00Z');
const CALLBACK_SECRET = `whsec_${Buffer.from('CANARY-callback-secret-of-32-byte').toString('base64')}`;
const PATH_TOKEN = 'CANARY0123456789abcdef0123456789abcdef';
/** The dialect of the last account: it takes its sales through the ISV. */
const LAST = 3;

/** What is the same in all worlds: the stack, its functions and its state machine. */
export interface Deployed {
  readonly stack: Stack;
  readonly definitions: readonly FunctionDefinition[];
  readonly machines: readonly StateMachineDefinition[];
}

export function loadDeployed(synthesized: Synthesized): Deployed {
  const stack = loadStack({
    ...synthesized,
    parameters: {
      PlatformAuthUrl: 'http://auth.viva',
      PlatformApiUrl: 'http://api.viva',
      PlatformBaseUrl: 'http://base.viva',
      OidcIssuer: 'http://issuer',
      OidcAudience: 'tillflow',
    },
  });
  return { stack, definitions: functionDefinitions(stack), machines: machinesOf(stack) };
}

export async function createWorld(seed: number, { stack, definitions, machines }: Deployed): Promise<World> {
  const clock = new VirtualClock(START);
  const randomness = new Randomness(seed);
  const callbacks: unknown[] = [];
  const trace: string[] = [];
  const logs = new Logs(clock);
  const fetchAs = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    return url.host === 'tillflow.aws'
      ? unlessAborted(world.gateway.fetch(url, init), init.signal)
      : platform.fetch(url, init);
  };
  const platform = createPlatform({ clock, seed, fetch: fetchAs, onReset: () => clear() });
  const outside: typeof globalThis.fetch = (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer = url.host === 'control' ? control.request(url.href, init) : fetchAs(url, init);
    return clock.until(Promise.resolve(answer));
  };
  enter({ clock, random: randomness.of('globals'), fetch: outside });

  const struck = new Map<string, number>();
  let strike: (operation: string, functionName: string) => Strike | undefined = () => undefined;
  const prefix = `${stack.name}-`;
  const { authorize, authorizeService } = createRoles(stack);
  const variable = (name: string) =>
    definitions.find(({ environment }) => name in environment)?.environment[name] ?? '';
  const table = variable('PAYMENTS_TABLE');
  const { byMerchant, due, reviews } = paymentsTable;
  const tables = new Tables(
    [
      { name: table, indexes: { [byMerchant.index]: byMerchant, [due.index]: due, [reviews.index]: reviews } },
      { name: variable('TOKENS_TABLE'), indexes: {} },
    ],
    () => clock.now(),
  );
  const secrets = createSecrets(stack, clock);
  const note = (instance: Instance, operation: string, key: string, result: string) => {
    trace.push(`${clock.now() - START} ${instance.name}#${instance.id} ${operation} ${key} ${result}`);
  };
  const seam = createSeam({
    clock,
    random: randomness.of('latency'),
    strike: (operation, { name }) => strike(operation, name),
    outage: () => serviceError('InternalServerError', 'server'),
    trace: note,
  });
  const host: Host = new Host({
    clock,
    prefix,
    definitions,
    repeats: (name) => strike('invoke', name.slice(prefix.length)) === 'twice',
    trace: note,
    surroundings: (instance, { roleArn, environment }) => ({
      ...clientsOf(instance, roleArn, services),
      variables: environment,
      urls: platform.sim.urls,
      fetch: (input, init) => {
        const url = new URL(String(input));
        const place = url.pathname.replace(/[0-9a-f-]{36}|\d{10,}/g, '*');
        return seam(instance, `viva.${init?.method ?? 'GET'} ${place}`, url.pathname, () => fetchAs(url, init));
      },
      now: () => clock.now(),
      sleep: (ms) => seam(instance, 'sleep', '', () => clock.sleep(ms)),
      post: (url, headers, body) =>
        seam(instance, 'callback.post', url, async () => {
          callbacks.push({ url, headers, body });
          return { accepted: true, status: '200' };
        }),
      log: (level, message, fields = {}) =>
        logs.add(prefix + instance.name, undefined, JSON.stringify({ level: level.toUpperCase(), message, ...fields })),
    }),
  });
  const buses = createEventBuses({ stack, clock, functions: host, authorizeService });
  const states = createStates({
    clock,
    functions: host,
    machines,
    random: () => randomness.of('jitter').next(),
    hooks: {
      authorizeInvoke: (roleArn, functionArn) =>
        authorize(roleArn, { action: 'lambda:InvokeFunction', resource: functionArn }),
      onStatusChange: (execution) =>
        void buses.publish('default', {
          source: 'aws.states',
          detailType: 'Step Functions Execution Status Change',
          detail: execution,
          resources: [execution.executionArn],
        }),
      onTransition: () => {},
    },
  });
  const services: Services = {
    seam,
    tables,
    states: stepFunctionsService(states),
    secrets: secrets.service,
    events: eventBridgeService(buses),
    functions: host,
    authorize,
    arnOf: (name) => host.find(name).arn,
  };
  const world: World = {
    seed,
    payments: createPayments(
      {
        send: async (command: { constructor: { name: string }; input: object }) =>
          tables.run(command.constructor.name.slice(0, -'Command'.length), command.input as never),
      } as never,
      { name: table, dueShards: Number(variable('DUE_SHARDS')) },
      () => clock.now(),
    ),
    clock,
    platform,
    tables,
    host,
    states,
    buses,
    secrets,
    gateway: createGateway(host),
    logs,
    trace,
    ready: readyLineOf(platform),
    fetch: outside,
    struck,
    putSecret: (merchantId) => putSecret(world, merchantId),
    trouble: ({ faults, indexLagMs }, beganMs) => {
      strike = striker(faults, beganMs, world, randomness);
      tables.indexLagMs = () => indexLagMs;
    },
  };
  await takeOnAccounts(world);
  const schedules = startSchedules({
    stack,
    clock,
    functions: host,
    authorizeService,
    authorizeInvoke: (roleArn, functionArn) =>
      authorize(roleArn, { action: 'lambda:InvokeFunction', resource: functionArn }),
  });
  const control = new Hono().route('/', platform.control).route(
    '/',
    controlRoutes({
      stackName: stack.name,
      functions: host as never,
      states,
      schedules,
      buses,
      logs,
      tableNames: [table],
      items: async (name) => [...tables.itemsOf(name).values()],
      secretNames: secrets.names,
      putSecret: secrets.put,
      writesOf: () => 0,
    }),
  );
  const clear = async () => {
    states.clear();
    host.clear();
    tables.clear();
    buses.clear();
    logs.clear();
    schedules.restart();
    await putSettings(world);
  };
  return world;
}

function readyLineOf({ sim }: Platform): ReadyLine {
  const { clientId, clientSecret, resellerId, resellerApiKey } = sim.accounts.isv;
  return {
    apiUrl: 'http://tillflow.aws',
    controlUrl: 'http://control',
    issuerUrl: 'http://issuer',
    platform: sim.urls,
    aws: { endpointUrl: '', region: '', accessKeyId: '', secretAccessKey: '' },
    storefront: { clientId: '', clientSecret: '', accessToken: '' },
    storefronts: [],
    isv: { clientId, clientSecret, resellerId, ...{ resellerApiKey }, webhookUrl: webhookUrl(isvOwner) },
    merchants: sim.accounts.all.map((account) => ({
      ...account,
      webhookUrl: webhookUrl(account.merchantId),
      credentials: { ...account.credentials, callbackSecret: CALLBACK_SECRET },
    })),
  };
}

/** As an operator does it: secrets, settings and webhook addresses. */
/** Draws the fault of each effect, from a stream of its own for each fault of the scenario. */
function striker(
  faults: readonly CloudFault[],
  beganMs: number,
  { clock, struck }: World,
  randomness: Randomness,
): (operation: string, functionName: string) => Strike | undefined {
  const counts = struck as Map<string, number>;
  const drawn = faults.map((fault) => ({ fault, random: randomness.of(`fault ${JSON.stringify(fault)}`) }));
  return (operation, functionName) => {
    const second = (clock.now() - beganMs) / 1000;
    for (const { fault, random } of drawn) {
      const { from, until, effect, probability } = fault;
      const concerns = matches(fault.operation, operation) && (fault.functionName ?? functionName) === functionName;
      if (concerns && second >= from && second < until && random.next() < probability) {
        const key = `${effect} ${operation} ${functionName}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return effect;
      }
    }
    return undefined;
  };
}

function matches(pattern: string, operation: string): boolean {
  return pattern.endsWith('*') ? operation.startsWith(pattern.slice(0, -1)) : operation === pattern;
}

async function takeOnAccounts(world: World): Promise<void> {
  const { platform, secrets } = world;
  const { accounts, recipients } = platform.sim;
  for (const { merchantId } of accounts.all) {
    putSecret(world, merchantId);
    recipients.register(merchantId, webhookUrl(merchantId), MERCHANT_WEBHOOK_TYPES);
  }
  recipients.register(isvOwner, webhookUrl(isvOwner), ISV_WEBHOOK_TYPES);
  await putSettings(world);
  const { clientId, clientSecret, resellerId, resellerApiKey } = accounts.isv;
  secrets.put(
    'tillflow/local/isv',
    JSON.stringify({
      isv: { clientId, clientSecret },
      reseller: { resellerId, apiKey: resellerApiKey },
      webhookPathTokens: [PATH_TOKEN],
    }),
  );
}

function putSecret({ platform, secrets }: World, merchantId: string): void {
  const { credentials } = platform.sim.accounts.find(merchantId)!;
  const secret = { ...credentials, webhookPathTokens: [PATH_TOKEN], callbackSecret: CALLBACK_SECRET };
  secrets.put(`tillflow/local/accounts/${merchantId}`, JSON.stringify(secret));
}

async function putSettings({ platform, payments }: World): Promise<void> {
  for (const [index, account] of platform.sim.accounts.all.entries()) {
    const { merchantId, mode, country, industry, terminals } = account;
    await payments.create(
      'account',
      merchantId,
      {
        ...{ merchantId, mode, country, industry, terminals, currency: 'EUR' },
        terminalApi: index === LAST ? 'isv' : 'merchant',
        isvCapture: 'reseller',
        returnUrls: [],
        captureDays: 5,
        sendSessionRedirectUrl: true,
      },
      { listed: false },
    );
  }
}

function webhookUrl(recipient: string): string {
  return `http://tillflow.aws/webhooks/${recipient}/${PATH_TOKEN}`;
}

function machinesOf(stack: Stack): StateMachineDefinition[] {
  return [...stack.ofType('AWS::StepFunctions::StateMachine')].map(([logicalId, { properties }]) => ({
    arn: stack.ref(logicalId),
    name: stack.attribute(logicalId, 'Name'),
    roleArn: String(properties['RoleArn']),
    definition: JSON.parse(String(properties['DefinitionString'])) as object,
    type: 'STANDARD',
  }));
}
