/**
 * Every code of a `failure`, with its sentence. Items store the code only, and the sentence is added when a resource is
 * shown, so a sentence can be improved later. The sentences say what happened, then what to do. `docs/errors.md` prints
 * this table.
 *
 * `retryable`: no money was taken, and the same may be requested again with a new idempotency key.
 */
export interface FailureText {
  readonly message: string;
  readonly retryable: boolean;
}

export const failures = {
  // The terminal part, for a cashier.
  CARD_DECLINED: { message: 'The card was declined. Ask for another card.', retryable: true },
  CARD_INSUFFICIENT_FUNDS: { message: 'Insufficient funds. Ask for another card.', retryable: true },
  CARD_EXPIRED: { message: 'The card has expired. Ask for another card.', retryable: true },
  CARD_BLOCKED: {
    message: 'The card is blocked, or was reported lost or stolen. Do not try it again. Ask for another card.',
    retryable: false,
  },
  CARD_WRONG_PIN: { message: 'The PIN was wrong, or was tried too often. Ask for another card.', retryable: true },
  CARD_LIMIT_EXCEEDED: { message: 'The amount is above the limit of the card. Ask for another card.', retryable: true },
  CARD_NOT_READ: { message: 'The card could not be read. Try again or ask for another card.', retryable: true },
  ISSUER_UNAVAILABLE: {
    message: 'The bank that issued the card does not answer. Try again in a minute.',
    retryable: true,
  },
  CANCELLED_ON_TERMINAL: { message: 'The payment was cancelled on the terminal. No money was taken.', retryable: true },
  SALE_ABORTED: { message: 'The payment was stopped at the till. No money was taken.', retryable: true },
  TERMINAL_TIMED_OUT: { message: 'No card was presented in time. No money was taken.', retryable: true },
  TERMINAL_BUSY: {
    message: 'The terminal is busy with another payment. Try again when it is free.',
    retryable: true,
  },
  TERMINAL_OFFLINE: {
    message: 'The terminal is not connected. Check its connection, then try again.',
    retryable: true,
  },
  TERMINAL_REFUSED: {
    message:
      'The terminal or its account does not allow this payment. No money was taken. Ask support to check the terminal.',
    retryable: false,
  },
  TERMINAL_ERROR: { message: 'The terminal reported an error. No money was taken. Try again.', retryable: true },
  TERMINAL_NOT_ANSWERING: {
    message:
      'The terminal does not answer, and the payment may still have gone through. Do not take the money again yet.',
    retryable: false,
  },
  SALE_PAID_LATE: {
    message:
      'The payment was reported as refused, but it went through later. If the payer paid again, give one of the two payments back.',
    retryable: false,
  },
  SALE_NOT_SENT: {
    message: 'The payment was not sent to the terminal in time. No money was taken. Try again.',
    retryable: true,
  },
  SALE_REFUSED: {
    message: 'The platform refused the sale. No money was taken. The field `platform` has the details.',
    retryable: false,
  },
  ACCOUNT_NOT_READY: {
    message:
      'The platform refused the credentials of this account. No money was taken. An operator must check the account.',
    retryable: false,
  },
  // What was read differs from the request: a person decides.
  AMOUNT_MISMATCH: {
    message:
      'The platform reports an amount or a currency that differs from the request. Do not take the money again. A person must check.',
    retryable: false,
  },
  MERCHANT_MISMATCH: {
    message:
      'The platform reports a merchant that differs from the request. Do not take the money again. A person must check.',
    retryable: false,
  },
  TERMINAL_MISMATCH: {
    message:
      'The platform reports a terminal that differs from the request. Do not take the money again. A person must check.',
    retryable: false,
  },
  TRANSACTION_MISMATCH: {
    message:
      'The platform reports a transaction that is not the requested payment. Do not take the money again. A person must check.',
    retryable: false,
  },
  TRANSACTION_UNREADABLE: {
    message:
      'The terminal reported a payment, but its transaction could not be read. Do not take the money again. A person must check.',
    retryable: false,
  },
  REFUND_UNREADABLE: {
    message: 'A part of the payment was given back, but the platform does not show how much. A person must check.',
    retryable: false,
  },
  TRANSACTION_NOT_FOUND: {
    message: 'The platform does not know this transaction of the merchant. Check the transaction id.',
    retryable: false,
  },
  TRANSACTION_NOT_PAID: {
    message: 'The transaction is not a finished card payment. Its card cannot be stored.',
    retryable: false,
  },
  OUTCOME_UNKNOWN: {
    message: 'It is not known whether the card was charged. Do not charge it again. A person must check.',
    retryable: false,
  },
  INTERNAL_FAULT: {
    message: 'An unexpected fault stopped the payment. Do not repeat it. A person must check.',
    retryable: false,
  },
  // Storing the card.
  CARD_NOT_TOKENIZABLE: {
    message: 'This card or phone wallet cannot be stored for later charges. A sale that is paid stays paid.',
    retryable: false,
  },
  TOKENIZATION_NOT_ENABLED: {
    message: 'The merchant account is not allowed to store cards. Ask the platform to enable the tokenization role.',
    retryable: false,
  },
  TOKENIZATION_UNAVAILABLE: {
    message: 'The card could not be stored because the platform did not answer. A sale that is paid stays paid.',
    retryable: true,
  },
  // The charge part.
  CARD_NOT_STORED: { message: 'The token of this card no longer exists. Store the card again.', retryable: false },
  HOLDER_NAME_NEEDED: { message: 'The name of the card holder is not known. Send `holderName`.', retryable: true },
  CHARGE_TOKEN_REFUSED: {
    message: 'The platform refused to prepare the charge. No money was taken.',
    retryable: false,
  },
  NATIVE_CHECKOUT_NOT_ENABLED: {
    message: 'The account is not allowed to charge stored cards. Ask the platform to enable native checkout.',
    retryable: false,
  },
  CHARGE_REFUSED: { message: 'The platform refused the charge. No money was taken.', retryable: false },
  CHARGE_EXPIRED: { message: 'The charge was not made in time and has ended. No money was taken.', retryable: true },
  CHARGE_MADE_LATE: {
    message:
      'The charge was reported as not made, but it was made. If the card was charged again, give one of the two charges back.',
    retryable: false,
  },
  CHARGE_NOT_SENT: { message: 'The charge could not be sent. No money was taken.', retryable: true },
  AUTHENTICATION_EXPIRED: {
    message: 'The payer did not finish the authentication in time. No money was taken.',
    retryable: true,
  },
  AUTHENTICATION_INCOMPLETE: {
    message: 'The payer has not finished the authentication. No money was taken.',
    retryable: true,
  },
  CHARGE_WITHDRAWN: {
    message:
      'The sale was stopped at the till, so its additional charge was not started. Read the sale to learn its outcome.',
    retryable: false,
  },
  SALE_IN_REVIEW: {
    message: 'A person must check the sale first, so its additional charge was not started.',
    retryable: false,
  },
  SALE_REVERSED: {
    message: 'The payment of the sale was given back, so its additional charge was not started.',
    retryable: false,
  },
  SALE_NOT_CREATED: {
    message:
      'The request ended before the sale was created, so its additional charge was not started. No money was taken.',
    retryable: true,
  },
  SALE_NOT_PAID: { message: 'The sale was not paid, so its additional charge was not started.', retryable: false },
  CAPTURE_REFUSED: {
    message: 'The platform refused the capture. It took no money, and the pre-authorization has not changed.',
    retryable: true,
  },
  CAPTURE_NOT_MADE: {
    message: 'The capture was not made. It took no money.',
    retryable: true,
  },
  CAPTURE_UNKNOWN: {
    message: 'It is not known whether the capture was made. Do not capture again. A person must check.',
    retryable: false,
  },
  CAPTURE_WINDOW_ENDED: {
    message: 'The pre-authorization was not captured in time and was released.',
    retryable: false,
  },
  HOLD_RELEASED: {
    message:
      'The pre-authorization was released at the platform. No money was taken, and it can no longer be captured.',
    retryable: false,
  },
  VOID_REFUSED: {
    message: 'The platform refused to release the pre-authorization. The issuer releases it after some days.',
    retryable: false,
  },
  // RF orders, for the developer of the storefront.
  RF_NOT_ENABLED: {
    message:
      'The account is not allowed to take bank transfers by RF code. Nobody can pay this order. Ask the platform to enable them.',
    retryable: false,
  },
  RF_ORDER_REFUSED: {
    message: 'The platform refused the order. Nobody can pay it. The field `platform` has the details.',
    retryable: false,
  },
  RF_CODE_INVALID: {
    message:
      'The platform gave a payment code with wrong check digits. The code was not shown, and the order was cancelled at the platform.',
    retryable: true,
  },
  RF_NOT_CREATED: {
    message: 'The platform did not give a payment code in time. Nobody can pay this order. Try again.',
    retryable: true,
  },
  RF_CANCEL_REFUSED: { message: 'The platform refused to cancel the order.', retryable: false },
  RF_PAYMENT_NOT_FOUND: {
    message: 'The platform reports money for the order, but does not show the payment. A person must check.',
    retryable: false,
  },
  RF_UNDERPAID: {
    message: 'The payer paid less than the amount, and no more money arrived. A person must decide.',
    retryable: false,
  },
  RF_PAID_AFTER_RETURN: {
    message: 'Money arrived after an earlier payment of this order was given back. A person must decide.',
    retryable: false,
  },
  VOID_UNKNOWN: {
    message: 'It is not known whether the pre-authorization was released. A person must check.',
    retryable: false,
  },
} as const satisfies Record<string, FailureText>;

export type FailureCode = keyof typeof failures;

/** The code of a refusal if it is one of ours, else `otherwise`. */
export function failureCodeOf(error: { readonly code: string }, otherwise: FailureCode): FailureCode {
  return Object.hasOwn(failures, error.code) ? (error.code as FailureCode) : otherwise;
}

/** The platform's reason, for support. Never a body. */
export interface PlatformReason {
  readonly status?: number;
  readonly code?: string;
  readonly eventId?: string;
  readonly correlationId?: string;
}

/** As stored in an item. */
export interface Failure {
  readonly code: FailureCode;
  readonly platform?: PlatformReason;
}

/** The failure that a sale or a charge shows. One that was found to be made late keeps `lateCode` for good. */
export function failureOf(
  item: { readonly failure?: Failure; readonly foundLate?: object },
  lateCode: 'SALE_PAID_LATE' | 'CHARGE_MADE_LATE',
): Failure | undefined {
  return item.failure ?? (item.foundLate && { code: lateCode });
}
