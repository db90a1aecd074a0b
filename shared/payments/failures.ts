/**
 * Every code a `failure` can carry, with the sentence for whoever reads it. Items store the code; the sentence is added
 * when a resource is shown, so that it can be improved without touching what happened. `docs/errors.md` prints this
 * table.
 *
 * `retryable` means: the same thing may be asked for again, as a new request with a new idempotency key, and nothing was
 * taken by this one.
 */
export interface FailureText {
  readonly message: string;
  readonly retryable: boolean;
}

export const failures = {
  // The terminal part: read by a cashier.
  CARD_DECLINED: { message: 'The card was declined. Ask for another card.', retryable: true },
  CARD_INSUFFICIENT_FUNDS: { message: 'The card has not enough funds. Ask for another card.', retryable: true },
  CARD_EXPIRED: { message: 'The card has expired. Ask for another card.', retryable: true },
  CARD_BLOCKED: {
    message: 'The card is lost, stolen or blocked. Do not try it again; ask for another card.',
    retryable: false,
  },
  CARD_WRONG_PIN: { message: 'The PIN was wrong, or tried too often. Ask for another card.', retryable: true },
  CARD_LIMIT_EXCEEDED: { message: 'The amount is above the limit of the card. Ask for another card.', retryable: true },
  CARD_NOT_READ: { message: 'The card could not be read. Try again, or ask for another card.', retryable: true },
  ISSUER_UNAVAILABLE: { message: 'The bank of the card does not answer. Try again in a minute.', retryable: true },
  CANCELLED_ON_TERMINAL: { message: 'The payment was cancelled on the terminal. Nothing was taken.', retryable: true },
  SALE_ABORTED: { message: 'The payment was stopped from the till. Nothing was taken.', retryable: true },
  TERMINAL_TIMED_OUT: { message: 'No card was presented in time. Nothing was taken.', retryable: true },
  TERMINAL_BUSY: {
    message: 'The terminal is busy with another payment. Wait until it is free, then try again.',
    retryable: true,
  },
  TERMINAL_OFFLINE: { message: 'The terminal has no connection. Check it, then try again.', retryable: true },
  TERMINAL_REFUSED: {
    message:
      'The terminal or its account cannot do this payment. Nothing was taken; ask support to check the terminal.',
    retryable: false,
  },
  TERMINAL_ERROR: { message: 'The terminal reported an error. Nothing was taken; try again.', retryable: true },
  TERMINAL_NOT_ANSWERING: {
    message: 'The terminal does not answer. Do not take the money again yet: the payment may still have gone through.',
    retryable: false,
  },
  SALE_PAID_LATE: {
    message:
      'The payment was told as refused and went through after all. If it was taken again since, give one of them back.',
    retryable: false,
  },
  SALE_NOT_SENT: {
    message: 'The payment could not be sent to the terminal in time and was not started. Nothing was taken; try again.',
    retryable: true,
  },
  SALE_REFUSED: {
    message: 'The platform refused the sale. Nothing was taken; the details are in `platform`.',
    retryable: false,
  },
  ACCOUNT_NOT_READY: {
    message:
      'The platform refused the credentials of this account. Nothing was taken; an operator must check the account.',
    retryable: false,
  },
  // What was read does not fit what was asked: a person decides.
  AMOUNT_MISMATCH: {
    message:
      'The platform reports another amount or currency than was asked for. Do not take the money again; a person must compare.',
    retryable: false,
  },
  MERCHANT_MISMATCH: {
    message:
      'The platform reports another merchant than was asked for. Do not take the money again; a person must compare.',
    retryable: false,
  },
  TERMINAL_MISMATCH: {
    message:
      'The platform reports another terminal than was asked for. Do not take the money again; a person must compare.',
    retryable: false,
  },
  TRANSACTION_MISMATCH: {
    message:
      'The platform reports a transaction that is not the payment that was asked for. Do not take the money again; a person must compare.',
    retryable: false,
  },
  TRANSACTION_UNREADABLE: {
    message:
      'The terminal reported a payment, but its transaction could not be read. Do not take the money again; a person must check.',
    retryable: false,
  },
  REFUND_UNREADABLE: {
    message: 'Something of the payment was given back, but the platform does not show how much; a person must check.',
    retryable: false,
  },
  TRANSACTION_NOT_FOUND: { message: 'The platform knows no such transaction of this merchant.', retryable: false },
  TRANSACTION_NOT_PAID: {
    message: 'The transaction is not a finished card payment, so its card cannot be stored.',
    retryable: false,
  },
  OUTCOME_UNKNOWN: {
    message: 'It is not known whether the card was charged. Do not charge again; a person must check.',
    retryable: false,
  },
  INTERNAL_FAULT: {
    message: 'The flow stopped on an unexpected fault. Do not repeat the payment; a person must check.',
    retryable: false,
  },
  // Storing the card.
  CARD_NOT_TOKENIZABLE: {
    message: 'This card or phone wallet cannot be stored for later charges. A sale already paid stays paid.',
    retryable: false,
  },
  TOKENIZATION_NOT_ENABLED: {
    message: 'The merchant account may not store cards: ask the platform to enable the tokenization role.',
    retryable: false,
  },
  TOKENIZATION_UNAVAILABLE: {
    message: 'The card could not be stored because the platform did not answer. A sale already paid stays paid.',
    retryable: true,
  },
  // The charge part.
  CARD_NOT_STORED: { message: 'The token of this card is gone. Store the card again.', retryable: false },
  HOLDER_NAME_NEEDED: { message: 'The card holder’s name is not known: send `holderName`.', retryable: true },
  CHARGE_TOKEN_REFUSED: { message: 'The platform refused to prepare the charge. Nothing was taken.', retryable: false },
  NATIVE_CHECKOUT_NOT_ENABLED: {
    message: 'The account may not charge stored cards: ask the platform to enable native checkout.',
    retryable: false,
  },
  CHARGE_REFUSED: { message: 'The platform refused the charge. Nothing was taken.', retryable: false },
  CHARGE_EXPIRED: { message: 'The charge was not sent in time and was given up. Nothing was taken.', retryable: true },
  CHARGE_MADE_LATE: {
    message:
      'The charge was told as over and was made after all. If the card was charged again since, give one of them back.',
    retryable: false,
  },
  CHARGE_NOT_SENT: { message: 'The charge could not be sent. Nothing was taken.', retryable: true },
  AUTHENTICATION_EXPIRED: {
    message: 'The payer did not finish the authentication in time. Nothing was taken.',
    retryable: true,
  },
  AUTHENTICATION_INCOMPLETE: {
    message: 'The payer’s authentication is not finished. Nothing was taken.',
    retryable: true,
  },
  CHARGE_WITHDRAWN: {
    message:
      'The sale was stopped from the till, so its additional charge was not started. This says nothing about the sale.',
    retryable: false,
  },
  SALE_IN_REVIEW: {
    message: 'A person must look at the sale first, so its additional charge was not started.',
    retryable: false,
  },
  SALE_REVERSED: {
    message: 'The sale was given back, so its additional charge was not started.',
    retryable: false,
  },
  SALE_NOT_CREATED: {
    message:
      'The request broke off before the sale was created, so its additional charge was given up. Nothing was charged.',
    retryable: true,
  },
  SALE_NOT_PAID: { message: 'The sale was not paid, so the additional charge was not started.', retryable: false },
  CAPTURE_REFUSED: {
    message: 'The platform refused the capture; the authorization stands as it was.',
    retryable: true,
  },
  CAPTURE_NOT_MADE: {
    message: 'The capture was asked for and provably not made. Nothing was taken by it.',
    retryable: true,
  },
  CAPTURE_UNKNOWN: {
    message: 'It is not known whether the capture was made. Do not capture again; a person must check.',
    retryable: false,
  },
  CAPTURE_WINDOW_ENDED: { message: 'The authorization was not captured in time and was released.', retryable: false },
  HOLD_RELEASED: {
    message: 'The authorization was released at the platform. Nothing was taken, and nothing can be captured.',
    retryable: false,
  },
  VOID_REFUSED: {
    message: 'The platform refused to release the hold; it ends by itself with the issuer.',
    retryable: false,
  },
  // RF orders: read by the storefront's developer.
  RF_NOT_ENABLED: {
    message:
      'The account may not take bank transfers by RF code: ask the platform to enable them. Nobody can pay this order.',
    retryable: false,
  },
  RF_ORDER_REFUSED: {
    message: 'The platform refused the order. Nobody can pay it; the details are in `platform`.',
    retryable: false,
  },
  RF_CODE_INVALID: {
    message:
      'The platform gave a payment code whose check digits are wrong. It was shown to nobody and the order was withdrawn.',
    retryable: true,
  },
  RF_NOT_CREATED: {
    message:
      'The platform did not give a payment code in time, and the order was given up. Nobody can pay it; try again.',
    retryable: true,
  },
  RF_CANCEL_REFUSED: { message: 'The platform refused to cancel the order.', retryable: false },
  RF_PAYMENT_NOT_FOUND: {
    message: 'The platform says that money came for the order, but does not show the payment; a person must check.',
    retryable: false,
  },
  RF_UNDERPAID: { message: 'Less than the amount was paid, and no more came; a person must decide.', retryable: false },
  RF_PAID_AFTER_RETURN: {
    message: 'Money came after an earlier payment of this order was given back; a person must decide.',
    retryable: false,
  },
  VOID_UNKNOWN: { message: 'It is not known whether the hold was released; a person must check.', retryable: false },
} as const satisfies Record<string, FailureText>;

export type FailureCode = keyof typeof failures;

/** A refusal's code where it is one of ours, else what it comes to for this step. */
export function failureCodeOf(error: { readonly code: string }, otherwise: FailureCode): FailureCode {
  return Object.hasOwn(failures, error.code) ? (error.code as FailureCode) : otherwise;
}

/** What the platform said, for support: never a body. */
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

/** Of a sale or charge, as it is shown: what was found made after it was told as over says so for good. */
export function failureOf(
  item: { readonly failure?: Failure; readonly foundLate?: object },
  lateCode: 'SALE_PAID_LATE' | 'CHARGE_MADE_LATE',
): Failure | undefined {
  return item.failure ?? (item.foundLate && { code: lateCode });
}
