/**
 * Captures a hold, whole or in part, or gives it back (docs/viva.md, "Captures and voids"). Both move money. A POST to
 * a transaction that is not an open hold may charge the card again, so every answer that is not clear is an unknown
 * outcome.
 *
 * A merchant captures with native checkout. The captures of an ISV and all voids go to the payment API, which also
 * answers 200 to refusals, with the reason in the body. Amounts in its answers are decimals of major units.
 */
import * as z from 'zod/mini';
import type { Account } from '../payments/items/account.ts';
import { majorAmount, optionalText } from './answers.ts';
import type { Outcome } from './http.ts';
import { failed, type OperationName, successOf } from './outcomes.ts';
import type { Send, VivaCall } from './send.ts';
import type { Call, Viva } from './viva.ts';

const captured = z.object({ transactionId: z.string().check(z.minLength(1)) });

const booked = z.object({
  Success: z.optional(z.literal(true)),
  ErrorCode: z.literal(0),
  TransactionId: z.string().check(z.minLength(1)),
  StatusId: optionalText,
  Amount: z.nullish(majorAmount),
});

interface Done {
  readonly transactionId: string;
  readonly call: Call;
}

export function captures(account: Account, send: Send): Pick<Viva, 'capture' | 'voidPreauth'> {
  const legacy = '/api/transactions/{transactionId}';
  const ofIsv: VivaCall['as'] = account.isvCapture === 'bearer' ? 'isv' : 'reseller';
  const as = account.mode === 'isv' ? ofIsv : 'apiKey';

  return {
    async capture({ transactionId, amount, isvAmount, merchantTrns }) {
      const ids = { transactionId };
      if (account.mode === 'isv') {
        const body = { amount, isvAmount, merchantTrns };
        const outcome = await send({ method: 'POST', on: 'baseUrl', path: legacy, ids, body, as });
        return bookedOf('capture', outcome, amount);
      }
      const path = '/nativecheckout/v2/transactions/{transactionId}';
      const body = { amount, merchantTrns };
      const outcome = await send({ method: 'POST', on: 'apiUrl', path, ids, body, as: 'native' });
      const { body: answer, call } = successOf('capture', outcome, captured);
      return { transactionId: answer.transactionId, call };
    },

    async voidPreauth({ transactionId, amount, merchantTrns }) {
      const query = { amount: String(amount), merchantTrns };
      const outcome = await send({ method: 'DELETE', on: 'baseUrl', path: legacy, ids: { transactionId }, query, as });
      return bookedOf('voidPreauth', outcome, amount);
    },
  };
}

/** Done only if the answer says so, with this amount. */
function bookedOf(name: OperationName, outcome: Outcome, amount: number): Done {
  const { body, call } = successOf(name, outcome, booked);
  const otherAmount = Math.abs(body.Amount ?? amount) !== amount;
  const unfinished = body.StatusId === 'A' || body.StatusId === 'E';
  if (otherAmount || unfinished) {
    throw failed(name, outcome);
  }
  return { transactionId: body.TransactionId, call };
}
