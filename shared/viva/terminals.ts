/**
 * Payments on a terminal. The sale's id is the session id, and a session that the platform knows already is answered 409:
 * that is "already sent". What became of it only the session tells, and in the end only the transaction.
 */
import * as z from 'zod/mini';
import type { Account } from '../payments/items.ts';
import { defined, integer, optionalInteger, optionalText, read, text } from './answers.ts';
import { currencyOf, numericCode } from './money.ts';
import { failed } from './outcomes.ts';
import type { Send } from './send.ts';
import type { NothingLeft, Platform, SaleRequest, Session } from './viva.ts';

/** AwaitTerminal reads three seconds into its five: a read that is cut off is simply made again. */
const sessionRead = { timeoutMs: 2_000, shortestMs: 500, afterwardsMs: 200 };
const ABORT_TIMEOUT_MS = 2_000;
/** In the body of a session that goes on, where the platform does not say so by HTTP 202. */
const IN_PROGRESS = 1100;
/** In the header of the 409 to a second abort. */
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

export function terminals(account: Account, send: Send): Pick<Platform, 'sendSale' | 'readSession' | 'abortSession'> {
  const api = account.terminalApi === 'isv' ? '/ecr/isv/v1' : '/ecr/v1';
  const as = account.terminalApi === 'isv' ? 'isv' : 'pos';

  return {
    async sendSale(request) {
      const body = saleBody(account, request);
      const path = `${api}/transactions:sale`;
      const notAfter = Date.parse(request.sendBefore);
      const outcome = await send({ method: 'POST', on: 'apiUrl', path, body, as, notAfter });
      if (outcome.kind === 'answer' && (isSuccess(outcome.status) || outcome.status === 409)) {
        return { alreadySent: outcome.status === 409, call: outcome.call };
      }
      throw failed('sendSale', outcome);
    },

    async readSession(saleId): Promise<Session> {
      const path = `${api}/sessions/{sessionId}`;
      const ids = { sessionId: saleId };
      const outcome = await send({ method: 'GET', on: 'apiUrl', path, ids, as, ...sessionRead });
      if (outcome.kind !== 'answer' || ![200, 202, 404].includes(outcome.status)) {
        throw failed('readSession', outcome);
      }
      const { call, status } = outcome;
      if (status !== 200) {
        return { state: status === 404 ? 'not_found' : 'pending', call };
      }
      const answer = read(session, outcome);
      if (answer === undefined) {
        throw failed('readSession', outcome);
      }
      return sessionOf(answer, call);
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
      if (outcome.kind === 'answer' && outcome.status < 500 && ![408, 429].includes(outcome.status)) {
        const { status, call } = outcome;
        return { accepted: isSuccess(status) || (status === 409 && call.eventId === ALREADY_ABORTED), call };
      }
      throw failed('abortSession', outcome);
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
    // One "l" on the wire; only for merchants in Greece, so absent unless wanted.
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
