/**
 * DELETE /cards/{cardId}: forgets our copy of a card and of its token; the platform offers no revocation.
 *
 * Safe to repeat: a card that is marked as deleted has its token removed again, in case the attempt that marked it died.
 */

import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { Problem } from '../../../shared/api/problem.ts';
import type { Caller } from '../../../shared/api/request.ts';
import { findItem, followAlias, notFound } from '../../../shared/api/resources.ts';
import type { Card } from '../../../shared/payments/items.ts';
import type { Payments } from '../../../shared/payments/store.ts';
import type { Tokens } from '../../../shared/tokens/store.ts';

export interface ForgetCardDeps {
  readonly payments: Payments;
  readonly tokens: Pick<Tokens, 'remove'>;
}

export const forgetCard: Endpoint<ForgetCardDeps> = {
  name: 'forget-card',
  run: async ({ caller, parameters }, { payments, tokens }) => {
    const { cardId, status } = await cardUnder(payments, caller, parameters['cardId']);
    if (status === 'pending') {
      throw new Problem('CARD_PENDING', 'The card is still being stored. Send the request again when it is stored.');
    }
    await payments.change('card', cardId, (card) =>
      card.status === 'deleted'
        ? undefined
        : { status: 'deleted' as const, maskedNumber: undefined, customerReference: undefined, consent: undefined },
    );
    await tokens.remove('ct', cardId);
    if (status === 'deleted') {
      throw notFound();
    }
    return { status: 204 };
  },
};

async function cardUnder(payments: Payments, caller: Caller, cardId: string | undefined): Promise<Card> {
  return followAlias(payments, caller, await findItem(payments, caller, 'card', cardId));
}
