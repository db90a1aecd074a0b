/**
 * Charging a stored card: a charge token, which moves no money, and the transaction, which does. The platform takes a
 * charge token once; that only one is ever sent for a charge is the caller's fence.
 *
 * Numbers and flags of the interface always go on the wire, also where they say nothing (`isvAmount` 0, `installments` 0);
 * texts and objects that nobody gave do not. The currency is text in one request and a number in the other.
 */
import * as z from 'zod/mini';
import type { Account } from '../payments/items.ts';
import { defined, read, unlessEmpty } from './answers.ts';
import { numericCode } from './money.ts';
import { failed } from './outcomes.ts';
import type { Send } from './send.ts';
import type { ChargeRequest, ChargeTokenRequest, NothingLeft, Platform } from './viva.ts';

const chargeToken = z.object({
  chargeToken: z.string().check(z.startsWith('ctok_')),
  redirectToACSForm: z.nullish(z.string()),
});

const created = z.object({ transactionId: z.string().check(z.minLength(1)) });

export function native(
  { mode, merchantId }: Account,
  send: Send,
): Pick<Platform, 'createChargeToken' | 'createTransaction'> {
  const api = mode === 'isv' ? '/nativecheckout/v2/isv' : '/nativecheckout/v2';
  const as = mode === 'isv' ? 'isv' : 'native';
  const query = { MerchantId: merchantId };

  return {
    async createChargeToken(request) {
      const body = chargeTokenBody(request);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path: `${api}/chargetokens`, query, body, as });
      const answer = outcome.kind === 'answer' && outcome.status === 200 ? read(chargeToken, outcome) : undefined;
      if (outcome.kind !== 'answer' || answer === undefined) {
        throw failed('createChargeToken', outcome);
      }
      const form = answer.redirectToACSForm || undefined;
      return defined({ chargeToken: answer.chargeToken, form, call: outcome.call });
    },

    async createTransaction(request) {
      const body = transactionBody(request);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path: `${api}/transactions`, query, body, as });
      const answer = outcome.kind === 'answer' && outcome.status === 200 ? read(created, outcome) : undefined;
      if (outcome.kind !== 'answer' || answer === undefined) {
        throw failed('createTransaction', outcome);
      }
      return { transactionId: answer.transactionId, call: outcome.call };
    },
  };
}

function chargeTokenBody(request: ChargeTokenRequest) {
  return defined({
    moto: request.moto,
    amount: request.amount,
    token: request.cardToken,
    holderName: request.holderName,
    expirationYear: request.expirationYear,
    expirationMonth: request.expirationMonth,
    currencyCode: numericCode(request.currency),
    sessionRedirectUrl: request.sessionRedirectUrl,
  });
}

function transactionBody(request: ChargeRequest) {
  const { amount, isvAmount, preauth, chargeToken, installments, allowsRecurring, ...more } = request;
  const { merchantTrns, customerTrns, currency, saleToAcquirerData, customer, ...rest } = more;
  rest satisfies NothingLeft;
  return defined({
    amount,
    isvAmount,
    preauth,
    chargeToken,
    installments,
    allowsRecurring,
    merchantTrns,
    customerTrns,
    currencyCode: Number(numericCode(currency)),
    saleToAcquirerData: saleToAcquirerData && Buffer.from(JSON.stringify(saleToAcquirerData)).toString('base64'),
    customer: unlessEmpty(customer),
  });
}
