/**
 * Where the documentation contradicts itself or is silent, the platform behaves as one reading says until a switch picks
 * another. The first value is the default.
 */
interface SwitchKind {
  readonly values: readonly [string | number, ...(string | number)[]];
  readonly meaning: string;
}

export const SWITCHES = {
  pendingSession: {
    values: ['http202', 'body1100'],
    meaning: 'how a session that is not finished reads: HTTP 202, or HTTP 200 with eventId 1100 in its body',
  },
  duplicateSession: {
    values: ['conflict', 'accepted'],
    meaning:
      'a sale with a known sessionId: 409, or taken again as a second session, which is the one read by its id from then on (while the first is open it ends with 1100)',
  },
  sessionTransactionEventId: {
    values: ['present', 'missing'],
    meaning: 'whether a declined session tells the issuer’s reason',
  },
  ecrIsvAmountZero: { values: ['accepted', 'refused'], meaning: 'isvDetails.amount 0 on a terminal sale of an ISV' },
  abortVerb: {
    values: ['delete', 'get'],
    meaning: 'abort of a session: DELETE sessions/{id}, or GET sessions/{id}:abort',
  },
  contactlessLimit: {
    values: ['none', 'second_try'],
    meaning: 'whether the first tap fails with an order code of its own (1798) before the PIN lets the sale through',
  },
  v2Expiry: { values: ['present', 'absent'], meaning: 'cardExpirationDate in the answers of checkout v2 transactions' },
  ctokReuse: { values: ['refuse', 'replay'], meaning: 'a charge token used again: 400, or the first answer once more' },
  ctokExpiryCheck: {
    values: ['before_use', 'after_use'],
    meaning: 'a charge token both used and expired: refused as expired, or judged as used',
  },
  acsForMoto: {
    values: ['never', 'challenge'],
    meaning: 'whether a challenge card asks for authentication with moto, too',
  },
  frictionlessForm: { values: ['null', 'empty'], meaning: 'redirectToACSForm when there is none' },
  acsReturn: { values: ['get', 'post'], meaning: 'how the payer comes back to sessionRedirectUrl' },
  declineStatus: { values: [400, 402, 403, 500], meaning: 'HTTP status of an issuer decline of a native transaction' },
  partialCaptures: { values: ['one', 'several'], meaning: 'captures of one pre-authorization' },
  nativeCaptureReference: {
    values: ['taken', 'ignored'],
    meaning: 'whether a native capture takes merchantTrns, which its documentation does not name',
  },
  overCapture: { values: ['refused', 'accepted'], meaning: 'a capture above the hold' },
  captureWindowDays: { values: [30, 1, 5], meaning: 'days until an uncaptured hold drops, without notice' },
  isvCapture: {
    values: ['reseller', 'bearer'],
    meaning: 'what legacy transactions take from an ISV: the reseller pair as Basic, or the ISV’s bearer token',
  },
  refundVerb: {
    values: ['delete', 'post'],
    meaning: 'whether POST on a paid transaction that allows no recurring is refused, or refunds',
  },
  cancelOrder: {
    values: ['legacy', 'api'],
    meaning: 'cancel of an order: DELETE /api/orders on the base host, or /checkout/v2/orders on the api host',
  },
  cancelAgain: {
    values: ['done', 'not_found'],
    meaning: 'cancel of an order that is cancelled already: done again, or 404',
  },
  queryNames: { values: ['any_case', 'exact'], meaning: 'whether MerchantId may be written merchantId' },
  orderCodeType: { values: ['number', 'string'], meaning: 'orderCode in answers and events that document a number' },
  orderCodeDigits: { values: [16, 12], meaning: 'digits of an order code' },
  eventIdType: {
    values: ['string', 'number'],
    meaning: 'eventId in the error bodies of native, acquiring and order calls',
  },
  rfDigits: { values: [20, 23], meaning: 'digits after the letters RF' },
  rfResponse: { values: ['code', 'empty'], meaning: 'the payment session answers the code, or 200 with no content' },
  rfMerchantPaymentEvent: {
    values: ['sent', 'not_sent'],
    meaning: 'whether a merchant account gets 1796 for a bank transfer',
  },
  rfSaleTransactionId: { values: ['filled', 'null'], meaning: 'SaleTransactionId of 2054 for a bank transfer' },
  webhookAmountUnit: { values: ['major', 'minor'], meaning: 'Amount in events 1796, 1797 and 1798' },
  webhookSignature: {
    values: ['none', 'header'],
    meaning: 'X-Viva-Signature, the HMAC-SHA256 of the body with the verification key',
  },
  webhookRetries: { values: [24, 72], meaning: 'hourly tries in all until a webhook is answered with 2xx' },
} as const satisfies Record<string, SwitchKind>;

export type SwitchName = keyof typeof SWITCHES;
export type SwitchValue<N extends SwitchName> = (typeof SWITCHES)[N]['values'][number];

export class Switches {
  readonly #values = new Map<SwitchName, string | number>();

  get<N extends SwitchName>(name: N): SwitchValue<N> {
    return (this.#values.get(name) ?? SWITCHES[name].values[0]) as SwitchValue<N>;
  }

  set(name: SwitchName, value: string | number): void {
    this.#values.set(name, value);
  }

  clear(): void {
    this.#values.clear();
  }
}
