/** Card tokens (`ct_`): a merchant's lasting reference to a card that was presented once. */

import type { Random } from '../random.ts';
import type { Card } from './cards.ts';

export interface CardToken {
  readonly token: string;
  readonly merchantId: string;
  readonly transactionId: string;
  readonly card: Card;
}

export class CardTokens {
  readonly #byToken = new Map<string, CardToken>();

  create(random: Random, of: Omit<CardToken, 'token'>): CardToken {
    const token = { token: `ct_CANARY${random.hex(26)}`, ...of };
    this.#byToken.set(token.token, token);
    return token;
  }

  find(merchantId: string, token: string): CardToken | undefined {
    const found = this.#byToken.get(token);
    return found?.merchantId === merchantId ? found : undefined;
  }
}
