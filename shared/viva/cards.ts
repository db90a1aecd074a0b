/**
 * Creates the card token of a paid terminal transaction, to charge its card later. It moves no money. A second one is
 * harmless.
 */
import * as z from 'zod/mini';
import { successOf } from './outcomes.ts';
import type { Send } from './send.ts';
import type { Viva } from './viva.ts';

const created = z.object({ token: z.string().check(z.startsWith('ct_')) });

export function cards(send: Send): Pick<Viva, 'createCardToken'> {
  return {
    async createCardToken(transactionId) {
      const outcome = await send({
        method: 'POST',
        on: 'apiUrl',
        path: '/acquiring/v1/cards/tokens',
        body: { transactionId },
        as: 'smartCheckout',
      });
      const { body: answer, call } = successOf('createCardToken', outcome, created);
      return { cardToken: answer.token, call };
    },
  };
}
