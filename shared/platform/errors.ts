/**
 * The one place that says what an answer other than success means: which of our error classes, which code. Decided by
 * the operation, the HTTP status and the platform's codes, never by its English texts.
 *
 * What matters is proof. An operation that can move money was refused only if the platform says so in its own words, and
 * says nothing that an earlier arrival of the same request could explain as well. Everything else is unknown.
 */
import { FaultError, type FlowError, RejectedError, TransientError, UnknownOutcomeError } from '../errors.ts';
import type { FailureCode, PlatformReason } from '../failures.ts';
import { parseJson } from '../json.ts';
import { issuerEvents, meaningOf, terminalEvents } from './events.ts';
import type { Answer, Outcome } from './http.ts';

interface Operation {
  readonly movesMoney: boolean;
  /** The code of a refusal; without one a refusal is a fault of ours. */
  readonly refused?: FailureCode;
  /** The code of a 403: a role or a switch of the account is off. */
  readonly forbidden?: FailureCode;
}

/** What is asked of the platform, by what its refusal means. */
export const operations = {
  sendSale: { movesMoney: true, refused: 'SALE_REFUSED', forbidden: 'TERMINAL_REFUSED' },
  readSession: { movesMoney: false },
  abortSession: { movesMoney: false },
  readTransaction: { movesMoney: false },
  createCardToken: { movesMoney: false, refused: 'CARD_NOT_TOKENIZABLE', forbidden: 'TOKENIZATION_NOT_ENABLED' },
  createChargeToken: { movesMoney: false, refused: 'CHARGE_TOKEN_REFUSED', forbidden: 'NATIVE_CHECKOUT_NOT_ENABLED' },
  createTransaction: { movesMoney: true, refused: 'CHARGE_REFUSED', forbidden: 'NATIVE_CHECKOUT_NOT_ENABLED' },
  capture: { movesMoney: true, refused: 'CAPTURE_REFUSED', forbidden: 'CAPTURE_REFUSED' },
  voidPreauth: { movesMoney: true, refused: 'VOID_REFUSED', forbidden: 'VOID_REFUSED' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Event ids with a meaning of their own, whatever the operation and the status. */
const reasons: Readonly<Record<string, 'refused' | FailureCode>> = {
  2061: 'AUTHENTICATION_INCOMPLETE',
  2062: 'refused', // authentication failed
  2105: 'refused', // policy: credit restriction
  2108: 'refused', // policy: acquiring restriction
  3500: 'TERMINAL_REFUSED', // device not found
};

/**
 * "Already done" and "this charge token is no good" are also what the second arrival of a request is told whose first
 * one took the money.
 */
const EARLIER_ARRIVAL = /Already|Used|Expired|ChargeToken/;
/** The payment API has one code for a switch that is off, for what is no open hold, and for what was done before. */
const LEGACY_NOT_OPEN = '403';
const BUSY = '1400';
/** A reason, as opposed to a sentence. */
const PASCAL_CASE = /^[A-Z][A-Za-z0-9]{2,79}$/;

type Context = FlowError['context'];

/** The error to throw for an outcome that is not the success of the operation. */
export function failed(name: OperationName, outcome: Outcome): FlowError {
  const operation: Operation = operations[name];
  if (outcome.kind !== 'answer') {
    return outcome.kind === 'not_sent'
      ? new TransientError('NOT_SENT', `${name} did not reach the platform (${outcome.cause})`)
      : unproven(operation, 'NO_ANSWER', `no answer to ${name} (${outcome.cause})`, {});
  }
  const { status, legacy, recognized, ...reason } = reasonOf(outcome);
  const context = contextOf(outcome, reason);
  const declined = meaningOf(issuerEvents, Number(reason.eventId));
  const meaning = reasons[reason.eventId ?? ''];

  if (status >= 500 && reason.eventId === BUSY) {
    return new TransientError('PLATFORM_BUSY', `the platform is too busy for ${name}`, { context });
  }
  if (declined !== undefined && operation.refused !== undefined && status >= 300) {
    return new RejectedError(declined, `the issuer refuses ${name}`, { context });
  }
  if (status < 300 || status === 408 || status === 429 || status >= 500) {
    return unproven(operation, 'NO_CLEAR_ANSWER', `the platform left ${name} open`, context);
  }
  if (operation.movesMoney && (status === 409 || EARLIER_ARRIVAL.test(reason.code ?? ''))) {
    return unproven(operation, 'SAID_TO_BE_DONE', `the platform knows ${name} already`, context);
  }
  if (operation.movesMoney && legacy && reason.code === LEGACY_NOT_OPEN) {
    return unproven(operation, 'NOT_OPEN', `the platform sees nothing open for ${name}`, context);
  }
  const code =
    meaning === 'refused' ? operation.refused : (meaning ?? (status === 403 ? operation.forbidden : operation.refused));
  if (code !== undefined && (recognized || status === 403)) {
    return new RejectedError(code, `the platform refuses ${name}`, { context });
  }
  return operation.movesMoney
    ? unproven(operation, 'NO_CLEAR_ANSWER', `not an answer of the platform to ${name}`, context)
    : new FaultError('PLATFORM_REFUSED', `the platform refuses ${name}`, { context });
}

/** Why a finished session took no money. */
export function terminalFailure(eventId: number, transactionEventId: number | undefined): FailureCode {
  const meaning = meaningOf(terminalEvents, eventId) ?? 'TERMINAL_ERROR';
  return meaning === 'CARD_DECLINED' ? (meaningOf(issuerEvents, transactionEventId) ?? meaning) : meaning;
}

interface Reason {
  readonly code?: string;
  readonly eventId?: string;
}

/**
 * The four dialects of refusal: event id in the header (terminals), `{status, message, eventId}` (native, acquiring,
 * orders), HTTP 200 with `{ErrorCode, EventId, Success}` (payment API); the fourth is the identity server's own.
 */
function reasonOf(answer: Answer): Reason & { status: number; legacy: boolean; recognized: boolean } {
  const body = parseJson(answer.text);
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { ErrorCode: errorCode, message } = fields;
  const legacy = typeof errorCode === 'number' && errorCode !== 0;
  const code = legacy
    ? String(errorCode)
    : typeof message === 'string' && PASCAL_CASE.test(message)
      ? message
      : undefined;
  const eventId = answer.call.eventId ?? eventIn(fields['eventId'] ?? fields['EventId']);
  return {
    status: legacy && answer.status === 200 ? errorCode : answer.status,
    legacy,
    recognized: legacy || eventId !== undefined || 'message' in fields || 'detail' in fields,
    ...(code === undefined ? {} : { code }),
    ...(eventId === undefined ? {} : { eventId }),
  };
}

/** 0 means no event. */
function eventIn(value: unknown): string | undefined {
  return /^[1-9]\d{0,9}$/.test(String(value)) ? String(value) : undefined;
}

function contextOf({ status, call }: Answer, { code, eventId }: Reason): Context {
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

/** What an error of ours keeps of the platform's reason, as an item stores it. */
export function platformReason({ context }: FlowError): PlatformReason {
  const { platformStatus, platformCode, platformEventId, platformCorrelationId } = context;
  return {
    ...(typeof platformStatus === 'number' ? { status: platformStatus } : {}),
    ...(typeof platformCode === 'string' ? { code: platformCode } : {}),
    ...(typeof platformEventId === 'string' ? { eventId: platformEventId } : {}),
    ...(typeof platformCorrelationId === 'string' ? { correlationId: platformCorrelationId } : {}),
  };
}
