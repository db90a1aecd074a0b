/** Every problem: when it is answered, and an example. */
import { Problem, problemBody } from '../../shared/api/problem.ts';
import { type ProblemCode, problems } from '../../shared/api/problems.ts';
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
    detail: 'The body breaks the rules in `errors`.',
    options: { errors: [{ pointer: '/amount', detail: 'must be at least 30' }] },
  },
  INVALID_JSON: { detail: 'The body is not valid JSON.' },
  IDEMPOTENCY_KEY_INVALID: { detail: 'Send one Idempotency-Key of 1 to 255 visible ASCII characters.' },
  TERMINAL_PREAUTH_NOT_OFFERED: {
    detail: 'Hold an amount with additionalCharge.preauth instead.',
    options: { errors: [{ pointer: '/preauth', detail: 'is offered as /additionalCharge/preauth' }] },
  },
  ISV_AMOUNT_NOT_OFFERED: {
    detail: 'This account takes no ISV share here.',
    options: { errors: [{ pointer: '/isvAmount', detail: 'must be 0 for this account' }] },
  },
  UNAUTHORIZED: { detail: 'Send a valid access token as bearer token.', headers: ['WWW-Authenticate'] },
  FORBIDDEN: { detail: 'The access token does not allow this request.' },
  NOT_FOUND: { detail: 'There is no such resource, or the access token may not see it.' },
  TERMINAL_NOT_FOUND: { detail: 'The merchant has no terminal with this terminalId.' },
  METHOD_NOT_ALLOWED: { detail: 'This resource knows POST, GET.' },
  TERMINAL_IN_USE: {
    detail: 'The terminal has an open sale.',
    options: { members: { saleId } },
    headers: again,
  },
  SALE_NOT_ABORTABLE: { detail: 'The terminal took the payment. Refund it in the portal of the platform.' },
  CHARGE_NOT_CAPTURABLE: { detail: 'Only an authorization that still holds its amount can be captured.' },
  CAPTURE_EXISTS: { detail: 'The authorization has a capture with another idempotency key.' },
  CARD_PENDING: { detail: 'The card is still being stored.' },
  RF_ORDER_IN_PROGRESS: { detail: 'The first request with this key is still running.', headers: again },
  RF_ORDER_PAID: { detail: 'Money has arrived for the order.' },
  BODY_TOO_LARGE: { detail: 'A body may have at most 16384 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { detail: 'Send the body as application/json.' },
  IDEMPOTENCY_KEY_REUSED: { detail: 'This key was used for another request.' },
  CURRENCY_NOT_SUPPORTED: {
    detail: 'The account trades in EUR.',
    options: { errors: [{ pointer: '/currency', detail: 'must be EUR' }] },
    headers: kept,
  },
  INDUSTRY_NOT_ELIGIBLE: {
    detail: 'Only Hospitality, Car Rentals and Dropshipping send acquirer data.',
    options: {
      errors: [{ pointer: '/additionalCharge/saleToAcquirerData', detail: 'is not offered to this account' }],
    },
    headers: kept,
  },
  CAPTURE_TOO_LARGE: {
    detail: 'A capture takes at most the authorized amount.',
    options: { errors: [{ pointer: '/amount', detail: 'must be at most the authorized amount' }] },
    headers: kept,
  },
  RF_NOT_AVAILABLE: {
    detail: 'Bank transfers by RF code are in EUR.',
    options: { errors: [{ pointer: '/currency', detail: 'must be EUR' }] },
    headers: kept,
  },
  ACCOUNT_NOT_READY: {
    detail: 'The platform refused the credentials of this account.',
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  RF_NOT_ENABLED: {
    detail: 'The account is not allowed to take bank transfers by RF code. Ask the platform to enable them.',
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  RF_ORDER_REFUSED: {
    detail: 'The platform refused the order. Nobody can pay it. The details are in `platform`.',
    options: { members: { rfOrderId, platform } },
    headers: kept,
  },
  TOO_MANY_REQUESTS: { detail: 'Too many requests at once. Send this one again.', headers: again },
  INTERNAL_ERROR: { detail: 'An unexpected fault. It was logged under the request id.' },
  RF_CODE_INVALID: {
    detail: 'The platform gave a payment code with wrong check digits. It was shown to nobody.',
    options: { members: { rfOrderId } },
    headers: kept,
  },
  RF_NOT_CREATED: {
    detail: 'The platform did not give a payment code in time. Nobody can pay the order.',
    options: { members: { rfOrderId } },
    headers: kept,
  },
  SERVICE_UNAVAILABLE: { detail: 'Send the request again, with the same idempotency key.', headers: again },
};

/** What is said about a code beside its title. */
const notes: Partial<Readonly<Record<ProblemCode, string>>> = {
  INVALID_REQUEST: 'Every broken rule is in `errors`.',
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
