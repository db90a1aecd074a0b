/**
 * Charges a stored card (docs/viva.md, "Native checkout"): the charge token moves no money, the transaction does. The
 * platform takes a charge token once. The caller makes sure that it sends only one charge token for a charge.
 *
 * Numbers and flags are always sent, also without a meaning (`isvAmount` 0, `installments` 0). Texts and objects are
 * sent if they were given. The currency is text in one request and a number in the other.
 */
import * as z from 'zod/mini';
import type { Account } from '../payments/items/account.ts';
import { defined, unlessEmpty } from './answers.ts';
import { numericCode } from './money.ts';
import { successOf } from './outcomes.ts';
import type { Send } from './send.ts';
import type { ChargeRequest, ChargeTokenRequest, NothingLeft, Viva } from './viva.ts';

const chargeToken = z.object({
  chargeToken: z.string().check(z.startsWith('ctok_')),
  redirectToACSForm: z.nullish(z.string()),
});

const created = z.object({ transactionId: z.string().check(z.minLength(1)) });

export function native(
  { mode, merchantId }: Account,
  send: Send,
): Pick<Viva, 'createChargeToken' | 'createTransaction'> {
  const api = mode === 'isv' ? '/nativecheckout/v2/isv' : '/nativecheckout/v2';
  const as = mode === 'isv' ? 'isv' : 'native';
  const query = { MerchantId: merchantId };

  return {
    async createChargeToken(request) {
      const body = chargeTokenBody(request);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path: `${api}/chargetokens`, query, body, as });
      const { body: answer, call } = successOf('createChargeToken', outcome, chargeToken);
      const form = answer.redirectToACSForm || undefined;
      return defined({ chargeToken: answer.chargeToken, form, call });
    },

    async createTransaction(request) {
      const body = transactionBody(request);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path: `${api}/transactions`, query, body, as });
      const { body: answer, call } = successOf('createTransaction', outcome, created);
      return { transactionId: answer.transactionId, call };
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
