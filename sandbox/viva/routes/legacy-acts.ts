/**
 * What the payment API does to a transaction: one POST, which captures a pre-authorization and charges the card of any
 * other transaction again, and the DELETE that gives money back. Its refusals are HTTP 200 with an ErrorCode.
 */
import * as z from 'zod';
import type { Account } from '../books/accounts.ts';
import { captureHold } from '../books/captures.ts';
import { chargeAgain, returnMoney } from '../books/legacy-acts.ts';
import { TRANSACTION_TYPE, type Transaction } from '../books/transactions.ts';
import { basicCaller, bearerCaller, merchantOf } from '../http/access.ts';
import { answer, legacyRefusal, legacyTail } from '../http/answers.ts';
import { bodyOf, minorUnits, optionalMinorUnits, optionalText, queryOf } from '../http/input.ts';
import { majorUnits } from '../http/json.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

/** Names are read in any case, because sources show both. */
const request = z.preprocess(
  (body) =>
    typeof body === 'object' && body !== null
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]))
      : body,
  z.looseObject({
    amount: minorUnits,
    isvamount: optionalMinorUnits,
    merchanttrns: optionalText,
    customertrns: optionalText,
    installments: optionalMinorUnits,
  }),
);

export function legacyActRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.post('/api/transactions/:id', async (c) => {
    const account = payee(sim, c.req.raw, c.req.param('id'));
    const parent = find(sim, account, c.req.param('id'));
    const body = await bodyOf(c.req.raw, request, (where) => legacyRefusal(sim, 400, `The ${where} is invalid`));
    const draft = {
      account,
      amount: body.amount,
      isvAmount: body.isvamount ?? 0,
      ...(body.merchanttrns == null ? {} : { merchantTrns: body.merchanttrns }),
      ...(body.customertrns == null ? {} : { customerTrns: body.customertrns }),
    };
    if (draft.isvAmount > draft.amount) {
      throw legacyRefusal(sim, 400, 'The isvAmount is invalid');
    }
    if (parent.typeId !== TRANSACTION_TYPE.preauth) {
      const asRefund = sim.switches.get('refundVerb') === 'post' && !parent.allowsRecurring;
      return acted(sim, asRefund ? returnMoney(sim, parent, draft) : chargeAgain(sim, parent, draft));
    }
    const captured = captureHold(sim, parent, draft);
    return typeof captured === 'string' ? refuseCapture(sim, captured, account) : acted(sim, captured);
  });
  app.delete('/api/transactions/:id', (c) => {
    const account = payee(sim, c.req.raw, c.req.param('id'));
    const parent = find(sim, account, c.req.param('id'));
    const amount = queryOf(sim, c.req.raw, 'amount');
    if (amount !== undefined && !/^[1-9]\d{0,12}$/.test(amount)) {
      throw legacyRefusal(sim, 400, 'The amount is invalid');
    }
    const merchantTrns = queryOf(sim, c.req.raw, 'merchantTrns');
    const all = parent.amount - parent.returnedAmount;
    const draft = {
      account,
      amount: amount === undefined ? all : Number(amount),
      ...(merchantTrns ? { merchantTrns } : {}),
    };
    return acted(sim, returnMoney(sim, parent, draft));
  });
  return app;
}

/**
 * The merchant whose money moves. An ISV captures as reseller, or with its bearer token (switch `isvCapture`), never
 * with the merchant's API key.
 */
function payee(sim: Simulator, raw: Request, transactionId: string): Account {
  const byBearer = sim.switches.get('isvCapture') === 'bearer';
  if (byBearer && raw.headers.get('Authorization')?.startsWith('Bearer ')) {
    const owner = queryOf(sim, raw, 'MerchantId') ?? sim.books.transactions.ownerOf(transactionId);
    return merchantOf(sim, bearerCaller(sim, raw, 'isv'), owner);
  }
  const { account, set } = basicCaller(sim, raw);
  if (raw.method === 'POST' && account.mode === 'isv' && (set === 'apiKey' || byBearer)) {
    throw legacyRefusal(sim, 403, 'PaymentsRecurringIsvMissingReseller');
  }
  return account;
}

function find(sim: Simulator, { merchantId }: Account, transactionId: string): Transaction {
  const transaction = sim.books.transactions.find(merchantId, transactionId);
  if (transaction === undefined) {
    throw legacyRefusal(sim, 404, 'Transaction not found');
  }
  return transaction;
}

function refuseCapture(
  sim: Simulator,
  why: 'disabled' | 'not_open' | 'expired' | 'above_hold',
  account: Account,
): never {
  switch (why) {
    case 'disabled':
      throw legacyRefusal(sim, 403, `The specified api action is disabled for the merchant ${account.merchantId}`);
    case 'not_open':
      throw legacyRefusal(sim, 403, 'The transaction does not allow recurring charge');
    case 'expired':
      throw legacyRefusal(sim, 403, 'Preauth has expired or already captured');
    case 'above_hold':
      throw legacyRefusal(sim, 403, 'The amount exceeds the preauthorized amount');
  }
}

/** The answer to a success. */
function acted(sim: Simulator, transaction: Transaction): Response {
  return answer({
    Emv: null,
    Amount: majorUnits(transaction.amount),
    StatusId: transaction.statusId,
    TransactionTypeId: transaction.typeId,
    RedirectUrl: null,
    CurrencyCode: transaction.currencyCode,
    TransactionId: transaction.transactionId,
    ReferenceNumber: transaction.referenceNumber,
    AuthorizationId: transaction.authorizationId,
    RetrievalReferenceNumber: transaction.retrievalReferenceNumber,
    Loyalty: null,
    ThreeDSecureStatusId: 2,
    IssuerMessage: null,
    DccAccepted: false,
    ...legacyTail(sim),
  });
}
