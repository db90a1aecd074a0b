/**
 * Restarts a flow that still has something to do: starts an execution that was never started, replaces one that died.
 *
 * Safe to run twice and at the same time: a conditional write wins the next name, an execution starts once under its
 * name, and every step first returns what the item already says, so a flow may start again at any time. It is replaced
 * a few times only. If every execution dies, a person must find out why.
 */
import { type ExecutionInput, type ExecutionState, type Executions, executionName } from '../flow/executions.ts';
import type { Card, Charge, Sale } from '../payments/items.ts';
import type { Payments } from '../payments/store.ts';

const MAX_RESTARTS = 3;

export interface RestartDeps {
  readonly payments: Payments;
  readonly executions: Executions;
  readonly stateOfExecution: (executionArn: string) => Promise<ExecutionState>;
}

/** False when the flow has died too often. */
export async function restartSale(sale: Sale, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { saleId, chargeId = null, executionArn } = sale;
  return keepAlive(sale, saleId, { saleId, cardId: null, chargeId }, deps, async (next) => {
    const { executionArn: current } = await payments.change('sale', saleId, (item) =>
      item.executionArn === executionArn ? next : undefined,
    );
    return current;
  });
}

/** Of a stored card: an additional charge lives and dies with its sale's flow. */
export async function restartCharge(charge: Charge, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { chargeId, executionArn } = charge;
  return keepAlive(charge, chargeId, { saleId: null, cardId: null, chargeId }, deps, async (next) => {
    const { executionArn: current } = await payments.change('charge', chargeId, (item) =>
      item.executionArn === executionArn ? next : undefined,
    );
    return current;
  });
}

/** Of a request to store a card. */
export async function keepCardAlive(request: Card, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { cardId, restarts = 0, executionArn = deps.executions.arnOf(cardId) } = request;
  return keepAlive({ restarts, executionArn }, cardId, { saleId: null, cardId, chargeId: null }, deps, async (next) => {
    const { executionArn: current = executionArn } = await payments.change('card', cardId, (item) =>
      item.executionArn === request.executionArn ? next : undefined,
    );
    return current;
  });
}

/**
 * Of a hold, from its first restart on whether of an additional charge or not: its sale's flow may not get as far any
 * more.
 */
export async function keepHoldAlive(charge: Charge, deps: RestartDeps): Promise<boolean> {
  const { payments, stateOfExecution } = deps;
  const sale = charge.saleId === undefined ? undefined : await payments.get('sale', charge.saleId);
  const isSalesFlow = sale !== undefined && (await stateOfExecution(sale.executionArn)) === 'running';
  return isSalesFlow || restartCharge(charge, deps);
}

interface Flow {
  readonly executionArn: string;
  readonly restarts?: number;
}

async function keepAlive(
  { executionArn, restarts = 0 }: Flow,
  id: string,
  input: ExecutionInput,
  { executions, stateOfExecution }: Omit<RestartDeps, 'payments'>,
  /** Resolves to the execution that is the current one then. */
  replace: (next: Required<Flow>) => Promise<string>,
): Promise<boolean> {
  const state = await stateOfExecution(executionArn);
  if (state === 'absent') {
    await executions.start(executionName(executionArn), input);
  }
  if (state !== 'ended') {
    return true;
  }
  if (restarts >= MAX_RESTARTS) {
    return false;
  }
  const next = { restarts: restarts + 1, executionArn: executions.arnOf(`${id}.${restarts + 1}`) };
  await executions.start(executionName(await replace(next)), input);
  return true;
}
