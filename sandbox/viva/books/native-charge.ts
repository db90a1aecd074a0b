/** A native transaction. Its charge token is for one use and one amount, within ten minutes. */

import { apiRefusal, invalidField, type Refusal } from '../http/answers.ts';
import { parseJson } from '../http/json.ts';
import type { TransactionRequest } from '../routes/charge-request.ts';
import type { Simulator } from '../simulator.ts';
import type { Account } from './accounts.ts';
import { declineEventIdOf } from './cards.ts';
import { CHARGE_TOKEN_MS, type ChargeToken } from './charge-tokens.ts';
import { decline, hold, type PaymentDraft, pay } from './money.ts';

const AUTHENTICATION_UNFINISHED = 2061;
const AUTHENTICATION_FAILED = 2062;
const EXPIRED_CARD = 10054;
const INSUFFICIENT_FUNDS = 10051;
const METADATA_INDUSTRIES = ['Hospitality', 'Car Rentals', 'Dropshipping'];

/** Charges or holds, and returns the transaction's id. Throws a refusal. */
export function chargeOnce(sim: Simulator, account: Account, byIsv: boolean, body: TransactionRequest): string {
  const token = sim.books.chargeTokens.find(account.merchantId, body.chargeToken);
  if (token === undefined) {
    throw apiRefusal(sim, 404, 'ChargeTokenNotFound');
  }
  requireLiving(sim, token);
  if (token.usedFor !== null) {
    return replay(sim, token.usedFor);
  }
  if (token.authentication === 'pending' || token.authentication === 'failed') {
    const eventId = token.authentication === 'pending' ? AUTHENTICATION_UNFINISHED : AUTHENTICATION_FAILED;
    throw apiRefusal(sim, 400, 'PaymentsCardHolderAuthenticationInvalidStatus', eventId);
  }
  requireConsistent(sim, account, byIsv, body, token);
  const declineEventId = issuerSays(sim, token);
  const draft = draftOf(account, body, token);
  const preauth = body.preauth === true;
  const made =
    declineEventId !== 0
      ? decline(sim, draft, preauth, declineEventId)
      : preauth
        ? hold(sim, draft)
        : pay(sim, 'charge', draft);
  token.usedFor = { transactionId: made.transactionId, declineEventId };
  if (declineEventId !== 0) {
    throw declined(sim, declineEventId);
  }
  return made.transactionId;
}

function requireLiving(sim: Simulator, { createdMs, usedFor }: ChargeToken): void {
  const expired = sim.clock.now() - createdMs > CHARGE_TOKEN_MS;
  const judgedAsUsed = usedFor !== null && sim.switches.get('ctokExpiryCheck') === 'after_use';
  if (expired && !judgedAsUsed) {
    throw apiRefusal(sim, 400, 'ChargeTokenExpired');
  }
}

function replay(sim: Simulator, { transactionId, declineEventId }: NonNullable<ChargeToken['usedFor']>): string {
  if (sim.switches.get('ctokReuse') === 'refuse') {
    throw apiRefusal(sim, 400, 'ChargeTokenAlreadyUsed');
  }
  if (declineEventId !== 0) {
    throw declined(sim, declineEventId);
  }
  return transactionId;
}

function requireConsistent(
  sim: Simulator,
  account: Account,
  byIsv: boolean,
  body: TransactionRequest,
  token: ChargeToken,
): void {
  const share = body.isvAmount ?? 0;
  const wrong =
    (body.amount !== token.amount && 'amount') ||
    (body.currencyCode != null && body.currencyCode !== Number(account.currencyCode) && 'currencyCode') ||
    ((byIsv ? share > body.amount : share > 0) && 'isvAmount') ||
    (body.preauth === true && (body.allowsRecurring === true || (body.installments ?? 0) > 1) && 'preauth') ||
    (body.saleToAcquirerData != null && !takesMetadata(account, body.saleToAcquirerData) && 'saleToAcquirerData');
  if (wrong) {
    throw invalidField(sim, wrong);
  }
}

function takesMetadata({ industry }: Account, base64: string): boolean {
  const data = parseJson(Buffer.from(base64, 'base64').toString());
  return METADATA_INDUSTRIES.includes(industry) && typeof data === 'object' && data !== null;
}

/** The event id of a decline, or 0 for an approval. The issuer knows the true expiry of the card. */
function issuerSays(sim: Simulator, { amount, card, expirationYear, expirationMonth }: ChargeToken): number {
  const { expiry } = card;
  const wrongExpiry = expiry !== null && (expiry.year !== expirationYear || expiry.month !== expirationMonth);
  if (wrongExpiry || Date.UTC(expirationYear, expirationMonth, 1) <= sim.clock.now()) {
    return EXPIRED_CARD;
  }
  return declineEventIdOf(amount) ?? (card.name === 'declines_later' ? INSUFFICIENT_FUNDS : 0);
}

function declined(sim: Simulator, eventId: number): Refusal {
  return apiRefusal(sim, sim.switches.get('declineStatus'), 'PaymentsTransactionDeclined', eventId);
}

function draftOf(account: Account, body: TransactionRequest, { card }: ChargeToken): PaymentDraft {
  const { email, phone, fullname } = body.customer ?? {};
  return {
    account,
    card,
    amount: body.amount,
    isvAmount: body.isvAmount ?? 0,
    tipAmount: body.tipAmount ?? 0,
    merchantTrns: body.merchantTrns ?? '',
    customerTrns: body.customerTrns ?? '',
    installments: body.installments ?? 0,
    allowsRecurring: body.allowsRecurring ?? false,
    customer: { ...(email && { email }), ...(phone && { phone }), fullname: fullname ?? card.holderName },
    ...(body.sourceCode ? { sourceCode: body.sourceCode } : {}),
  };
}
