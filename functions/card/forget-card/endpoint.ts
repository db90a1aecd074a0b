/**
 * DELETE /cards/{cardId}: deletes our copy of a card and its token; the platform offers no revocation. Safe to repeat. If
 * it dies before the token is gone, the reconciler removes it.
 */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import type { Caller } from '../../../shared/api/request.ts';
import { findItem, followAlias, notFound } from '../../../shared/api/resources.ts';
import type { Card } from '../../../shared/payments/items/card.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import { type RemoveTokenDeps, removeToken } from '../../../shared/reconciliation/card/remove-token.ts';

export const forgetCard: Endpoint<RemoveTokenDeps> = {
  name: 'forget-card',
  run: async ({ caller, parameters }, deps) => {
    const { payments } = deps;
    const { cardId, status } = await cardUnder(payments, caller, parameters['cardId']);
    if (status === 'pending') {
      throw new Problem('CARD_PENDING', 'The card is still being stored. Send the request again when it is stored.');
    }
    await payments.change('card', cardId, (card) =>
      card.status === 'deleted'
        ? undefined
        : {
            ...{ status: 'deleted' as const, tokenLeft: true as const },
            ...{ maskedNumber: undefined, customerReference: undefined, consent: undefined },
          },
    );
    await removeToken(cardId, deps);
    if (status === 'deleted') {
      throw notFound();
    }
    return { status: 204 };
  },
};

async function cardUnder(payments: Payments, caller: Caller, cardId: string | undefined): Promise<Card> {
  return followAlias(payments, caller, await findItem(payments, caller, 'card', cardId));
}
