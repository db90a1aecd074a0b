/** The platform's client: all its areas, for one account and one invocation. viva.ts says what it promises. */
import { captures } from './captures.ts';
import { cards } from './cards.ts';
import { native } from './native.ts';
import { orders } from './orders.ts';
import { createSend, type VivaDeps } from './send.ts';
import { terminals } from './terminals.ts';
import { transactions } from './transactions.ts';
import type { VivaFor } from './viva.ts';

export function createVivaFor(deps: VivaDeps): VivaFor {
  return (account, remainingMs) => {
    const send = createSend(deps, account, remainingMs);
    return {
      ...terminals(account, send),
      ...transactions(account, send),
      ...cards(send),
      ...native(account, send),
      ...captures(account, send),
      ...orders(account, send),
    };
  };
}
