/**
 * The states of the machine at which a flow can stop, and what the functions that end a sale, a charge or a card request
 * then need. The definition of the machine takes the names of its states from here, so a new state must have an entry.
 */
import type { FailureCode } from '../payments/failures.ts';
import type { Payments } from '../payments/store.ts';

/** States that work on a sale or a request to store a card, with the failure of a card request that stops there. */
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

/** States that work on a charge, with the end of a charge that stops there and was never sent. */
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

/** Instead of the name of a state: the execution died, and no state caught an error. */
const EXECUTION = 'Execution';

/** Where and why the flow stopped: the name of a state and of an error, or how the execution ended. */
export interface Stopped<State extends SourceState | ChargeState> {
  readonly state: State | typeof EXECUTION;
  readonly error: string;
}

/** The execution died too often and is not restarted any more. */
export const diedTooOften = { state: EXECUTION, error: 'DiedTooOften' } as const;

/** The failure of a request to store a card. */
export function refusalAt(state: Stopped<SourceState>['state']): FailureCode {
  return state === EXECUTION ? 'TOKENIZATION_UNAVAILABLE' : sourceStates[state];
}

/** The end of a charge that was never sent. */
export function unsentEndAt(state: Stopped<ChargeState>['state']): UnsentEnd {
  return state === EXECUTION ? notSent : chargeStates[state];
}

export interface EndDeps {
  readonly payments: Payments;
  readonly now: () => number;
}
