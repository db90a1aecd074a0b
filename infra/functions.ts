/**
 * Every function of the stack and what it may do: the only place that gives a function a right. A right it does not
 * need is a finding; a right it lacks fails in the sandbox, which checks every call against the template.
 */
import type { TokenKind } from '../shared/tokens.ts';

type ItemAction = 'GetItem' | 'PutItem' | 'DeleteItem';

export interface FunctionSpec {
  /** Folder under functions/; its last part is the function's name. */
  readonly folder: string;
  readonly timeoutSeconds: number;
  readonly payments?: readonly ('GetItem' | 'PutItem' | 'QueryByMerchant')[];
  /** By the kind that its keys begin with. */
  readonly tokens?: Partial<Readonly<Record<TokenKind, readonly ItemAction[]>>>;
  /** Calls the platform: knows its addresses and reads the accounts' credentials. */
  readonly platform?: true;
  /** On the state machine. */
  readonly machine?: 'StartExecution' | 'SendTaskSuccess' | 'SendTaskFailure';
  /** Makes ids that are unique to this stack. */
  readonly derivesIds?: true;
  /** Checks the storefronts' tokens. */
  readonly issuer?: true;
  /** Runs no more than the environment's `concurrentReads` at once. */
  readonly limitedConcurrency?: true;
}

const readWrite = ['GetItem', 'PutItem'] as const;
const step = { timeoutSeconds: 20, payments: readWrite } as const;
/** Fetches access tokens when it needs one. */
const platformStep = { ...step, platform: true, tokens: { access: readWrite } } as const;
const endpoint = { timeoutSeconds: 25, payments: readWrite } as const;

/** Invoked by the state machine. A step and its state share one name: `send-sale-request` is SendSaleRequest. */
const steps = {
  'send-sale-request': { ...platformStep, folder: 'sale/send-sale-request' },
  'await-terminal': {
    ...platformStep,
    folder: 'sale/await-terminal',
    timeoutSeconds: 5,
    machine: 'SendTaskSuccess',
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
  'await-capture': { ...step, folder: 'charge/await-capture', timeoutSeconds: 10, machine: 'SendTaskSuccess' },
  capture: { ...platformStep, folder: 'charge/capture' },
  void: { ...platformStep, folder: 'charge/void' },
  'record-failure': { ...step, folder: 'sale/record-failure' },
} as const satisfies Readonly<Record<string, FunctionSpec>>;

/** Invoked by the storefront API. */
const endpoints = {
  authorizer: { folder: 'api/authorizer', timeoutSeconds: 10, issuer: true },
  'create-sale': { ...endpoint, folder: 'sale/create-sale', machine: 'StartExecution', derivesIds: true },
  'abort-sale': { ...endpoint, folder: 'sale/abort-sale', machine: 'SendTaskFailure' },
  'store-card': { ...endpoint, folder: 'card/store-card', machine: 'StartExecution', derivesIds: true },
  'forget-card': { ...endpoint, folder: 'card/forget-card', tokens: { ct: ['DeleteItem'] } },
  'request-capture': {
    ...endpoint,
    folder: 'charge/request-capture',
    machine: 'SendTaskSuccess',
    derivesIds: true,
  },
  'read-resource': { ...endpoint, folder: 'api/read-resource', payments: ['GetItem'], limitedConcurrency: true },
  'list-resources': { ...endpoint, folder: 'api/list-resources', payments: ['GetItem', 'QueryByMerchant'] },
  'refuse-method': { folder: 'api/refuse-method', timeoutSeconds: 5 },
} as const satisfies Readonly<Record<string, FunctionSpec>>;

export type StepName = keyof typeof steps;
export type EndpointName = keyof typeof endpoints;
export type FunctionName = StepName | EndpointName;

export const functions: Readonly<Record<FunctionName, FunctionSpec>> = { ...steps, ...endpoints };

export const stepNames = Object.keys(steps) as readonly StepName[];
export const endpointNames = Object.keys(endpoints) as readonly EndpointName[];
export const functionNames: readonly FunctionName[] = [...stepNames, ...endpointNames];

/** The endpoint in a folder under functions/. */
export function endpointIn(folder: string): EndpointName {
  const name = endpointNames.find((candidate) => endpoints[candidate].folder === folder);
  if (name === undefined) {
    throw new Error(`no endpoint of the stack is in functions/${folder}`);
  }
  return name;
}
