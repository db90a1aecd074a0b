/**
 * Card tokens from transactions. An unknown transaction and a missing role are both 403 (docs/viva.md, "Card tokens").
 */
import * as z from 'zod';
import { TRANSACTION_TYPE } from '../books/transactions.ts';
import { bearerCaller, merchantOf } from '../http/access.ts';
import { answer, apiRefusal, invalidField } from '../http/answers.ts';
import { bodyOf } from '../http/input.ts';
import type { Simulator } from '../simulator.ts';
import { newRoutes, type Routes } from './routes.ts';

const request = z.looseObject({ transactionId: z.string().min(1), cardTokenType: z.number().nullish() });

export function acquiringRoutes(sim: Simulator): Routes {
  const app = newRoutes();
  app.post('/acquiring/v1/cards/tokens', async (c) => {
    const { merchantId, rights } = merchantOf(sim, bearerCaller(sim, c.req.raw, 'smartCheckout'), undefined);
    const { transactionId } = await bodyOf(c.req.raw, request, (where) => invalidField(sim, where));
    const transaction = sim.books.transactions.find(merchantId, transactionId);
    if (!rights.tokenizationRole || transaction === undefined) {
      throw apiRefusal(sim, 403, 'Forbidden');
    }
    const { card, typeId, statusId } = transaction;
    const byCard = typeId === TRANSACTION_TYPE.charge || typeId === TRANSACTION_TYPE.chargeWithInstallments;
    if (card === null || card.digitalWalletId !== null || !byCard || statusId === 'E') {
      throw apiRefusal(sim, 400, 'CardTokenizationNotSupported');
    }
    return answer({ token: sim.books.cardTokens.create(sim.random, { merchantId, transactionId, card }).token });
  });
  return app;
}
