/**
 * Starts the execution of an item that has something to do: one that was never started, or another for one that failed.
 *
 * Safe to run twice and at the same time: a conditional write decides the next name, and a name can be started once.
 * Every step first returns what the item already says, so an execution may begin again at any time. An execution is
 * replaced at most 3 times, then a person must find the cause.
 */
import { type ExecutionInput, type ExecutionState, type Executions, executionName } from '../flow/executions.ts';
import type { Card } from '../payments/items/card.ts';
import type { Charge } from '../payments/items/charge.ts';
import type { Sale } from '../payments/items/sale.ts';
import type { Payments } from '../payments/store.ts';

const MAX_RESTARTS = 3;

export interface RestartDeps {
  readonly payments: Payments;
  readonly executions: Executions;
  readonly stateOfExecution: (executionArn: string) => Promise<ExecutionState>;
}

/** False if too many of its executions have failed. */
export async function restartSale(sale: Sale, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { saleId, chargeId = null, executionArn } = sale;
  return restartIfEnded(sale, saleId, { saleId, cardId: null, chargeId }, deps, async (next) => {
    const { executionArn: current } = await payments.change('sale', saleId, (item) =>
      item.executionArn === executionArn ? next : undefined,
    );
    return current;
  });
}

/**
 * For a charge of a stored card. An additional charge belongs to the execution of its sale. False if too many of its
 * executions have failed.
 */
export async function restartCharge(charge: Charge, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { chargeId, executionArn } = charge;
  return restartIfEnded(charge, chargeId, { saleId: null, cardId: null, chargeId }, deps, async (next) => {
    const { executionArn: current } = await payments.change('charge', chargeId, (item) =>
      item.executionArn === executionArn ? next : undefined,
    );
    return current;
  });
}

/** For a request to store a card. False if too many of its executions have failed. */
export async function restartCardRequest(request: Card, { payments, ...deps }: RestartDeps): Promise<boolean> {
  const { cardId, restarts = 0, executionArn = deps.executions.arnOf(cardId) } = request;
  return restartIfEnded(
    { restarts, executionArn },
    cardId,
    { saleId: null, cardId, chargeId: null },
    deps,
    async (next) => {
      const { executionArn: current = executionArn } = await payments.change('card', cardId, (item) =>
        item.executionArn === request.executionArn ? next : undefined,
      );
      return current;
    },
  );
}

/**
 * For a hold. A hold of an additional charge gets an execution of its own if that of its sale is not running: it may
 * not reach the hold any more. False if too many of its executions have failed.
 */
export async function restartHold(charge: Charge, deps: RestartDeps): Promise<boolean> {
  const { payments, stateOfExecution } = deps;
  const sale = charge.saleId === undefined ? undefined : await payments.get('sale', charge.saleId);
  const isSalesFlow = sale !== undefined && (await stateOfExecution(sale.executionArn)) === 'running';
  return isSalesFlow || restartCharge(charge, deps);
}

interface Flow {
  readonly executionArn: string;
  readonly restarts?: number;
}

async function restartIfEnded(
  { executionArn, restarts = 0 }: Flow,
  id: string,
  input: ExecutionInput,
  { executions, stateOfExecution }: Omit<RestartDeps, 'payments'>,
  /** Resolves to the ARN of the current execution after that. */
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
