/**
 * The functions under simulation: each with the real step or endpoint and the real stores and clients, wired as its
 * `index.ts` does it, on the clients of one instance.
 */

import { listResources } from '../../functions/api/list-resources/endpoint.ts';
import { readResource } from '../../functions/api/read-resource/endpoint.ts';
import { forgetCard } from '../../functions/card/forget-card/endpoint.ts';
import { storeCard } from '../../functions/card/store-card/endpoint.ts';
import { awaitAuthentication } from '../../functions/charge/await-authentication/step.ts';
import { awaitCapture } from '../../functions/charge/await-capture/step.ts';
import { capture } from '../../functions/charge/capture/step.ts';
import { createChargeToken } from '../../functions/charge/create-charge-token/step.ts';
import { createTransaction } from '../../functions/charge/create-transaction/step.ts';
import { reconcileChargeStep } from '../../functions/charge/reconcile-charge/step.ts';
import { requestCapture } from '../../functions/charge/request-capture/endpoint.ts';
import { voidPreauth } from '../../functions/charge/void/step.ts';
import { deliverEvent } from '../../functions/events/deliver-event/step.ts';
import { findDue } from '../../functions/reconciler/find-due/step.ts';
import { handleExecutionEnd } from '../../functions/reconciler/handle-execution-end/step.ts';
import { readDailyListsStep } from '../../functions/reconciler/read-daily-lists/step.ts';
import { reconcileDue } from '../../functions/reconciler/reconcile-due/step.ts';
import { cancelRfOrder } from '../../functions/rf-orders/cancel-rf-order/endpoint.ts';
import { createRfOrder } from '../../functions/rf-orders/create-rf-order/endpoint.ts';
import { abortSale } from '../../functions/sale/abort-sale/endpoint.ts';
import { awaitTerminal } from '../../functions/sale/await-terminal/step.ts';
import { createCardToken } from '../../functions/sale/create-card-token/step.ts';
import { createSale } from '../../functions/sale/create-sale/endpoint.ts';
import { recordFailure } from '../../functions/sale/record-failure/step.ts';
import { retrieveTransaction } from '../../functions/sale/retrieve-transaction/step.ts';
import { sendSaleRequest } from '../../functions/sale/send-sale-request/step.ts';
import { actOnWebhook } from '../../functions/webhooks/act-on-webhook/step.ts';
import { receiveWebhook } from '../../functions/webhooks/receive-webhook/endpoint.ts';
import type { Endpoint } from '../../shared/api/endpoint.ts';
import { createWake } from '../../shared/aws/wake.ts';
import { createPutEvents } from '../../shared/events/event-bus.ts';
import { type PublishDeps, publish } from '../../shared/events/publish.ts';
import { createExecutions, createStateOfExecution } from '../../shared/flow/executions.ts';
import type { Step } from '../../shared/flow/step.ts';
import { createCompleteTask, createRetryTask } from '../../shared/flow/tasks.ts';
import { createPayments } from '../../shared/payments/store.ts';
import type { ReconcileItemDeps } from '../../shared/reconciliation/reconcile-item.ts';
import { reconcileRfOrder } from '../../shared/reconciliation/rf-order/reconcile.ts';
import { createTokens } from '../../shared/tokens/store.ts';
import { createAccessTokens } from '../../shared/viva/access-tokens.ts';
import { createVivaFor } from '../../shared/viva/client.ts';
import { createCredentials } from '../../shared/viva/credentials.ts';
import type { VivaDeps } from '../../shared/viva/send.ts';
import { createWebhookKey } from '../../shared/viva/webhook-key.ts';
import { createIsPath } from '../../shared/webhooks/path-tokens.ts';
import { knownSources } from '../../shared/webhooks/sources.ts';
import type { Clients } from './clients.ts';

/** What an instance has: its clients, its environment variables, and the world's time and network. */
export interface Surroundings extends Clients {
  readonly variables: Readonly<Record<string, string>>;
  readonly urls: VivaDeps['urls'];
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly post: Parameters<typeof deliverEvent.run>[1]['post'];
  readonly log: (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of steps with different inputs and dependencies
export type Program = { readonly step: Step<any, any, any> } | { readonly endpoint: Endpoint<any> };
type Wired = Program & { readonly deps: object };

/** A new environment of the function. */
export function wire(name: string, surroundings: Surroundings): Wired {
  const create = programs[name as keyof typeof programs];
  if (create === undefined) {
    throw new Error(`the simulation does not know the function ${name}`);
  }
  return create(parts(surroundings));
}

function parts({
  documents,
  states,
  secrets,
  events,
  lambda,
  variables,
  urls,
  fetch,
  now,
  sleep,
  post,
  log,
}: Surroundings) {
  const variable = (name: string) => variables[name] ?? '';
  const table = { name: variable('PAYMENTS_TABLE'), dueShards: Number(variable('DUE_SHARDS')) };
  const payments = createPayments(documents, table, now);
  const tokens = createTokens(documents, variable('TOKENS_TABLE'), now);
  const credentials = createCredentials(secrets, variable('SECRETS_PREFIX'), now);
  const accessTokens = createAccessTokens({ authUrl: urls.authUrl, credentials, tokens, fetch, now });
  const viva = { urls, credentials, accessTokens, fetch, now };
  const publishing: PublishDeps = {
    payments,
    putEvents: createPutEvents(events, variable('EVENT_BUS')),
    onPublished: (status, about, reason) => log('info', 'event published', { status, about, reason }),
    now,
  };
  return {
    payments,
    tokens,
    credentials,
    viva,
    publishing,
    vivaFor: createVivaFor(viva),
    executions: createExecutions(states, variable('MACHINE_ARN')),
    stateOfExecution: createStateOfExecution(states),
    completeTask: createCompleteTask(states),
    retryTask: createRetryTask(states),
    wakeOf: <K extends object>(name: string) => createWake<K>(lambda, variable(name)),
    stackId: variable('STACK_ID'),
    sources: variable('WEBHOOK_SOURCES'),
    now,
    sleep,
    post,
    log,
  };
}

type Parts = ReturnType<typeof parts>;

const reconciling = ({
  publishing,
  tokens,
  vivaFor,
  executions,
  stateOfExecution,
}: Parts): Omit<ReconcileItemDeps, 'remainingMs'> => ({
  ...publishing,
  tokens,
  vivaFor,
  executions,
  stateOfExecution,
  reconcileRfOrder,
});

const programs = {
  'send-sale-request': (deps: Parts) => ({ step: sendSaleRequest, deps }),
  'await-terminal': (deps: Parts) => ({ step: awaitTerminal, deps }),
  'retrieve-transaction': (deps: Parts) => ({ step: retrieveTransaction, deps }),
  'create-card-token': (deps: Parts) => ({ step: createCardToken, deps }),
  'create-charge-token': (deps: Parts) => ({
    step: createChargeToken,
    deps: { ...deps, newId: () => crypto.randomUUID() },
  }),
  'await-authentication': (deps: Parts) => ({ step: awaitAuthentication, deps }),
  'create-transaction': (deps: Parts) => ({ step: createTransaction, deps }),
  'reconcile-charge': (deps: Parts) => ({ step: reconcileChargeStep, deps }),
  'await-capture': (deps: Parts) => ({ step: awaitCapture, deps }),
  capture: (deps: Parts) => ({ step: capture, deps }),
  void: (deps: Parts) => ({ step: voidPreauth, deps }),
  'record-failure': (deps: Parts) => ({ step: recordFailure, deps }),
  'create-sale': (deps: Parts) => ({ endpoint: createSale, deps }),
  'abort-sale': (deps: Parts) => ({ endpoint: abortSale, deps }),
  'store-card': (deps: Parts) => ({ endpoint: storeCard, deps }),
  'forget-card': (deps: Parts) => ({ endpoint: forgetCard, deps }),
  'request-capture': (deps: Parts) => ({ endpoint: requestCapture, deps }),
  'create-rf-order': (deps: Parts) => ({ endpoint: createRfOrder, deps }),
  'cancel-rf-order': (deps: Parts) => ({
    endpoint: cancelRfOrder,
    deps: { ...deps, onFault: () => deps.log('error', 'An RF order could not be cancelled yet.') },
  }),
  'read-resource': (deps: Parts) => ({ endpoint: readResource, deps }),
  'list-resources': (deps: Parts) => ({ endpoint: listResources, deps }),
  'receive-webhook': (deps: Parts) => ({
    endpoint: receiveWebhook,
    deps: {
      ...deps,
      isPath: createIsPath(deps.credentials, deps.now),
      webhookKey: createWebhookKey({ ...deps.viva, tokens: deps.tokens }),
      wake: deps.wakeOf('ACT_ON_WEBHOOK_FUNCTION'),
      isKnownSource: knownSources(deps.sources),
      count: () => {},
    },
  }),
  'act-on-webhook': (deps: Parts) => ({
    step: actOnWebhook,
    deps: {
      ...deps,
      publish: (kind: Parameters<typeof publish>[0], id: string) =>
        publish(kind, id, deps.publishing).catch(() => deps.log('warn', 'An event was not published yet.')),
      count: () => {},
      onError: (code: string) => deps.log('warn', 'The platform could not be read.', { code }),
    },
  }),
  'find-due': (deps: Parts) => ({
    step: findDue,
    deps: {
      ...deps,
      reconcileDue: deps.wakeOf('RECONCILE_DUE_FUNCTION'),
      readDailyLists: deps.wakeOf('READ_DAILY_LISTS_FUNCTION'),
      actOnWebhook: deps.wakeOf('ACT_ON_WEBHOOK_FUNCTION'),
      deliverEvent: deps.wakeOf('DELIVER_EVENT_FUNCTION'),
    },
  }),
  'reconcile-due': (deps: Parts) => ({
    step: reconcileDue,
    deps: {
      ...reconciling(deps),
      onError: (code: string) => deps.log('warn', 'An item could not be reconciled and stays due.', { code }),
    },
  }),
  'read-daily-lists': (deps: Parts) => ({
    step: readDailyListsStep,
    deps: {
      ...deps,
      onFinding: () => deps.log('error', 'A payment at the platform needs review.'),
      onDayTooLarge: () => deps.log('error', 'The list of a day is too long for one answer and was not read.'),
      onError: (code: string) => deps.log('warn', 'An account could not be read and stays due.', { code }),
    },
  }),
  'handle-execution-end': (deps: Parts) => ({
    step: handleExecutionEnd,
    deps: { ...deps.publishing, reconcileDue: deps.wakeOf('RECONCILE_DUE_FUNCTION') },
  }),
  'deliver-event': (deps: Parts) => ({
    step: deliverEvent,
    deps: {
      ...deps,
      onDead: () => deps.log('error', 'An event could not be delivered and was given up.'),
      onError: ({ code }: { readonly code: string }) => deps.log('error', 'A callback was not sent.', { code }),
    },
  }),
} as const satisfies Readonly<Record<string, (deps: Parts) => Wired>>;
