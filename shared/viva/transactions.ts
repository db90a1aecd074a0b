/**
 * The platform's records of transactions (docs/viva.md, "Transactions"), from the payment API, the only one that always
 * tells when the card expires. Its amounts are decimals of major units. Month and year are read from the text of the
 * date: it is the last day of a month, and a time zone could change the month.
 */
import * as z from 'zod/mini';
import { FaultError, TransientError } from '../flow/errors.ts';
import type { Account } from '../payments/items/account.ts';
import { defined, majorAmount, optionalInteger, optionalText, read, text } from './answers.ts';
import { instantOf } from './athens.ts';
import { ANSWER_TOO_LARGE, type Outcome } from './http.ts';
import { currencyOf, toMinor } from './money.ts';
import { answerTo, failed, type OperationName, successOf } from './outcomes.ts';
import type { Send } from './send.ts';
import type { Call, TransactionRecord, Viva } from './viva.ts';

/** A read in a short invocation may take less than the usual time. */
const SHORTEST_MS = 2_000;
const NOT_FOUND = 404;
/** A record has 2 kB, so this is 12,000 transactions a day. */
const LONGEST_LIST_BYTES = 24 * 1024 * 1024;
const YEAR_AND_MONTH = /^(\d{4})-(0[1-9]|1[0-2])-/;

const transaction = z.object({
  TransactionId: text,
  Amount: majorAmount,
  CurrencyCode: text,
  StatusId: text,
  Commission: optionalText,
  MerchantId: optionalText,
  ParentId: optionalText,
  InsDate: optionalText,
  MerchantTrns: optionalText,
  SourceTerminalId: optionalText,
  CardUniqueReference: optionalText,
  DigitalWalletId: optionalText,
  Order: z.nullish(z.object({ OrderCode: optionalText })),
  TransactionType: z.nullish(z.object({ TransactionTypeId: optionalInteger })),
  CreditCard: z.nullish(
    z.object({
      Number: optionalText,
      CardHolderName: optionalText,
      ExpirationDate: optionalText,
      CardUniqueReference: optionalText,
    }),
  ),
});

const answered = z.object({ Transactions: z.array(z.unknown()) });
const referenced = z.object({ MerchantTrns: z.string() });
const listed = z.object({ ErrorCode: z.literal(0), Transactions: z.array(transaction) });
const absent = z.object({ ErrorCode: z.literal(NOT_FOUND) });

export function transactions(account: Account, send: Send): Pick<Viva, 'readTransaction' | 'listDay'> {
  const as = account.terminalApi === 'isv' ? 'reseller' : 'apiKey';

  return {
    async readTransaction(transactionId) {
      const outcome = await send({
        method: 'GET',
        on: 'baseUrl',
        path: '/api/transactions/{transactionId}',
        ids: { transactionId },
        as,
        shortestMs: SHORTEST_MS,
      });
      return recordIn(outcome, transactionId);
    },

    async listDay(day) {
      const outcome = await send({
        method: 'GET',
        on: 'baseUrl',
        path: '/api/transactions',
        query: { date: day },
        as,
        maxAnswerBytes: LONGEST_LIST_BYTES,
      });
      if (outcome.kind === 'no_answer' && outcome.cause === ANSWER_TOO_LARGE) {
        throw new FaultError('DAY_TOO_LARGE', `the list of a day is longer than ${LONGEST_LIST_BYTES} bytes`);
      }
      const { body: list, call } = successOf('listDay', outcome, answered);
      const parsed = list.Transactions.map((one) => transaction.safeParse(one));
      const unreadable = list.Transactions.filter((_, n) => !parsed[n]?.success);
      return {
        records: parsed.flatMap(({ data }) => (data === undefined ? [] : [recordOf(data)])),
        unreadable: unreadable.map((one) => referenced.safeParse(one).data?.MerchantTrns ?? ''),
        call,
      };
    },
  };
}

/** All records of a list. Throws if the list, or a record in it, cannot be read. */
export function recordsIn(name: OperationName, outcome: Outcome): { records: TransactionRecord[]; call: Call } {
  const { body, call } = successOf(name, outcome, listed);
  return { records: body.Transactions.map(recordOf), call };
}

function recordIn(outcome: Outcome, transactionId: string): { record: TransactionRecord; call: Call } {
  const answer = answerTo('readTransaction', outcome, (status) => status === 200 || status === NOT_FOUND);
  const list = read(answered, answer)?.Transactions;
  if (answer.status === NOT_FOUND || list?.length === 0 || read(absent, answer) !== undefined) {
    throw new TransientError('TRANSACTION_NOT_VISIBLE', 'the platform does not know the transaction (yet)', {
      context: { platformStatus: answer.status },
    });
  }
  const found = transaction.safeParse(list?.[0]);
  if (!found.success || found.data.TransactionId.toLowerCase() !== transactionId.toLowerCase()) {
    throw failed('readTransaction', outcome);
  }
  return { record: recordOf(found.data), call: answer.call };
}

function recordOf(found: z.output<typeof transaction>): TransactionRecord {
  // mutant logic: neither zero, which it is before it is calculated, nor undefined is a commission
  const commission = toMinor(found.Commission ?? '') ?? 0;
  // mutant logic: no expiry is no year and no month
  const [, year, month] = YEAR_AND_MONTH.exec(found.CreditCard?.ExpirationDate ?? '') ?? [];
  return defined({
    transactionId: found.TransactionId,
    amount: found.Amount,
    currency: currencyOf(found.CurrencyCode),
    merchantId: found.MerchantId,
    statusId: found.StatusId,
    commission: commission > 0 ? commission : undefined,
    transactionTypeId: found.TransactionType?.TransactionTypeId,
    parentId: found.ParentId,
    orderCode: found.Order?.OrderCode,
    merchantTrns: found.MerchantTrns,
    terminalId: found.SourceTerminalId,
    cardUniqueReference: found.CardUniqueReference ?? found.CreditCard?.CardUniqueReference,
    digitalWalletId: found.DigitalWalletId,
    expirationMonth: month === undefined ? undefined : Number(month),
    expirationYear: year === undefined ? undefined : Number(year),
    maskedNumber: found.CreditCard?.Number,
    holderName: found.CreditCard?.CardHolderName,
    bookedAt: found.InsDate === undefined ? undefined : instantOf(found.InsDate),
  });
}
