/**
 * The one place that says what an answer other than success means: which error class and which code. The operation, the
 * HTTP status and the platform's codes decide, never its English texts (docs/viva.md, "Refusals").
 *
 * What counts is proof. An operation that can move money was refused only if the platform itself says so, and if an
 * earlier arrival of the same request does not explain the refusal. Everything else is unknown.
 */
import type * as z from 'zod/mini';
import { FaultError, type FlowError, RejectedError, TransientError, UnknownOutcomeError } from '../flow/errors.ts';
import type { FailureCode, PlatformReason } from '../payments/failures.ts';
import { read } from './answers.ts';
import { type Refusal, refusalIn } from './dialects.ts';
import { issuerEvents, meaningOf, terminalEvents } from './event-ids.ts';
import type { Answer, Outcome } from './http.ts';
import type { Call } from './viva.ts';

interface Operation {
  readonly movesMoney: boolean;
  /** The code of a refusal. Without one a refusal is our error. */
  readonly refused?: FailureCode;
  /** The code of a 403, if a role or a switch of the account is off. */
  readonly forbidden?: FailureCode;
  /** For an operation that moves money: if the platform or the terminal says that it is busy, nothing was started. */
  readonly busyIsProof?: boolean;
}

/** The operations of the platform, and what their refusals mean. */
export const operations = {
  sendSale: { movesMoney: true, refused: 'SALE_REFUSED', forbidden: 'TERMINAL_REFUSED', busyIsProof: true },
  readSession: { movesMoney: false },
  abortSession: { movesMoney: false },
  readTransaction: { movesMoney: false },
  listDay: { movesMoney: false },
  createCardToken: { movesMoney: false, refused: 'CARD_NOT_TOKENIZABLE', forbidden: 'TOKENIZATION_NOT_ENABLED' },
  createChargeToken: { movesMoney: false, refused: 'CHARGE_TOKEN_REFUSED', forbidden: 'NATIVE_CHECKOUT_NOT_ENABLED' },
  createTransaction: { movesMoney: true, refused: 'CHARGE_REFUSED', forbidden: 'NATIVE_CHECKOUT_NOT_ENABLED' },
  capture: { movesMoney: true, refused: 'CAPTURE_REFUSED', forbidden: 'CAPTURE_REFUSED' },
  voidPreauth: { movesMoney: true, refused: 'VOID_REFUSED', forbidden: 'VOID_REFUSED' },
  createOrder: { movesMoney: false, refused: 'RF_ORDER_REFUSED', forbidden: 'ACCOUNT_NOT_READY' },
  createPaymentCode: { movesMoney: false, refused: 'RF_ORDER_REFUSED', forbidden: 'RF_NOT_ENABLED' },
  readOrder: { movesMoney: false },
  listOrderTransactions: { movesMoney: false },
  cancelOrder: { movesMoney: false, refused: 'RF_CANCEL_REFUSED', forbidden: 'RF_CANCEL_REFUSED' },
  readWebhookKey: { movesMoney: false },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Event ids with a fixed meaning, whatever the operation and the status. */
const reasons: Readonly<Record<string, 'refused' | FailureCode>> = {
  2061: 'AUTHENTICATION_INCOMPLETE',
  2062: 'refused', // authentication failed
  2105: 'refused', // policy: credit restriction
  2108: 'refused', // policy: acquiring restriction
  3500: 'TERMINAL_REFUSED', // device not found
};

/**
 * "Already done" and "this charge token is not valid" are also the answers to a second arrival of a request whose first
 * arrival took the money.
 */
const EARLIER_ARRIVAL = /Already|Used|Expired|ChargeToken/;
const unprovenRefusal = { done: 'SAID_TO_BE_DONE', notOpen: 'NOT_OPEN' } as const;
/** In the payment API one code means: a switch is off, there is no open hold, or it was done before. */
const LEGACY_NOT_OPEN = '403';
/** Busy: the terminal service, the software of the terminal, the terminal with another payment. */
const BUSY: readonly string[] = ['1400', '1001', '1100'];

type Context = FlowError['context'];

/** The answer to an operation, if its status is expected. Throws what any other outcome means. */
export function answerTo(name: OperationName, outcome: Outcome, isExpected: (status: number) => boolean): Answer {
  if (outcome.kind !== 'answer' || !isExpected(outcome.status)) {
    throw failed(name, outcome);
  }
  return outcome;
}

/** The body of a 200, read by the schema. Throws what any other outcome means. */
export function successOf<T extends z.ZodMiniType>(
  name: OperationName,
  outcome: Outcome,
  schema: T,
): { readonly body: z.output<T>; readonly call: Call } {
  const answer = answerTo(name, outcome, (status) => status === 200);
  const body = read(schema, answer);
  if (body === undefined) {
    throw failed(name, outcome);
  }
  return { body, call: answer.call };
}

export function hasStatus(outcome: Outcome, ...statuses: readonly number[]): outcome is Answer {
  return outcome.kind === 'answer' && statuses.includes(outcome.status);
}

/** The error to throw if the outcome is not the success of the operation. */
export function failed(name: OperationName, outcome: Outcome): FlowError {
  const operation: Operation = operations[name];
  if (outcome.kind !== 'answer') {
    return outcome.kind === 'not_sent'
      ? new TransientError('NOT_SENT', `${name} did not reach the platform (${outcome.cause})`)
      : unproven(operation, 'NO_ANSWER', `no answer to ${name} (${outcome.cause})`, {});
  }
  const refusal = refusalIn(outcome);
  const { status, code: reason = '', eventId = '' } = refusal;
  const context = contextOf(outcome, refusal);
  const declined = meaningOf(issuerEvents, Number(eventId));
  const meaning = reasons[eventId];

  if (isBusy(operation, outcome, refusal)) {
    return new TransientError('PLATFORM_BUSY', `the platform is too busy for ${name}`, { context });
  }
  if (declined !== undefined && operation.refused !== undefined && status >= 400) {
    return new RejectedError(declined, `the issuer refuses ${name}`, { context });
  }
  if (status < 400 || status === 408 || status === 429 || status >= 500) {
    return unproven(operation, 'NO_CLEAR_ANSWER', `the platform left ${name} open`, context);
  }
  if (operation.movesMoney && (status === 409 || EARLIER_ARRIVAL.test(reason))) {
    return unproven(operation, unprovenRefusal.done, `the platform knows ${name} already`, context);
  }
  if (operation.movesMoney && refusal.legacy && reason === LEGACY_NOT_OPEN) {
    return unproven(operation, unprovenRefusal.notOpen, `the platform sees nothing open for ${name}`, context);
  }
  const code =
    meaning === 'refused' ? operation.refused : (meaning ?? (status === 403 ? operation.forbidden : operation.refused));
  if (code !== undefined && (refusal.recognized || status === 403)) {
    return new RejectedError(code, `the platform refuses ${name}`, { context });
  }
  return operation.movesMoney
    ? unproven(operation, 'NO_CLEAR_ANSWER', `not an answer of the platform to ${name}`, context)
    : new FaultError('PLATFORM_REFUSED', `the platform refuses ${name}`, { context });
}

/**
 * Whether the platform itself says that it is busy. A 429 without one of its ids may come from something in front of
 * it. A 409 is also the answer to a second arrival of a request.
 */
function isBusy(operation: Operation, { call }: Answer, { status, eventId = '' }: Refusal): boolean {
  if (!operation.movesMoney) {
    return status >= 500 && eventId === BUSY[0];
  }
  const isOwn = call.eventId !== undefined || call.correlationId !== undefined;
  const says = (status >= 400 && BUSY.includes(eventId)) || (status === 429 && isOwn);
  return operation.busyIsProof === true && status !== 409 && says;
}

/** Why a finished session took no money. */
export function terminalFailure(eventId: number, transactionEventId: number | undefined): FailureCode {
  const meaning = meaningOf(terminalEvents, eventId) ?? 'TERMINAL_ERROR';
  return meaning === 'CARD_DECLINED' ? (meaningOf(issuerEvents, transactionEventId) ?? meaning) : meaning;
}

function contextOf({ status, call }: Answer, { code, eventId }: Refusal): Context {
  return {
    platformStatus: status,
    ...(code === undefined ? {} : { platformCode: code }),
    ...(eventId === undefined ? {} : { platformEventId: eventId }),
    ...(call.correlationId === undefined ? {} : { platformCorrelationId: call.correlationId }),
  };
}

function unproven({ movesMoney }: Operation, code: string, detail: string, context: Context): FlowError {
  return movesMoney
    ? new UnknownOutcomeError(code, detail, { context })
    : new TransientError(code, detail, { context });
}

/** The platform's reason, if it refused in a way that an earlier arrival of the same request would explain, too. */
export function saidNoBy(error: unknown): PlatformReason | undefined {
  const codes: readonly string[] = Object.values(unprovenRefusal);
  return error instanceof UnknownOutcomeError && codes.includes(error.code) ? platformReason(error) : undefined;
}

/** The platform's reason in one of our errors, as items store it. */
export function platformReason({ context }: FlowError): PlatformReason {
  const { platformStatus, platformCode, platformEventId, platformCorrelationId } = context;
  return {
    ...(typeof platformStatus === 'number' ? { status: platformStatus } : {}),
    ...(typeof platformCode === 'string' ? { code: platformCode } : {}),
    ...(typeof platformEventId === 'string' ? { eventId: platformEventId } : {}),
    ...(typeof platformCorrelationId === 'string' ? { correlationId: platformCorrelationId } : {}),
  };
}
