/**
 * Removes the token of a deleted card, and notes on the card that it is gone. Safe to run twice: the reconciler runs it
 * again if the request that deleted the card did not come that far.
 */
import type { Payments } from '../../payments/store.ts';
import type { Tokens } from '../../tokens/store.ts';

export interface RemoveTokenDeps {
  readonly payments: Payments;
  readonly tokens: Pick<Tokens, 'remove'>;
}

export async function removeToken(cardId: string, { payments, tokens }: RemoveTokenDeps): Promise<void> {
  await tokens.remove('ct', cardId);
  await payments.change('card', cardId, ({ tokenLeft, dueAt }) =>
    tokenLeft === undefined && dueAt === undefined ? undefined : { tokenLeft: undefined, dueAt: undefined },
  );
}
