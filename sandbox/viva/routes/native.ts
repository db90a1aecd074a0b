/** Native checkout v2: charge tokens, transactions and captures, for merchants and for ISVs. */
import type * as z from 'zod';
import type { Account } from '../books/accounts.ts';
import { captureHold } from '../books/captures.ts';
import { chargeOnce } from '../books/native-charge.ts';
import { bearerCaller, type Caller, merchantOf } from '../http/access.ts';
import { accessRefusal, answer, apiRefusal, invalidField, type Refusal } from '../http/answers.ts';
import { bodyOf, queryOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { challengeForm } from './challenge.ts';
import { captureRequest, chargeTokenRequest, transactionRequest } from './charge-request.ts';
import { newRoutes, type Routes } from './routes.ts';

export function nativeRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  const invalid = (where: string): Refusal => invalidField(sim, where);
  for (const [base, set] of [
    ['/nativecheckout/v2', 'native'],
    ['/nativecheckout/v2/isv', 'isv'],
  ] as const) {
    app.post(`${base}/chargetokens`, async (c) => {
      const account = nativeMerchant(sim, bearerCaller(sim, c.req.raw, set), c.req.raw);
      return createChargeToken(sim, account, await bodyOf(c.req.raw, chargeTokenRequest, invalid));
    });
    app.post(`${base}/transactions`, async (c) => {
      const account = nativeMerchant(sim, bearerCaller(sim, c.req.raw, set), c.req.raw);
      const body = await bodyOf(c.req.raw, transactionRequest, invalid);
      return answer({ transactionId: chargeOnce(sim, account, set === 'isv', body), redirectUrl: null });
    });
  }
  app.post('/nativecheckout/v2/transactions/:id', async (c) => {
    const account = nativeMerchant(sim, bearerCaller(sim, c.req.raw, 'native'), c.req.raw);
    return capture(sim, account, c.req.param('id'), await bodyOf(c.req.raw, captureRequest, invalid));
  });
  return app;
}

function nativeMerchant(sim: Simulator, caller: Caller, raw: Request): Account {
  const account = merchantOf(sim, caller, queryOf(sim, raw, 'MerchantId'));
  if (!account.rights.nativeCheckout) {
    throw accessRefusal(403);
  }
  return account;
}

function createChargeToken(sim: Simulator, account: Account, body: z.output<typeof chargeTokenRequest>): Response {
  const cardToken = sim.books.cardTokens.find(account.merchantId, body.token);
  if (cardToken === undefined) {
    throw apiRefusal(sim, 404, 'CardsGetByTokenFailedNotFound');
  }
  if (body.currencyCode !== account.currencyCode) {
    throw invalidField(sim, 'currencyCode');
  }
  if (Date.UTC(body.expirationYear, body.expirationMonth, 1) <= sim.clock.now()) {
    throw invalidField(sim, 'expirationMonth');
  }
  const { card } = cardToken;
  const asksWithMoto = sim.switches.get('acsForMoto') === 'challenge';
  const challenged = card.name === 'challenge' && (body.moto !== true || asksWithMoto);
  const { token, challengeId } = sim.books.chargeTokens.create(sim.random, {
    merchantId: account.merchantId,
    card,
    amount: body.amount,
    expirationYear: body.expirationYear,
    expirationMonth: body.expirationMonth,
    createdMs: sim.clock.now(),
    sessionRedirectUrl: body.sessionRedirectUrl ?? null,
    challengeId: challenged ? sim.random.uuid() : null,
    authentication: challenged ? 'pending' : 'none',
  });
  const none = sim.switches.get('frictionlessForm') === 'null' ? null : '';
  return answer({
    chargeToken: token,
    redirectToACSForm: challengeId === null ? none : challengeForm(sim, challengeId),
  });
}

function capture(
  sim: Simulator,
  account: Account,
  transactionId: string,
  body: z.output<typeof captureRequest>,
): Response {
  const preauth = sim.books.transactions.find(account.merchantId, transactionId);
  if (preauth === undefined) {
    throw apiRefusal(sim, 404, 'TransactionNotFound');
  }
  const given = sim.switches.get('nativeCaptureReference') === 'taken' ? body.merchantTrns : undefined;
  const merchantTrns = given ?? preauth.merchantTrns;
  const captured = captureHold(sim, preauth, { account, amount: body.amount, isvAmount: 0, merchantTrns });
  switch (captured) {
    case 'disabled':
      throw apiRefusal(sim, 403, 'ApiActionDisabled');
    case 'not_open':
    case 'expired':
      throw apiRefusal(sim, 400, 'PreauthExpiredOrAlreadyCaptured');
    case 'above_hold':
      throw apiRefusal(sim, 400, 'CaptureAmountAbovePreauth');
    default:
      return answer({ transactionId: captured.transactionId });
  }
}
