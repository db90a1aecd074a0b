import { describe, expect, it } from 'vitest';
import type { FlowError } from '../../../../shared/flow/errors.ts';
import { refusalIn } from '../../../../shared/viva/dialects.ts';
import type { Answer } from '../../../../shared/viva/http.ts';
import { failed, type operations, platformReason, terminalFailure } from '../../../../shared/viva/outcomes.ts';
import { json } from '../../../fakes/network.ts';
import { captureRequest, chargeRequest, clientOf, rejection, sale } from './account.ts';

interface Refusal {
  readonly status: number;
  readonly body?: unknown;
  readonly eventId?: string;
  readonly correlationId?: string;
}

function answer({ status, body = '', eventId, correlationId }: Refusal): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const ids = {
    ...(eventId === undefined ? {} : { eventId }),
    ...(correlationId === undefined ? {} : { correlationId }),
  };
  const call = { call: 'POST /', status, durationMs: 1, ...ids };
  return { kind: 'answer', status, text, call };
}

/** How native checkout, acquiring and orders refuse. */
const native = (status: number, message: string, eventId: string | number = '0'): Refusal => ({
  status,
  body: { status, message, eventId },
});
/** How the payment API refuses. */
const legacy = (ErrorCode: number, EventId = 0): Refusal => ({
  status: 200,
  body: { ErrorCode, ErrorText: 'some sentence', EventId, Success: false },
});

type Row = [keyof typeof operations, Refusal, string, string];

const rows: Row[] = [
  // Terminal service: the reason is in the header.
  ['sendSale', { status: 400, eventId: '1200', body: { detail: 'x' } }, 'RejectedError', 'SALE_REFUSED'],
  ['sendSale', { status: 400, eventId: '1200' }, 'RejectedError', 'SALE_REFUSED'],
  ['sendSale', { status: 404, eventId: '3500' }, 'RejectedError', 'TERMINAL_REFUSED'],
  ['sendSale', { status: 403 }, 'RejectedError', 'TERMINAL_REFUSED'],
  // Busy proves that no payment was started, so the same request may be sent again.
  ['sendSale', { status: 503, eventId: '1400' }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 400, eventId: '1400' }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 400, eventId: '1001' }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 503, body: { status: 503, eventId: 1100 } }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 409, eventId: '1100' }, 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  ['sendSale', { status: 200, eventId: '1400' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['sendSale', { status: 429, correlationId: '26-325-1A2B3C4D' }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 429, eventId: '1300' }, 'TransientError', 'PLATFORM_BUSY'],
  ['sendSale', { status: 429 }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  // It proves that for no other operation that moves money.
  ['createTransaction', { status: 503, eventId: '1400' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['createTransaction', { status: 429, correlationId: '26-325-1A2B3C4D' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['capture', { status: 429, correlationId: '26-325-1A2B3C4D' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['sendSale', { status: 500, eventId: '1300' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['readSession', { status: 503, eventId: '1400' }, 'TransientError', 'PLATFORM_BUSY'],
  ['readSession', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  // Card token.
  ['createCardToken', { status: 403 }, 'RejectedError', 'TOKENIZATION_NOT_ENABLED'],
  ['createCardToken', native(403, 'Forbidden'), 'RejectedError', 'TOKENIZATION_NOT_ENABLED'],
  ['createCardToken', native(400, 'CardTokenizationNotSupported'), 'RejectedError', 'CARD_NOT_TOKENIZABLE'],
  // Charge token.
  ['createChargeToken', { status: 403 }, 'RejectedError', 'NATIVE_CHECKOUT_NOT_ENABLED'],
  ['createChargeToken', native(404, 'CardsGetByTokenFailedNotFound'), 'RejectedError', 'CHARGE_TOKEN_REFUSED'],
  ['createChargeToken', native(400, 'ValidationFailed: expirationMonth'), 'RejectedError', 'CHARGE_TOKEN_REFUSED'],
  [
    'createChargeToken',
    native(403, 'PaymentsPolicyCreditRestriction', '2105'),
    'RejectedError',
    'CHARGE_TOKEN_REFUSED',
  ],
  ['createChargeToken', native(400, 'PaymentsTransactionDeclined', '10054'), 'RejectedError', 'CARD_EXPIRED'],
  // Transaction.
  ['createTransaction', { status: 403 }, 'RejectedError', 'NATIVE_CHECKOUT_NOT_ENABLED'],
  ['createTransaction', native(400, 'ValidationFailed: amount'), 'RejectedError', 'CHARGE_REFUSED'],
  [
    'createTransaction',
    native(400, 'PaymentsCardHolderAuthenticationInvalidStatus', '2061'),
    'RejectedError',
    'AUTHENTICATION_INCOMPLETE',
  ],
  ['createTransaction', native(400, 'x', 2061), 'RejectedError', 'AUTHENTICATION_INCOMPLETE'],
  ['createTransaction', native(400, 'x', '2062'), 'RejectedError', 'CHARGE_REFUSED'],
  ['createTransaction', native(403, 'PaymentsPolicyCreditRestriction', '2105'), 'RejectedError', 'CHARGE_REFUSED'],
  ['createTransaction', native(403, 'PaymentsPolicyAcquiringRestriction', '2108'), 'RejectedError', 'CHARGE_REFUSED'],
  ['createTransaction', native(400, 'ChargeTokenAlreadyUsed'), 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  ['createTransaction', native(400, 'ChargeTokenExpired'), 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  ['createTransaction', native(404, 'ChargeTokenNotFound'), 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  ['createTransaction', native(409, 'Conflict'), 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  // A decline by the issuer, with any status, and with its reason in any place.
  ...[400, 402, 403, 500].map(
    (status): Row => [
      'createTransaction',
      native(status, 'PaymentsTransactionDeclined', '10051'),
      'RejectedError',
      'CARD_INSUFFICIENT_FUNDS',
    ],
  ),
  ['createTransaction', { status: 400, eventId: '10005' }, 'RejectedError', 'CARD_DECLINED'],
  ['createTransaction', native(400, 'x', '10004'), 'RejectedError', 'CARD_BLOCKED'],
  ['createTransaction', native(400, 'x', '10007'), 'RejectedError', 'CARD_BLOCKED'],
  ['createTransaction', native(400, 'x', '10041'), 'RejectedError', 'CARD_BLOCKED'],
  ['createTransaction', native(400, 'x', '10043'), 'RejectedError', 'CARD_BLOCKED'],
  ['createTransaction', native(400, 'x', '10054'), 'RejectedError', 'CARD_EXPIRED'],
  ['createTransaction', native(400, 'x', '10055'), 'RejectedError', 'CARD_WRONG_PIN'],
  ['createTransaction', native(400, 'x', '10061'), 'RejectedError', 'CARD_LIMIT_EXCEEDED'],
  ['createTransaction', native(400, 'x', '10065'), 'RejectedError', 'CARD_LIMIT_EXCEEDED'],
  ['createTransaction', native(400, 'x', '10075'), 'RejectedError', 'CARD_WRONG_PIN'],
  ['createTransaction', native(400, 'x', '10096'), 'RejectedError', 'ISSUER_UNAVAILABLE'],
  ['createTransaction', native(400, 'x', '10999'), 'RejectedError', 'CARD_DECLINED'],
  ['createTransaction', native(500, 'x', '11000'), 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['createTransaction', { status: 200, body: '{"trans', eventId: '10051' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['createTransaction', { status: 302, eventId: '1' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  // RF orders: no money moves before a payer pays.
  ['createOrder', { status: 403 }, 'RejectedError', 'ACCOUNT_NOT_READY'],
  ['createOrder', native(400, 'ValidationFailed: amount'), 'RejectedError', 'RF_ORDER_REFUSED'],
  ['createOrder', native(409, 'Conflict'), 'RejectedError', 'RF_ORDER_REFUSED'],
  ['createOrder', { status: 500 }, 'TransientError', 'NO_CLEAR_ANSWER'],
  ['createPaymentCode', { status: 403 }, 'RejectedError', 'RF_NOT_ENABLED'],
  ['createPaymentCode', native(403, 'Forbidden'), 'RejectedError', 'RF_NOT_ENABLED'],
  ['createPaymentCode', native(400, 'Refused'), 'RejectedError', 'RF_ORDER_REFUSED'],
  ['cancelOrder', native(404, 'OrderNotFound'), 'RejectedError', 'RF_CANCEL_REFUSED'],
  ['cancelOrder', { status: 403 }, 'RejectedError', 'RF_CANCEL_REFUSED'],
  ['cancelOrder', { status: 408 }, 'TransientError', 'NO_CLEAR_ANSWER'],
  ['readOrder', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  ['listOrderTransactions', native(400, 'Refused'), 'FaultError', 'PLATFORM_REFUSED'],
  ['listDay', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  ['abortSession', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  ['readWebhookKey', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  // Anything that is not an answer of the platform proves nothing about money.
  ['createTransaction', { status: 400, body: '<html>' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['sendSale', { status: 404 }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['createChargeToken', { status: 400, body: '<html>' }, 'FaultError', 'PLATFORM_REFUSED'],
  ['createTransaction', { status: 408, eventId: '1200' }, 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  // Capture by native checkout.
  ['capture', native(404, 'TransactionNotFound'), 'RejectedError', 'CAPTURE_REFUSED'],
  ['capture', native(403, 'ApiActionDisabled'), 'RejectedError', 'CAPTURE_REFUSED'],
  ['capture', native(400, 'CaptureAmountAbovePreauth'), 'RejectedError', 'CAPTURE_REFUSED'],
  ['capture', native(400, 'PreauthExpiredOrAlreadyCaptured'), 'UnknownOutcomeError', 'SAID_TO_BE_DONE'],
  // Capture and void by the payment API: HTTP 200, with the reason in the body.
  ['capture', legacy(404), 'RejectedError', 'CAPTURE_REFUSED'],
  ['capture', legacy(400), 'RejectedError', 'CAPTURE_REFUSED'],
  ['capture', legacy(403), 'UnknownOutcomeError', 'NOT_OPEN'],
  ['capture', legacy(502, 10_051), 'RejectedError', 'CARD_INSUFFICIENT_FUNDS'],
  ['capture', legacy(502), 'UnknownOutcomeError', 'NO_CLEAR_ANSWER'],
  ['voidPreauth', legacy(404), 'RejectedError', 'VOID_REFUSED'],
  ['voidPreauth', legacy(403), 'UnknownOutcomeError', 'NOT_OPEN'],
  ['voidPreauth', { status: 403 }, 'RejectedError', 'VOID_REFUSED'],
  // Reads.
  ['readTransaction', { status: 403 }, 'FaultError', 'PLATFORM_REFUSED'],
  ['readTransaction', { status: 500, eventId: '10051' }, 'TransientError', 'NO_CLEAR_ANSWER'],
  ['readTransaction', legacy(403), 'FaultError', 'PLATFORM_REFUSED'],
  ['readTransaction', legacy(502), 'TransientError', 'NO_CLEAR_ANSWER'],
];

describe('the table of refusals', () => {
  it.each(rows)('%s, refused with %j, is %s %s', (operation, refusal, name, code) => {
    expect(failed(operation, answer(refusal))).toMatchObject({ name, code });
  });

  it('keeps the platform’s reason for support in every format', () => {
    const error = failed('createTransaction', answer(native(403, 'PaymentsPolicyCreditRestriction', '2105')));

    expect(platformReason(error)).toStrictEqual({
      status: 403,
      code: 'PaymentsPolicyCreditRestriction',
      eventId: '2105',
    });
    expect(platformReason(failed('capture', answer(legacy(404))))).toStrictEqual({ status: 200, code: '404' });
  });

  it.each([
    ['nothing', '', { status: 400, legacy: false, recognized: false }],
    ['not an object', '[]', { status: 400, legacy: false, recognized: false }],
    ['an event 0', { eventId: 0 }, { status: 400, legacy: false, recognized: false }],
    ['a message only', { message: 'Reason' }, { status: 400, code: 'Reason', legacy: false, recognized: false }],
    ['an event only', { EventId: 7 }, { status: 400, eventId: '7', legacy: false, recognized: true }],
    ['both', { message: 'Reason', eventId: '0' }, { status: 400, code: 'Reason', legacy: false, recognized: true }],
    ['a code of the payment API', { ErrorCode: 403 }, { status: 400, code: '403', legacy: true, recognized: true }],
  ])('recognizes the platform by its fields, and leaves out the rest: %s', (_, body, refusal) => {
    expect(refusalIn(answer({ status: 400, body }))).toStrictEqual(refusal);
  });

  it('keeps codes only, no sentences', () => {
    const error = failed('createTransaction', answer(native(400, 'The card of A Guest was refused')));

    expect(platformReason(error)).toStrictEqual({ status: 400 });
    expect(error.context).toStrictEqual({ platformStatus: 400 });
  });
});

describe('the diagnostic headers', () => {
  it('are added to the error’s reason', async () => {
    const headers = { 'X-Viva-EventId': '1200', 'X-Viva-CorrelationId': '26-325-1A2B3C4D' };
    const { viva } = clientOf(() => json(400, '', headers));

    expect(platformReason((await rejection(viva.sendSale(sale))) as FlowError)).toStrictEqual({
      status: 400,
      eventId: '1200',
      correlationId: '26-325-1A2B3C4D',
    });
  });

  it('are added to the call in the timeline, where event 0 is no event', async () => {
    const headers = { 'X-Viva-EventId': '0', 'X-Viva-CorrelationId': '26-325-1A2B3C4D' };
    const { viva } = clientOf(() => json(200, { transactionId: 'tx-2' }, headers));

    const { call } = await viva.createTransaction(chargeRequest);

    expect(call).toEqual({
      call: 'POST /nativecheckout/v2/transactions',
      status: 200,
      durationMs: expect.any(Number),
      correlationId: '26-325-1A2B3C4D',
    });
  });
});

describe('an answer of the payment API that does not match the capture', () => {
  it.each([
    ['another amount', { Amount: 31, StatusId: 'F' }],
    ['a failed status', { Amount: 30, StatusId: 'E' }],
    ['a status in progress', { Amount: 30, StatusId: 'A' }],
  ])('is an unknown outcome: %s', async (_, fields) => {
    const { viva } = clientOf(() => json(200, { TransactionId: 'tx-2', ErrorCode: 0, Success: true, ...fields }), {
      mode: 'isv',
    });

    expect(await rejection(viva.capture(captureRequest))).toMatchObject({ name: 'UnknownOutcomeError' });
  });
});

describe('the reason of a session without a payment', () => {
  it.each([
    [1000, 'CANCELLED_ON_TERMINAL'],
    [1001, 'TERMINAL_BUSY'],
    [1002, 'TERMINAL_REFUSED'],
    [1003, 'TERMINAL_TIMED_OUT'],
    [1004, 'CARD_DECLINED'],
    [1006, 'CARD_DECLINED'],
    [1007, 'CARD_DECLINED'],
    [1010, 'CARD_NOT_READ'],
    [1013, 'TERMINAL_REFUSED'],
    [1016, 'SALE_ABORTED'],
    [1020, 'CARD_INSUFFICIENT_FUNDS'],
    [1047, 'CARD_DECLINED'],
    [1054, 'CARD_BLOCKED'],
    [1057, 'CARD_INSUFFICIENT_FUNDS'],
    [1060, 'CARD_EXPIRED'],
    [1061, 'CARD_WRONG_PIN'],
    [1064, 'CARD_LIMIT_EXCEEDED'],
    [1070, 'ISSUER_UNAVAILABLE'],
    [1072, 'CARD_DECLINED'],
    [1074, 'TERMINAL_REFUSED'],
    [1099, 'TERMINAL_ERROR'],
    [1100, 'TERMINAL_BUSY'],
    [1102, 'TERMINAL_TIMED_OUT'],
    [3000, 'TERMINAL_OFFLINE'],
    [3002, 'TERMINAL_OFFLINE'],
    [3099, 'TERMINAL_ERROR'],
    [4000, 'TERMINAL_OFFLINE'],
    [5002, 'TERMINAL_REFUSED'],
    [6102, 'TERMINAL_REFUSED'],
    [10_051, 'CARD_INSUFFICIENT_FUNDS'],
    [99_999, 'TERMINAL_ERROR'],
  ])('is %s for event %i', (eventId, code) => {
    expect(terminalFailure(eventId, undefined)).toBe(code);
  });

  it('is the issuer’s reason when a decline has one', () => {
    expect(terminalFailure(1006, 10_054)).toBe('CARD_EXPIRED');
    expect(terminalFailure(1006, 0)).toBe('CARD_DECLINED');
    expect(terminalFailure(1000, 10_054)).toBe('CANCELLED_ON_TERMINAL');
  });
});
