/** Every problem: when it is answered, and an example. */
import { Problem, problemBody } from '../../shared/api/problem.ts';
import { type ProblemCode, problems } from '../../shared/api/problems.ts';
import { failures } from '../../shared/payments/failures.ts';
import { requestId, rfOrderId, saleId } from './ids.ts';

interface ProblemWords {
  /** Of the example. */
  readonly detail: string;
  readonly options?: ConstructorParameters<typeof Problem>[2];
  /** Headers beside the usual ones. */
  readonly headers?: readonly HeaderName[];
}

export type HeaderName =
  | 'Location'
  | 'ETag'
  | 'Preference-Applied'
  | 'Retry-After'
  | 'Idempotency-Replayed'
  | 'WWW-Authenticate';

const again = ['Retry-After'] as const;
/** Stored: it is the answer to the key from then on. */
const kept = ['Idempotency-Replayed'] as const;
const platform = { status: 403, code: '403', correlationId: '25-324-6F1F2E3D' };

const words: Readonly<Record<ProblemCode, ProblemWords>> = {
  INVALID_REQUEST: {
    detail: 'The body has fields that are not valid. See errors.',
    options: { errors: [{ pointer: '/amount', detail: 'must be at least 30 minor units' }] },
  },
  INVALID_JSON: { detail: 'The body is not valid JSON.' },
  IDEMPOTENCY_KEY_INVALID: { detail: 'Send one Idempotency-Key of 1 to 255 visible ASCII characters.' },
  TERMINAL_PREAUTH_NOT_OFFERED: {
    detail: 'A terminal sale cannot hold an amount. Send additionalCharge.preauth instead.',
    options: { errors: [{ pointer: '/preauth', detail: 'is offered as /additionalCharge/preauth' }] },
  },
  ISV_AMOUNT_NOT_OFFERED: {
    detail: 'This account does not support an ISV share here. Send isvAmount 0.',
    options: { errors: [{ pointer: '/isvAmount', detail: 'must be 0 for this account' }] },
  },
  UNAUTHORIZED: { detail: 'Send a valid access token as a bearer token.', headers: ['WWW-Authenticate'] },
  FORBIDDEN: { detail: 'The access token does not allow this request.' },
  NOT_FOUND: { detail: 'The resource does not exist, or the access token does not allow access to it.' },
  TERMINAL_NOT_FOUND: { detail: 'The merchant has no terminal with this terminalId.' },
  METHOD_NOT_ALLOWED: { detail: 'This resource supports POST, GET.' },
  TERMINAL_IN_USE: {
    detail: 'Another sale holds the terminal. Wait until the sale in saleId has ended, or abort it.',
    options: { members: { saleId } },
    headers: again,
  },
  SALE_NOT_ABORTABLE: { detail: 'The terminal took the payment. Give it back in the portal of the platform.' },
  CHARGE_NOT_CAPTURABLE: { detail: 'The charge has no open pre-authorization. Read the charge to see its status.' },
  CAPTURE_EXISTS: { detail: 'The pre-authorization already has a capture with another idempotency key.' },
  CARD_PENDING: { detail: 'The card is still being stored. Send the request again when it is stored.' },
  RF_ORDER_IN_PROGRESS: {
    detail: 'The first request with this key is not finished. Repeat it after Retry-After.',
    headers: again,
  },
  RF_ORDER_PAID: { detail: 'The order has received money. It can no longer be cancelled.' },
  BODY_TOO_LARGE: { detail: 'A body may have at most 16384 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { detail: 'Send the body as application/json.' },
  IDEMPOTENCY_KEY_REUSED: { detail: 'This key was used with another request. Send a new key.' },
  CURRENCY_NOT_SUPPORTED: {
    detail: 'The account trades in EUR only.',
    options: { errors: [{ pointer: '/currency', detail: 'must be EUR' }] },
    headers: kept,
  },
  INDUSTRY_NOT_ELIGIBLE: {
    detail: 'Only the industries Hospitality, Car Rentals and Dropshipping may send acquirer data.',
    options: {
      errors: [{ pointer: '/additionalCharge/saleToAcquirerData', detail: 'is not offered to this account' }],
    },
    headers: kept,
  },
  CAPTURE_TOO_LARGE: {
    detail: 'The amount is larger than the authorized amount. Send a smaller amount.',
    options: { errors: [{ pointer: '/amount', detail: 'must be at most the authorized amount' }] },
    headers: kept,
  },
  RF_NOT_AVAILABLE: {
    detail: 'Bank transfers by RF code are in EUR. Send currency EUR.',
    options: { errors: [{ pointer: '/currency', detail: 'must be EUR' }] },
    headers: kept,
  },
  ACCOUNT_NOT_READY: {
    detail: failures.ACCOUNT_NOT_READY.message,
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  RF_NOT_ENABLED: {
    detail: failures.RF_NOT_ENABLED.message,
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  RF_ORDER_REFUSED: {
    detail: failures.RF_ORDER_REFUSED.message,
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  TOO_MANY_REQUESTS: { detail: 'Too many requests were sent at once. Send this one again later.', headers: again },
  INTERNAL_ERROR: { detail: 'An unexpected error was logged under the requestId. Give it to support.' },
  RF_CODE_INVALID: {
    detail: failures.RF_CODE_INVALID.message,
    options: { members: { rfOrderId } },
    headers: kept,
  },
  RF_NOT_CREATED: {
    detail: failures.RF_NOT_CREATED.message,
    options: { members: { rfOrderId } },
    headers: kept,
  },
  SERVICE_UNAVAILABLE: {
    detail: 'The request was not completed. Send it again with the same idempotency key.',
    headers: again,
  },
};

/** What is said about a code beside its title. */
const notes: Partial<Readonly<Record<ProblemCode, string>>> = {
  INVALID_REQUEST:
    '`errors` names what is not valid: first the query, then each field of the body, then the rules between fields.',
  NOT_FOUND: 'Also for what belongs to a merchant that the token may not act for.',
  TERMINAL_IN_USE: '`saleId` is the sale that holds it. `Retry-After` is as long as an `unconfirmed` sale holds it.',
  CHARGE_NOT_CAPTURABLE:
    'Nothing is held, or the hold was found after its charge had been reported as over and is given back.',
  CAPTURE_EXISTS: 'Another key has a capture that is pending or done.',
  RF_ORDER_IN_PROGRESS: 'Repeat the request with the same key.',
  BODY_TOO_LARGE: 'A body has at most 16 kB.',
  INTERNAL_ERROR: 'Repeat the request with the same key to find out whether it had an effect.',
  SERVICE_UNAVAILABLE: 'Repeat the request with the same key.',
  RF_CODE_INVALID: 'The order is `failed` and nobody can pay it. Try again with a new key.',
  RF_NOT_CREATED: 'The order is `failed` and nobody can pay it. Try again with a new key.',
};

export function problemText(code: ProblemCode): string {
  const note = notes[code];
  return `${code}: ${problems[code].title}.${note === undefined ? '' : ` ${note}`}`;
}

export function problemHeaders(code: ProblemCode): readonly HeaderName[] {
  return words[code].headers ?? [];
}

export function problemExample(code: ProblemCode): unknown {
  const { detail, options } = words[code];
  return JSON.parse(problemBody(new Problem(code, detail, options), '/v1/…', requestId));
}
