/** The platform in memory: it answers with success unless a test replaces an answer, and records the requests. */
import type { Account } from '../../shared/payments/items/account.ts';
import type { Call, Session, Viva, VivaFor } from '../../shared/viva/viva.ts';
import { MERCHANT_ID, SALE_ID, TERMINAL_ID } from './world.ts';

type Method = keyof Viva;

export const anyCall: Call = { call: 'POST /somewhere', status: 200, durationMs: 7 };

export class FakeViva {
  readonly asked: { readonly method: Method; readonly request: unknown }[] = [];
  readonly #answers: Viva;

  constructor(answers: Partial<Viva> = {}) {
    this.#answers = { ...defaults, ...answers };
  }

  readonly for: VivaFor = (_account: Account) =>
    Object.fromEntries(
      (Object.keys(this.#answers) as Method[]).map((method) => [
        method,
        async (...args: unknown[]) => {
          this.asked.push({ method, request: args[0] });
          return (this.#answers[method] as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ) as unknown as Viva;

  times(method: Method): number {
    return this.asked.filter((one) => one.method === method).length;
  }
}

export const TRANSACTION_ID = '6f1f7a52-0000-4c53-8f1c-000000000001';

/** Odd and above 2^53: as a JavaScript number it would be another one. */
export const ORDER_CODE = '9948100551072601';
export const RF_CODE = 'RF94911560000000000001';

const defaults: Viva = {
  sendSale: async () => ({ alreadySent: false, call: anyCall }),
  readSession: async () => ({ state: 'pending', call: anyCall }),
  abortSession: async () => ({ accepted: true, call: anyCall }),
  readTransaction: async (transactionId) => ({
    record: {
      transactionId,
      merchantId: MERCHANT_ID,
      merchantTrns: SALE_ID,
      amount: 1500,
      currency: 'EUR',
      statusId: 'F',
      transactionTypeId: 5,
      cardUniqueReference: 'one-card',
      expirationMonth: 12,
      expirationYear: 2030,
      maskedNumber: '414746XXXXXX0133',
      holderName: 'A HOLDER',
    },
    call: anyCall,
  }),
  listDay: async () => ({ records: [], unreadable: [], call: anyCall }),
  createCardToken: async () => ({ cardToken: 'ct_CANARY', call: anyCall }),
  createChargeToken: async () => ({ chargeToken: 'ctok_CANARY', call: anyCall }),
  createTransaction: async () => ({ transactionId: TRANSACTION_ID, call: anyCall }),
  capture: async () => ({ transactionId: TRANSACTION_ID, call: anyCall }),
  voidPreauth: async () => ({ transactionId: TRANSACTION_ID, call: anyCall }),
  createOrder: async () => ({ orderCode: ORDER_CODE, call: anyCall }),
  createPaymentCode: async () => ({ rfCode: RF_CODE, call: anyCall }),
  readOrder: async () => ({ state: 'pending', call: anyCall }),
  listOrderTransactions: async () => ({ records: [], call: anyCall }),
  cancelOrder: async () => ({ call: anyCall }),
};

/** An approved session of the world's sale, with a test's changes. */
export function finished(session: Partial<Extract<Session, { state: 'finished' }>>): () => Promise<Session> {
  return async () => ({
    state: 'finished',
    call: anyCall,
    success: true,
    eventId: 0,
    transactionId: TRANSACTION_ID,
    amount: 1500,
    currency: 'EUR',
    terminalId: TERMINAL_ID,
    receipt: {},
    ...session,
  });
}
