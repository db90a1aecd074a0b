/**
 * One world: the platform, the cloud with the synthesized stack, its functions, the accounts and the storefronts, on one
 * virtual clock and one seed. Nothing of it is shared with another world.
 */

import { Hono } from 'hono';
import { eventBridgeService } from '../../sandbox/cloud/aws/event-bridge.ts';
import { createSecrets, type Secrets } from '../../sandbox/cloud/aws/secrets.ts';
import { stepFunctionsService } from '../../sandbox/cloud/aws/step-functions.ts';
import { controlRoutes } from '../../sandbox/cloud/control.ts';
import { createEventBuses, type EventBuses } from '../../sandbox/cloud/events/buses.ts';
import { startSchedules } from '../../sandbox/cloud/events/schedules.ts';
import { Logs } from '../../sandbox/cloud/logs.ts';
import { createRoles } from '../../sandbox/cloud/roles.ts';
import type { StatesService } from '../../sandbox/cloud/seams.ts';
import { statusChange } from '../../sandbox/cloud/states/machines.ts';
import { createStates } from '../../sandbox/cloud/states/service.ts';
import { paymentsTable } from '../../shared/payments/indexes.ts';
import { createPayments, type Payments } from '../../shared/payments/store.ts';
import type { ReadyLine } from '../e2e/run-sandbox.ts';
import { addAccounts, isSigned, putSettings, readyLineOf } from './accounts.ts';
import { clientsOf, type Services } from './clients.ts';
import { type CloudFaults, createCloudFaults } from './cloud-faults.ts';
import type { Deployed } from './deployed.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { endTimeout, enter } from './globals.ts';
import { Host } from './host.ts';
import { createPlatform, type Platform, unlessAborted } from './platform.ts';
import { Randomness } from './randomness.ts';
import { createSeam, type Instance } from './seam.ts';
import { serviceError, Tables } from './table.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface Callback {
  readonly eventId: string;
  readonly body: string;
  /** Whether the signature is ours, checked as docs/api.md says. */
  readonly verified: boolean;
}

export interface World {
  readonly seed: number;
  readonly paymentsTable: string;
  readonly tokensTable: string;
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
  readonly faults: CloudFaults;
  /** What no function may do, and what the simulated cloud does not know: both would look like an outage to the code. */
  readonly unexpected: readonly string[];
  /** The bodies of all answers of the storefront API. */
  readonly answers: readonly string[];
  /** What the callback addresses accepted. */
  readonly callbacks: readonly Callback[];
}

const START = Date.parse('2026-11-21T10:00:00Z');

/** `merchants`: which of the platform's accounts are ours, by index. */
export async function createWorld(
  seed: number,
  { stack, definitions, machines }: Deployed,
  merchants: readonly number[] = [0, 1, 2, 3],
): Promise<World> {
  const clock = new VirtualClock(START);
  const randomness = new Randomness(seed);
  const callbacks: Callback[] = [];
  const answers: string[] = [];
  const unexpected: string[] = [];
  const trace: string[] = [];
  const logs = new Logs(clock);
  const fetchAs = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer =
      url.host === 'tillflow.aws'
        ? unlessAborted(world.gateway.fetch(url, init), init.signal)
        : platform.fetch(url, init);
    return answer.finally(() => endTimeout(init.signal));
  };
  const platform = createPlatform({ clock, seed, fetch: fetchAs, onReset: () => clear() });
  const recorded = async (answer: Response): Promise<Response> => {
    answers.push(await answer.clone().text());
    return answer;
  };
  const outside: typeof globalThis.fetch = (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer = url.host === 'control' ? control.request(url.href, init) : fetchAs(url, init).then(recorded);
    return clock.until(Promise.resolve(answer));
  };
  enter({ clock, random: randomness.of('globals'), fetch: outside });

  const faults = createCloudFaults(clock, randomness);
  const prefix = `${stack.name}-`;
  const { authorize, authorizeService } = createRoles(stack);
  const variable = (name: string) =>
    definitions.find(({ environment }) => name in environment)?.environment[name] ?? '';
  const table = variable('PAYMENTS_TABLE');
  const tokensTable = variable('TOKENS_TABLE');
  const { byMerchant, due, reviews } = paymentsTable;
  const tables = new Tables(
    [
      { name: table, indexes: { [byMerchant.index]: byMerchant, [due.index]: due, [reviews.index]: reviews } },
      { name: tokensTable, indexes: {} },
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
    latencyMs: () => faults.latencyMs,
    strike: (operation, { name }) => faults.strike(operation, name),
    outage: () => serviceError('InternalServerError', 'server'),
    trace: note,
  });
  const host: Host = new Host({
    clock,
    prefix,
    definitions,
    strike: (name) => faults.strike('invoke', name),
    trace: note,
    isIdle: (name) => name === 'find-due' && !tables.hasDue(table, 'dueAt'),
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
          callbacks.push({ eventId: headers['webhook-id'] ?? '', body, verified: isSigned(headers, body) });
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
      onStatusChange: (execution) => void buses.publish('default', statusChange(execution)),
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
    onUnexpected: (what) => unexpected.push(what),
  };
  const world: World = {
    seed,
    paymentsTable: table,
    tokensTable,
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
    faults,
    unexpected,
    callbacks,
    answers,
  };
  await addAccounts(world, merchants);
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
    await putSettings(world, merchants);
  };
  return world;
}
