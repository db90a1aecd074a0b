/**
 * Payment orders and their RF Payment Codes (docs/viva.md, "Orders" and "RF codes"). None of these calls moves money.
 * Only the payer does, at a bank, with a code that was shown. Order codes are text, because their 16 digits can pass
 * 2^53. The payment session needs no credentials, so anyone with an order code can get its RF code. Logs and timelines
 * do not have order codes.
 */
import * as z from 'zod/mini';
import { RejectedError, TransientError } from '../flow/errors.ts';
import type { Account } from '../payments/items/account.ts';
import type { Customer } from '../payments/items/charge.ts';
import { defined, integer, majorAmount, read, text, unlessEmpty } from './answers.ts';
import type { Answer } from './http.ts';
import { numericCode } from './money.ts';
import { failed, hasStatus, successOf } from './outcomes.ts';
import type { Send, VivaCall } from './send.ts';
import { recordsIn } from './transactions.ts';
import type { NothingLeft, OrderRequest, Viva } from './viva.ts';

const NEVER_EXPIRES = 65_535;
const UNAUTHORIZED = 401;
const METHOD_NOT_ALLOWED = 405;
const NOT_FOUND = 404;
/** The storefront waits for the first answer, so these calls may take as little time as this. */
const SHORTEST_MS = 1_000;
const STATES = ['pending', 'expired', 'cancelled', 'paid'] as const;

const created = z.object({ orderCode: text.check(z.regex(/^\d{10,20}$/)) });
const session = z.object({ rfPaymentCode: z.string().check(z.minLength(1)) });
const order = z.object({ OrderCode: text, StateId: integer, RequestAmount: z.nullish(majorAmount) });
const legacyDone = z.object({ ErrorCode: z.literal(0), Success: z.optional(z.literal(true)) });
const legacyAbsent = z.object({ ErrorCode: z.literal(NOT_FOUND) });

type OrderCalls = 'createOrder' | 'createPaymentCode' | 'readOrder' | 'listOrderTransactions' | 'cancelOrder';

export function orders(account: Account, send: Send): Pick<Viva, OrderCalls> {
  const path = '/api/orders/{orderCode}';
  const byIsv = account.mode === 'isv';
  const basic = { on: 'baseUrl', as: byIsv ? 'reseller' : 'apiKey', shortestMs: SHORTEST_MS } as const;
  const creation: Pick<VivaCall, 'path' | 'query' | 'as'> = byIsv
    ? { path: '/checkout/v2/isv/orders', query: { merchantId: account.merchantId }, as: 'isv' }
    : { path: '/checkout/v2/orders', as: 'smartCheckout' };

  return {
    async createOrder(request) {
      const body = orderBody(request, byIsv);
      const outcome = await send({ method: 'POST', on: 'apiUrl', ...creation, body, shortestMs: SHORTEST_MS });
      const { body: answer, call } = successOf('createOrder', outcome, created);
      return { orderCode: answer.orderCode, call };
    },

    async createPaymentCode(orderCode) {
      const outcome = await send({
        method: 'POST',
        on: 'baseUrl',
        path: '/web2/checkout/v2/paymentsessions',
        body: { orderCode },
        as: 'nobody',
        shortestMs: SHORTEST_MS,
      });
      // It takes no credentials, so a 401 cannot mean that they are wrong.
      if (hasStatus(outcome, NOT_FOUND, UNAUTHORIZED)) {
        throw new TransientError('ORDER_NOT_VISIBLE', 'the platform does not know its new order (yet)');
      }
      const { body: answer, call } = successOf('createPaymentCode', outcome, session);
      return { rfCode: answer.rfPaymentCode, call };
    },

    async readOrder(orderCode) {
      const outcome = await send({ method: 'GET', ...basic, path, ids: { orderCode } });
      if (outcome.kind === 'answer' && isAbsent(outcome)) {
        return { state: 'unknown', call: outcome.call };
      }
      const { body, call } = successOf('readOrder', outcome, order);
      const state = STATES[body.StateId];
      if (state === undefined || body.OrderCode !== orderCode) {
        throw failed('readOrder', outcome);
      }
      return defined({ state, amount: body.RequestAmount ?? undefined, call });
    },

    async listOrderTransactions(orderCode) {
      const query = { ordercode: orderCode };
      const outcome = await send({ method: 'GET', ...basic, path: '/api/transactions', query });
      return recordsIn('listOrderTransactions', outcome);
    },

    async cancelOrder(orderCode) {
      const first = await send({ method: 'DELETE', ...basic, path, ids: { orderCode } });
      // The sources differ about the address (docs/viva.md, "Orders"). The wrong one does not know the method.
      const outcome = hasStatus(first, METHOD_NOT_ALLOWED)
        ? await send({
            method: 'DELETE',
            on: 'apiUrl',
            ...creation,
            path: '/checkout/v2/orders/{orderCode}',
            ids: { orderCode },
            shortestMs: SHORTEST_MS,
          })
        : first;
      if (hasStatus(outcome, NOT_FOUND)) {
        throw new RejectedError('RF_CANCEL_REFUSED', 'the platform has no such order, or cancelled it before');
      }
      const { call } = successOf('cancelOrder', outcome, legacyDone);
      return { call };
    },
  };
}

function orderBody(request: OrderRequest, byIsv: boolean) {
  const { amount, isvAmount, currency, disableExactAmount, expiresInSeconds, notifyCustomer, ...more } = request;
  const { merchantTrns, customerTrns, customer, ...rest } = more;
  rest satisfies NothingLeft;
  return defined({
    amount,
    customerTrns,
    customer: unlessEmpty(customer && payer(customer)),
    paymentTimeout: expiresInSeconds ?? NEVER_EXPIRES,
    currencyCode: numericCode(currency),
    paymentNotification: notifyCustomer,
    disableExactAmount,
    merchantTrns,
    isvAmount: byIsv ? isvAmount : undefined,
  });
}

/** Only here the platform writes `fullName`, and a culture in place of a language. */
function payer({ email, phone, fullname, requestLang, countryCode }: Customer) {
  return defined({
    email,
    phone,
    fullName: fullname,
    countryCode,
    requestLang: requestLang === undefined ? undefined : cultureOf(requestLang),
  });
}

/** Languages whose country has another code. For all other languages of the platform the codes are the same. */
const COUNTRIES: Readonly<Record<string, string>> = {
  el: 'GR',
  en: 'GB',
  cs: 'CZ',
  da: 'DK',
  sv: 'SE',
  et: 'EE',
  sl: 'SI',
};

function cultureOf(language: string): string {
  return `${language}-${COUNTRIES[language] ?? language.toUpperCase()}`;
}

function isAbsent(answer: Answer): boolean {
  return answer.status === NOT_FOUND || (answer.status === 200 && read(legacyAbsent, answer) !== undefined);
}
