/**
 * Payments on a terminal (docs/viva.md, "Terminal sales"). The sale's id is the session id. 409 to a sale request means
 * that the platform knows the session: "already sent". The session tells what became of it, and the transaction
 * decides.
 */
import * as z from 'zod/mini';
import type { Account } from '../payments/items/account.ts';
import { defined, integer, optionalInteger, optionalText, text } from './answers.ts';
import { currencyOf, numericCode } from './money.ts';
import { answerTo, hasStatus, successOf } from './outcomes.ts';
import type { Send } from './send.ts';
import type { NothingLeft, SaleRequest, Session, Viva } from './viva.ts';

/** AwaitTerminal reads when three of its five seconds are over. A read that is cut off is made again. */
const sessionRead = { timeoutMs: 2_000, shortestMs: 500, afterwardsMs: 200 };
const ABORT_TIMEOUT_MS = 2_000;
/** The event in the body of a pending session, if the platform does not answer 202. */
const IN_PROGRESS = 1100;
/** The event in the header of the 409 to a second abort. */
const ALREADY_ABORTED = '1208';

const session = z.object({
  success: z.boolean(),
  eventId: integer,
  transactionEventId: optionalInteger,
  transactionId: optionalText,
  amount: z.int(),
  currencyCode: text,
  terminalId: text,
  abortSuccess: z.nullish(z.boolean()),
  authorizationId: optionalText,
  retrievalReferenceNumber: optionalText,
  applicationLabel: optionalText,
  aid: optionalText,
  verificationMethod: optionalText,
});

export function terminals(account: Account, send: Send): Pick<Viva, 'sendSale' | 'readSession' | 'abortSession'> {
  const api = account.terminalApi === 'isv' ? '/ecr/isv/v1' : '/ecr/v1';
  const as = account.terminalApi === 'isv' ? 'isv' : 'pos';

  return {
    async sendSale(request) {
      const body = saleBody(account, request);
      const path = `${api}/transactions:sale`;
      const notAfter = Date.parse(request.sendBefore);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path, body, as, notAfter });
      const { status, call } = answerTo('sendSale', outcome, (status) => isSuccess(status) || status === 409);
      return { alreadySent: status === 409, call };
    },

    async readSession(saleId): Promise<Session> {
      const path = `${api}/sessions/{sessionId}`;
      const ids = { sessionId: saleId };
      const outcome = await send({ method: 'GET', on: 'apiUrl', path, ids, as, ...sessionRead });
      if (hasStatus(outcome, 202, 404)) {
        return { state: outcome.status === 404 ? 'not_found' : 'pending', call: outcome.call };
      }
      const { body, call } = successOf('readSession', outcome, session);
      return sessionOf(body, call);
    },

    async abortSession(saleId, cashRegisterId) {
      const outcome = await send({
        method: 'DELETE',
        on: 'apiUrl',
        path: `${api}/sessions/{sessionId}`,
        ids: { sessionId: saleId },
        query: { cashRegisterId },
        as,
        timeoutMs: ABORT_TIMEOUT_MS,
      });
      const { status, call } = answerTo(
        'abortSession',
        outcome,
        (status) => status < 500 && ![408, 429].includes(status),
      );
      return { accepted: isSuccess(status) || (status === 409 && call.eventId === ALREADY_ABORTED), call };
    },
  };
}

function saleBody(account: Account, request: SaleRequest) {
  const { saleId, terminalId, cashRegisterId, amount, currency, merchantReference, customerTrns, ...more } = request;
  const { tipAmount, isvAmount, maxInstallments, sourceCode, fiscal, sendBefore: _, ...rest } = more;
  rest satisfies NothingLeft;
  return defined({
    ...fiscal,
    sessionId: saleId,
    terminalId,
    cashRegisterId,
    amount,
    currencyCode: numericCode(currency),
    merchantReference,
    customerTrns,
    tipAmount,
    // One "l" on the wire. Only for merchants in Greece, so it is absent unless it was requested.
    maxInstalments: maxInstallments > 0 ? maxInstallments : undefined,
    ...(account.terminalApi === 'isv'
      ? { isvDetails: defined({ amount: isvAmount, terminalMerchantId: account.merchantId, sourceCode }) }
      : { sourceCode }),
  });
}

function sessionOf(answer: z.output<typeof session>, call: Session['call']): Session {
  const { success, eventId, transactionEventId, transactionId, amount, currencyCode, terminalId } = answer;
  const aborted = answer.abortSuccess === true;
  if (!success && eventId === IN_PROGRESS && !aborted) {
    return { state: 'pending', call };
  }
  const { authorizationId, retrievalReferenceNumber, applicationLabel, aid, verificationMethod } = answer;
  return defined({
    state: 'finished' as const,
    call,
    success,
    eventId,
    transactionEventId,
    transactionId,
    amount,
    currency: currencyOf(currencyCode),
    terminalId,
    receipt: defined({ authorizationId, retrievalReferenceNumber, applicationLabel, aid, verificationMethod }),
  });
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
