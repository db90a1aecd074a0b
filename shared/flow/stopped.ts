/**
 * Where a flow can stop: the states of the machine that catch errors. The definition of the machine takes their names from
 * here, so a new state has to say here what it leaves behind.
 */
import type { FailureCode } from '../payments/failures.ts';
import type { Payments } from '../payments/store.ts';

/** States that work on a sale, or on a request to store a card: what such a request is refused with when it stops there. */
export const sourceStates = {
  SendSaleRequest: 'TOKENIZATION_UNAVAILABLE',
  AwaitTerminal: 'TOKENIZATION_UNAVAILABLE',
  RetrieveTransaction: 'TRANSACTION_NOT_FOUND',
  CreateCardToken: 'TOKENIZATION_UNAVAILABLE',
} as const satisfies Readonly<Record<string, FailureCode>>;

interface UnsentEnd {
  readonly to: 'expired' | 'failed';
  readonly code: FailureCode;
}

const notSent = { to: 'failed', code: 'CHARGE_NOT_SENT' } as const;

/** States that work on a charge: how a charge that was never sent ends when it stops there. */
export const chargeStates = {
  CreateChargeToken: notSent,
  AwaitAuthentication: { to: 'expired', code: 'AUTHENTICATION_EXPIRED' },
  CreateTransaction: notSent,
  ReconcileCharge: notSent,
  AwaitCapture: notSent,
  Capture: notSent,
  Void: notSent,
} as const satisfies Readonly<Record<string, UnsentEnd>>;

export type SourceState = keyof typeof sourceStates;
export type ChargeState = keyof typeof chargeStates;
/** Of an execution that died in no state that could say so. */
const EXECUTION = 'Execution';

/** Where the flow stopped, and on what: a state and an error's name, or what became of the execution. */
export interface Stopped<State extends SourceState | ChargeState> {
  readonly state: State | typeof EXECUTION;
  readonly error: string;
}

/** An execution that was replaced so often that it is given up. */
export const diedTooOften = { state: EXECUTION, error: 'DiedTooOften' } as const;

/** What a request to store a card is refused with. */
export function refusalAt(state: Stopped<SourceState>['state']): FailureCode {
  return state === EXECUTION ? 'TOKENIZATION_UNAVAILABLE' : sourceStates[state];
}

/** How a charge that was never sent ends. */
export function unsentEndAt(state: Stopped<ChargeState>['state']): UnsentEnd {
  return state === EXECUTION ? notSent : chargeStates[state];
}

export interface EndDeps {
  readonly payments: Payments;
  readonly now: () => number;
}
