/**
 * Every function of the stack and its rights; no other place grants a function a right. A right that a function does
 * not need is a finding. A right that it lacks fails in the sandbox, which checks every call against the template.
 */
import type { TokenKind } from '../shared/tokens/store.ts';
import type { Environment } from './environments.ts';

type ItemAction = 'GetItem' | 'PutItem' | 'DeleteItem';
/** On the `payments` table: by key, a merchant's lists, or the index of what is due. */
export type PaymentsAccess = 'GetItem' | 'PutItem' | 'List' | 'FindDue';

export interface FunctionSpec {
  /** The folder under functions/; its last part is the function's name. */
  readonly folder: string;
  readonly timeoutSeconds: number;
  readonly payments?: readonly PaymentsAccess[];
  /** By the prefix of its keys. */
  readonly tokens?: Partial<Readonly<Record<TokenKind, readonly ItemAction[]>>>;
  /** Calls the platform: gets its addresses and may read the accounts' credentials. */
  readonly platform?: true;
  /** Its actions on the state machine. */
  readonly machine?: readonly ('StartExecution' | 'DescribeExecution' | 'SendTaskSuccess' | 'SendTaskFailure')[];
  /** Functions that it invokes asynchronously; each name is passed as `<NAME>_FUNCTION`. */
  readonly wakes?: readonly string[];
  /** Publishes on the event bus. */
  readonly publishes?: true;
  /** Posts to the callback addresses of accounts, signed with their secrets. */
  readonly callsBack?: true;
  /** Creates ids that are unique to this stack. */
  readonly derivesIds?: true;
  /** Checks the storefronts' tokens. */
  readonly issuer?: true;
  /** Gets the addresses that the platform sends webhooks from. */
  readonly webhookSources?: true;
  /** The limit of its concurrent invocations, from the environment. */
  readonly concurrency?: keyof Environment['concurrency'];
}

const readWrite = ['GetItem', 'PutItem'] as const;
const step = { timeoutSeconds: 20, payments: readWrite } as const;
/** Fetches access tokens when it needs one. */
const platformUse = { platform: true, tokens: { access: readWrite } } as const;
const platformStep = { ...step, ...platformUse } as const;
const endpoint = { timeoutSeconds: 25, payments: readWrite } as const;

/** Invoked by the state machine. A step and its state share one name: `send-sale-request` is SendSaleRequest. */
const steps = {
  'send-sale-request': { ...platformStep, folder: 'sale/send-sale-request' },
  'await-terminal': {
    ...platformStep,
    folder: 'sale/await-terminal',
    timeoutSeconds: 5,
    machine: ['SendTaskSuccess'],
  },
  'retrieve-transaction': {
    ...step,
    folder: 'sale/retrieve-transaction',
    platform: true,
    tokens: { ct: readWrite },
    derivesIds: true,
  },
  'create-card-token': {
    ...platformStep,
    folder: 'sale/create-card-token',
    tokens: { access: readWrite, ct: readWrite },
  },
  'create-charge-token': {
    ...platformStep,
    folder: 'charge/create-charge-token',
    tokens: { access: readWrite, ct: ['GetItem'], ctok: readWrite, form: ['PutItem'] },
  },
  'await-authentication': { ...step, folder: 'charge/await-authentication', timeoutSeconds: 10 },
  'create-transaction': {
    ...platformStep,
    folder: 'charge/create-transaction',
    tokens: { access: readWrite, ctok: ['GetItem'] },
  },
  'reconcile-charge': { ...step, folder: 'charge/reconcile-charge' },
  'await-capture': { ...step, folder: 'charge/await-capture', timeoutSeconds: 10, machine: ['SendTaskSuccess'] },
  capture: { ...platformStep, folder: 'charge/capture' },
  void: { ...platformStep, folder: 'charge/void' },
  'record-failure': { ...step, folder: 'sale/record-failure' },
} as const satisfies Readonly<Record<string, FunctionSpec>>;

/** Invoked by the storefront API. */
const endpoints = {
  authorizer: { folder: 'api/authorizer', timeoutSeconds: 10, issuer: true },
  'create-sale': { ...endpoint, folder: 'sale/create-sale', machine: ['StartExecution'], derivesIds: true },
  'abort-sale': { ...endpoint, folder: 'sale/abort-sale', machine: ['SendTaskFailure'] },
  'store-card': { ...endpoint, folder: 'card/store-card', machine: ['StartExecution'], derivesIds: true },
  'forget-card': { ...endpoint, folder: 'card/forget-card', tokens: { ct: ['DeleteItem'] } },
  'request-capture': {
    ...endpoint,
    folder: 'charge/request-capture',
    machine: ['SendTaskSuccess'],
    derivesIds: true,
  },
  'create-rf-order': { ...endpoint, ...platformUse, folder: 'rf-orders/create-rf-order', derivesIds: true },
  'cancel-rf-order': { ...endpoint, ...platformUse, folder: 'rf-orders/cancel-rf-order' },
  'read-resource': { ...endpoint, folder: 'api/read-resource', payments: ['GetItem'], concurrency: 'reads' },
  'list-resources': { ...endpoint, folder: 'api/list-resources', payments: ['GetItem', 'List'] },
  'refuse-method': { folder: 'api/refuse-method', timeoutSeconds: 5 },
  'receive-webhook': {
    ...endpoint,
    folder: 'webhooks/receive-webhook',
    platform: true,
    tokens: { access: readWrite, 'webhook-key': readWrite },
    wakes: ['act-on-webhook'],
    webhookSources: true,
    concurrency: 'webhooks',
  },
} as const satisfies Readonly<Record<string, FunctionSpec>>;

/** The rights to reconcile items: read the platform, replace dead executions, publish events. */
const reconcilerGrants = {
  ...platformUse,
  payments: [...readWrite, 'List'],
  timeoutSeconds: 60,
  machine: ['StartExecution', 'DescribeExecution'],
  publishes: true,
} as const;

/** Invoked by schedules, by events, and by other functions that do not wait for them. */
export const background = {
  'act-on-webhook': {
    folder: 'webhooks/act-on-webhook',
    timeoutSeconds: 60,
    payments: [...readWrite, 'List'],
    platform: true,
    tokens: { access: readWrite },
    machine: ['SendTaskSuccess', 'SendTaskFailure'],
    publishes: true,
    concurrency: 'webhooks',
  },
  'find-due': {
    folder: 'reconciler/find-due',
    timeoutSeconds: 60,
    payments: ['FindDue'],
    wakes: ['reconcile-due', 'read-daily-lists', 'act-on-webhook', 'deliver-event'],
  },
  /** The due items of one merchant. */
  'reconcile-due': {
    ...reconcilerGrants,
    folder: 'reconciler/reconcile-due',
    timeoutSeconds: 240,
    tokens: { ...platformUse.tokens, ct: ['DeleteItem'] },
  },
  'read-daily-lists': {
    ...platformUse,
    folder: 'reconciler/read-daily-lists',
    timeoutSeconds: 240,
    payments: [...readWrite, 'List'],
  },
  'handle-execution-end': {
    folder: 'reconciler/handle-execution-end',
    timeoutSeconds: 30,
    payments: readWrite,
    publishes: true,
    wakes: ['reconcile-due'],
  },
  'deliver-event': {
    folder: 'events/deliver-event',
    // Two attempts and the five seconds between them.
    timeoutSeconds: 30,
    payments: readWrite,
    callsBack: true,
    concurrency: 'callbacks',
  },
} as const satisfies Readonly<Record<string, FunctionSpec>>;

export type StepName = keyof typeof steps;
export type EndpointName = keyof typeof endpoints;
export type BackgroundName = keyof typeof background;
export type FunctionName = StepName | EndpointName | BackgroundName;

export const functions: Readonly<Record<FunctionName, FunctionSpec>> = { ...steps, ...endpoints, ...background };

export const stepNames = Object.keys(steps) as readonly StepName[];
export const endpointNames = Object.keys(endpoints) as readonly EndpointName[];
export const backgroundNames = Object.keys(background) as readonly BackgroundName[];
export const functionNames: readonly FunctionName[] = [...stepNames, ...endpointNames, ...backgroundNames];

/** The endpoint in a folder under functions/. */
export function endpointIn(folder: string): EndpointName {
  const name = endpointNames.find((candidate) => endpoints[candidate].folder === folder);
  if (name === undefined) {
    throw new Error(`no endpoint of the stack is in functions/${folder}`);
  }
  return name;
}
