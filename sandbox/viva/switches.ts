/**
 * Where sources contradict each other or say nothing, the simulator follows one reading until a switch picks another
 * (docs/viva.md). The first value is the default.
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
      'a sale with a known sessionId: refused with 409, or taken as a second session, which is then the one that is read by its id (it ends with 1100 while the first is open)',
  },
  sessionTransactionEventId: {
    values: ['present', 'missing'],
    meaning: 'whether a declined session has the issuer’s reason',
  },
  ecrIsvAmountZero: { values: ['accepted', 'refused'], meaning: 'isvDetails.amount 0 in a terminal sale of an ISV' },
  abortVerb: {
    values: ['delete', 'get'],
    meaning: 'abort of a session: DELETE sessions/{id}, or GET sessions/{id}:abort',
  },
  contactlessLimit: {
    values: ['none', 'second_try'],
    meaning: 'whether the first tap fails with its own order code (1798) before the PIN makes the sale succeed',
  },
  v2Expiry: { values: ['present', 'absent'], meaning: 'cardExpirationDate in transactions of checkout v2' },
  ctokReuse: {
    values: ['refuse', 'replay'],
    meaning: 'a second use of a charge token: 400, or the first answer again',
  },
  ctokExpiryCheck: {
    values: ['before_use', 'after_use'],
    meaning: 'a charge token that is both used and expired: refused as expired, or treated as used',
  },
  acsForMoto: {
    values: ['never', 'challenge'],
    meaning: 'whether a challenge card also asks for authentication with moto',
  },
  frictionlessForm: { values: ['null', 'empty'], meaning: 'redirectToACSForm when there is no form' },
  acsReturn: { values: ['get', 'post'], meaning: 'how the payer comes back to sessionRedirectUrl' },
  declineStatus: { values: [400, 402, 403, 500], meaning: 'HTTP status when the issuer declines a native transaction' },
  partialCaptures: { values: ['one', 'several'], meaning: 'how many captures a pre-authorization can have' },
  nativeCaptureReference: {
    values: ['taken', 'ignored'],
    meaning: 'whether a native capture takes merchantTrns, which is not documented for it',
  },
  overCapture: { values: ['refused', 'accepted'], meaning: 'a capture above the hold' },
  captureWindowDays: { values: [30, 1, 5], meaning: 'days until an uncaptured hold expires, without notice' },
  isvCapture: {
    values: ['reseller', 'bearer'],
    meaning:
      'credentials of an ISV for captures in the payment API: the reseller pair as Basic, or the ISV’s bearer token',
  },
  refundVerb: {
    values: ['delete', 'post'],
    meaning: 'POST on a paid transaction that does not allow recurring: refused, or a refund',
  },
  cancelOrder: {
    values: ['legacy', 'api'],
    meaning: 'cancel of an order: DELETE /api/orders on the base host, or /checkout/v2/orders on the api host',
  },
  cancelAgain: {
    values: ['done', 'not_found'],
    meaning: 'cancel of an order that is already cancelled: done again, or 404',
  },
  queryNames: { values: ['any_case', 'exact'], meaning: 'whether MerchantId may also be written merchantId' },
  orderCodeType: {
    values: ['number', 'string'],
    meaning: 'type of orderCode in answers and webhooks that document a number',
  },
  orderCodeDigits: { values: [16, 12], meaning: 'digits of an order code' },
  eventIdType: {
    values: ['string', 'number'],
    meaning: 'type of eventId in the error bodies of native, acquiring and order calls',
  },
  rfDigits: { values: [20, 23], meaning: 'number of digits after the letters RF' },
  rfResponse: { values: ['code', 'empty'], meaning: 'answer of the payment session: the code, or 200 without content' },
  rfMerchantPaymentWebhook: {
    values: ['sent', 'not_sent'],
    meaning: 'whether a merchant account gets 1796 for a bank transfer',
  },
  rfSaleTransactionId: { values: ['filled', 'null'], meaning: 'SaleTransactionId of 2054 for a bank transfer' },
  webhookAmountUnit: { values: ['major', 'minor'], meaning: 'unit of Amount in webhooks 1796, 1797 and 1798' },
  webhookSignature: {
    values: ['none', 'header'],
    meaning: 'whether webhooks have X-Viva-Signature, the HMAC-SHA256 of the body with the verification key',
  },
  webhookRetries: {
    values: [24, 72],
    meaning: 'how often a webhook is sent, once an hour, until it is answered with 2xx',
  },
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
